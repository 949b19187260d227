package desk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/postgres"
	"vivra/app/telegram"
	"vivra/app/x"
)

// refreshBefore is how long before its end an access token is renewed.
const refreshBefore = 5 * time.Minute

// purpose binds a sealed token to the account it is for.
func purpose(kind, handle string) string { return "x " + kind + " " + handle }

// ConnectX stores the tokens of an account, sealed.
func (d *Desk) ConnectX(ctx context.Context, handle, userID string, token x.Token) error {
	return d.Store.SaveXAccount(ctx, d.sealed(postgres.XAccount{Handle: handle, UserID: userID}, token), d.Clock.Now())
}

func (d *Desk) sealed(a postgres.XAccount, token x.Token) postgres.XAccount {
	a.AccessSealed = d.Seal.Seal(token.AccessToken, purpose("access", a.Handle))
	a.RefreshSealed = d.Seal.Seal(token.RefreshToken, purpose("refresh", a.Handle))
	a.KeyID, a.Scopes, a.ExpiresAt = d.Seal.KeyID(), token.Scopes, token.ExpiresAt
	return a
}

// Account is a connected account and a token that works now.
type Account struct {
	Handle, UserID, AccessToken string
}

// Account returns the account with a live token, refreshed under the account's
// lock when it is about to end.
func (d *Desk) Account(ctx context.Context, handle string) (Account, error) {
	a, err := d.Store.XAccount(ctx, handle)
	if err != nil {
		return Account{}, err
	}
	if a.NeedsReconnect {
		return Account{}, app.Errorf(app.Unavailable, "The X account @%s must be connected again.", handle)
	}
	now := d.Clock.Now()
	if a.ExpiresAt.Sub(now) < refreshBefore {
		if a, err = d.refresh(ctx, handle, now); err != nil {
			return Account{}, err
		}
	}
	token, err := d.Seal.Open(a.AccessSealed, purpose("access", handle))
	if err != nil {
		return Account{}, fmt.Errorf("X account @%s: %w", handle, err)
	}
	return Account{handle, a.UserID, token}, nil
}

func (d *Desk) refresh(ctx context.Context, handle string, now time.Time) (postgres.XAccount, error) {
	a, err := d.Store.RefreshXAccount(ctx, handle, now, func(a postgres.XAccount) (postgres.XAccount, error) {
		if a.ExpiresAt.Sub(now) >= refreshBefore {
			return a, nil // another process was faster
		}
		secret, err := d.Seal.Open(a.RefreshSealed, purpose("refresh", handle))
		if err != nil {
			return a, err
		}
		token, err := d.X.Refresh(ctx, secret, now)
		if err != nil {
			return a, err
		}
		return d.sealed(a, token), nil
	})
	var refused *x.APIError
	if errors.As(err, &refused) && (refused.Status == http.StatusBadRequest || refused.Status == http.StatusUnauthorized) {
		if err := d.Store.LoseXAccount(ctx, handle, now); err != nil {
			return a, err
		}
		return a, app.Errorf(app.Unavailable, "X no longer takes the tokens of @%s: connect the account again.", handle)
	}
	return a, err
}

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
