package desk

import (
	"context"
	"errors"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/agent"
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
func (d *Desk) Profile(ctx context.Context, s agent.Scope, handle string) (p app.Profile, err error) {
	a, err := d.accountOf(ctx, s.OperationID)
	if err != nil {
		return p, err
	}
	return d.profile(ctx, s, a, handle)
}

func (d *Desk) profile(ctx context.Context, s agent.Scope, a Account, handle string) (p app.Profile, err error) {
	err = d.one(ctx, s, app.ReadUser, func(ctx context.Context) (string, error) {
		p, err = d.X.User(ctx, a.AccessToken, strings.TrimPrefix(handle, "@"))
		return p.ID, err
	})
	return p, missing(err, "profile")
}

func missing(err error, what string) error {
	var refused *x.APIError
	if errors.As(err, &refused) && refused.NotFound() {
		return app.Errorf(app.NotFound, "X has no such %s.", what)
	}
	return err
}

// Me returns the account that a token belongs to.
func (d *Desk) Me(ctx context.Context, s agent.Scope, a Account) (me app.Profile, err error) {
	err = d.one(ctx, s, app.ReadUser, func(ctx context.Context) (string, error) {
		me, err = d.X.Me(ctx, a.AccessToken)
		return me.ID, err
	})
	return me, err
}

// Posts returns an account's newest posts.
func (d *Desk) Posts(ctx context.Context, s agent.Scope, handle string, most int) ([]app.Post, error) {
	a, err := d.accountOf(ctx, s.OperationID)
	if err != nil {
		return nil, err
	}
	who, err := d.profile(ctx, s, a, handle)
	if err != nil {
		return nil, err
	}
	page, err := d.page(ctx, s, x.Window{Most: max(most, x.FewestPosts)}, func(ctx context.Context, w x.Window) (x.Page, error) {
		return d.X.Timeline(ctx, a.AccessToken, who.ID, w)
	})
	return page.Posts[:min(len(page.Posts), most)], err
}

// timelinePages are all the pages that X shows of a timeline: 3,200 posts.
const timelinePages = 33

// Timeline returns everything that an account wrote since an instant, newest
// first; x.ErrMore when X does not show all of it. What was read before an error
// is returned with it.
func (d *Desk) Timeline(ctx context.Context, s agent.Scope, a Account, author string, since time.Time) ([]app.Post, error) {
	return x.Walk(x.Window{Since: since, Most: firstLook}, timelinePages, func(w x.Window) (x.Page, error) {
		return d.page(ctx, s, w, func(ctx context.Context, w x.Window) (x.Page, error) {
			return d.X.Timeline(ctx, a.AccessToken, author, w)
		})
	})
}

// mentionReader is the agent whose share of the cap the looks at mentions are
// paid from.
const mentionReader = "cm"

// Authors looks up accounts by their ids, as many of them as the money pays for,
// and returns whom it asked for. One that is gone is missing.
func (d *Desk) Authors(ctx context.Context, operationID int64, ids []string) (found []app.XUser, asked []string, err error) {
	a, err := d.accountOf(ctx, operationID)
	if err != nil {
		return nil, nil, err
	}
	s := agent.Scope{OperationID: operationID, Agent: mentionReader}
	err = d.metered(ctx, request(s, app.ReadUser, 1, min(len(ids), x.MostUsers)), func(ctx context.Context, most int) (came []string, err error) {
		asked = ids[:most]
		found, err = d.X.Users(ctx, a.AccessToken, asked)
		for _, u := range found {
			came = append(came, u.ID)
		}
		return came, err
	})
	return found, asked, err
}

// PollTallies reads the operation's poll on both channels. Telegram says the
// final counts once, when the poll is stopped: they are kept.
func (d *Desk) PollTallies(ctx context.Context, s agent.Scope) (rec app.PollRecord, onX, onTelegram *app.PollResult, err error) {
	rec, onTelegram, err = d.Store.Poll(ctx, s.OperationID)
	if err != nil {
		return rec, nil, nil, err
	}
	if rec.XPostID != "" {
		if onX, err = d.tallyOnX(ctx, s, rec.XPostID); err != nil {
			return rec, nil, nil, err
		}
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
	return rec, onX, &r, d.Store.SavePollResult(ctx, s.OperationID, r)
}

func (d *Desk) tallyOnX(ctx context.Context, s agent.Scope, postID string) (*app.PollResult, error) {
	a, err := d.accountOf(ctx, s.OperationID)
	if err != nil {
		return nil, err
	}
	var r app.PollResult
	err = d.one(ctx, s, app.ReadPost, func(ctx context.Context) (string, error) {
		r, err = d.X.Poll(ctx, a.AccessToken, postID)
		return postID, err
	})
	if err != nil {
		return nil, err
	}
	return &r, nil
}
