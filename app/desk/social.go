package desk

import (
	"context"
	"errors"
	"strings"

	"vivra/app"
	"vivra/app/telegram"
	"vivra/app/x"
)

func (d *Desk) accountOf(ctx context.Context, operationID int64) (Account, error) {
	op, err := d.Store.Operation(ctx, operationID)
	if err != nil {
		return Account{}, err
	}
	return d.Account(ctx, op.XHandle)
}

// Profile returns a profile on X, app.NotFound when there is none.
func (d *Desk) Profile(ctx context.Context, operationID int64, handle string) (app.Profile, error) {
	a, err := d.accountOf(ctx, operationID)
	if err != nil {
		return app.Profile{}, err
	}
	p, err := d.X.User(ctx, a.AccessToken, strings.TrimPrefix(handle, "@"))
	return p, missing(err, "profile")
}

func missing(err error, what string) error {
	var refused *x.APIError
	if errors.As(err, &refused) && refused.NotFound() {
		return app.Errorf(app.NotFound, "X has no such %s.", what)
	}
	return err
}

// Posts returns an account's newest posts.
func (d *Desk) Posts(ctx context.Context, operationID int64, handle string, most int) ([]app.Post, error) {
	a, err := d.accountOf(ctx, operationID)
	if err != nil {
		return nil, err
	}
	who, err := d.X.User(ctx, a.AccessToken, strings.TrimPrefix(handle, "@"))
	if err != nil {
		return nil, missing(err, "profile")
	}
	posts, err := d.X.Timeline(ctx, a.AccessToken, who.ID, max(most, 5))
	return posts[:min(len(posts), most)], err
}

// Mentions returns who named the operation's account, oldest first: the first
// ones since sinceID, so that none is passed over, or the newest without one.
func (d *Desk) Mentions(ctx context.Context, operationID int64, sinceID string, most int) ([]app.Post, error) {
	a, err := d.accountOf(ctx, operationID)
	if err != nil {
		return nil, err
	}
	posts, err := d.X.Mentions(ctx, a.AccessToken, a.UserID, sinceID)
	if sinceID == "" {
		return posts[max(len(posts)-most, 0):], err
	}
	return posts[:min(len(posts), most)], err
}

// PollTallies reads the operation's poll on both channels. Telegram says the
// final counts once, when the poll is stopped: they are kept.
func (d *Desk) PollTallies(ctx context.Context, operationID int64) (rec app.PollRecord, onX, onTelegram *app.PollResult, err error) {
	rec, onTelegram, err = d.Store.Poll(ctx, operationID)
	if err != nil {
		return rec, nil, nil, err
	}
	if rec.XPostID != "" {
		a, err := d.accountOf(ctx, operationID)
		if err != nil {
			return rec, nil, nil, err
		}
		r, err := d.X.Poll(ctx, a.AccessToken, rec.XPostID)
		if err != nil {
			return rec, nil, nil, err
		}
		onX = &r
	}
	over := rec.ClosesAt != nil && !rec.ClosesAt.After(d.Clock.Now())
	if rec.TelegramMessageID == 0 || onTelegram != nil || !over {
		return rec, onX, onTelegram, nil
	}
	r, err := d.Telegram.StopPoll(ctx, rec.TelegramChat, rec.TelegramMessageID)
	if errors.Is(err, telegram.ErrPollClosed) {
		return rec, onX, nil, nil // its last update has not come yet
	}
	if err != nil {
		return rec, onX, nil, err
	}
	return rec, onX, &r, d.Store.SavePollResult(ctx, operationID, r)
}
