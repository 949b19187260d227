package orchestrator

import (
	"context"
	"errors"
	"time"

	"vivra/app"
	"vivra/app/desk"
	"vivra/app/effects"
	"vivra/app/pages"
	"vivra/app/postgres"
	"vivra/app/telegram"
	"vivra/app/x"
)

// errCannotTell says that a platform can't be asked what it has published.
var errCannotTell = errors.New("the platform does not say whether it went out")

// skew is how far a platform's clock may be behind ours.
const skew = time.Minute

// find looks for an effect at its platform. Not found means that it has
// certainly not gone out, or that making the call once more changes nothing.
func (o *Orchestrator) find(ctx context.Context, e app.Effect) (sent postgres.Sent, found bool, err error) {
	seek := func() (postgres.Sent, error) { return sent, errCannotTell }
	switch e.Kind {
	case effects.XPost:
		seek = func() (postgres.Sent, error) {
			return with(e, func(p effects.Post) (postgres.Sent, error) { return o.findPost(ctx, e, p) })
		}
	case effects.XProfile: // a read-back publishes nothing
		seek = func() (postgres.Sent, error) { return sent, nil }
	case effects.TGTitle, effects.TGDescribe, effects.TGPin:
		seek = func() (postgres.Sent, error) { return o.findInGroup(ctx, e) }
	case effects.SiteDeploy, effects.UtilDeploy:
		seek = func() (postgres.Sent, error) { return o.findDeployment(ctx, e) }
	}
	sent, err = seek()
	return sent, err == nil && sent.Summary != "", err
}

// lags tells whether a platform may show a publication only after a while.
func lags(kind string) bool { return kind == effects.XPost }

// again is how long a publication waits that is to be made anew: the first
// time not at all.
func again(e app.Effect) time.Duration {
	if e.Attempt > 1 {
		return tryAgain
	}
	return 0
}

// findPost looks for the exact text on the timeline of the account that was
// approved, or first attempted with, written since what follows from the approval was set going, by
// whichever attempt, and answering the same post.
func (o *Orchestrator) findPost(ctx context.Context, e app.Effect, p effects.Post) (postgres.Sent, error) {
	f, v, err := o.bound(ctx, e)
	if err != nil {
		return postgres.Sent{}, err
	}
	switch {
	case len(v.Frozen) == 0: // of an older program, which bound nothing
		return postgres.Sent{}, errCannotTell
	case f.AccountID == "": // nothing is sent with an account that is not bound
		return postgres.Sent{}, nil
	}
	account, err := o.Desk.Account(ctx, p.Account)
	if err != nil {
		return postgres.Sent{}, err
	}
	parent, err := o.parent(ctx, e, p)
	if err != nil {
		return postgres.Sent{}, err
	}
	for len(f.Out) > 0 && v.Replaces != "" { // an attempt under an earlier approval may have made it
		if v, err = o.Store.Validation(ctx, v.Replaces); err != nil {
			return postgres.Sent{}, err
		}
	}
	from := since(v)
	doubted, err := o.Store.DoubtedBefore(ctx, e.ID)
	if err != nil {
		return postgres.Sent{}, err
	}
	if doubted != nil && doubted.Add(-skew).Before(from) {
		from = doubted.Add(-skew)
	}
	posts, err := o.Desk.Timeline(ctx, desk.ForPublication(e), account, f.AccountID, from)
	var unpaid *app.BudgetError
	if errors.Is(err, x.ErrMore) || errors.As(err, &unpaid) {
		return postgres.Sent{}, errCannotTell
	}
	if err != nil {
		return postgres.Sent{}, err
	}
	sent, err := o.ours(ctx, e, p, parent, posts)
	if err == nil && sent.Summary == "" && account.UserID != f.AccountID {
		return sent, errCannotTell // another account may not be shown everything
	}
	return sent, err
}

// since is when the first attempt can have been made, by a clock that is behind.
func since(v app.Validation) time.Time {
	at := v.CreatedAt
	for _, later := range []*time.Time{v.DecidedAt, v.AppliedAt} {
		if later != nil {
			at = *later
		}
	}
	return at.Add(-skew)
}

// ours picks the post that an attempt of e has made: one that is booked for
// another effect is not it.
func (o *Orchestrator) ours(ctx context.Context, e app.Effect, p effects.Post, parent string, posts []app.Post) (postgres.Sent, error) {
	for _, post := range posts {
		if !sameText(p, post.Text) || parent != "" && post.ParentID != parent {
			continue
		}
		taken, err := o.Store.BookedElsewhere(ctx, e, post.ID)
		if err != nil {
			return postgres.Sent{}, err
		}
		if !taken {
			return posted(p, post.ID), nil
		}
	}
	return postgres.Sent{}, nil
}

// sameText tells whether what stands on the timeline is the text of p. X puts
// the names of those that a reply speaks to before it.
func sameText(p effects.Post, shown string) bool {
	if p.Answers != "" {
		shown = x.WithoutNames(shown)
	}
	return x.SameText(p.Text, shown)
}

// findInGroup reads the group: what it shows has been set.
func (o *Orchestrator) findInGroup(ctx context.Context, e app.Effect) (postgres.Sent, error) {
	switch e.Kind {
	case effects.TGTitle:
		return with(e, func(p effects.Title) (postgres.Sent, error) {
			return o.shows(ctx, p.Chat, named, func(c telegram.Chat) bool { return c.Title == p.Title })
		})
	case effects.TGDescribe:
		return with(e, func(p effects.Description) (postgres.Sent, error) {
			return o.shows(ctx, p.Chat, described, func(c telegram.Chat) bool { return c.Description == p.Description })
		})
	}
	return with(e, func(p effects.Pin) (postgres.Sent, error) {
		message, err := o.pinned(ctx, e, p)
		if err != nil {
			return postgres.Sent{}, err
		}
		return o.shows(ctx, p.Chat, pinnedThere, func(c telegram.Chat) bool { return c.Pinned != nil && c.Pinned.MessageID == message })
	})
}

func (o *Orchestrator) shows(ctx context.Context, group int64, summary string, what func(telegram.Chat) bool) (postgres.Sent, error) {
	chat, err := o.Desk.Telegram.Chat(ctx, group)
	if err != nil || !what(chat) {
		return postgres.Sent{}, err
	}
	return said(summary), nil
}

// findDeployment tells whether a deployment carries the effect's key. One that
// does is finished by the next attempt, which makes no other; an operation that
// has ended gets none, so that what is there is booked as it is.
func (o *Orchestrator) findDeployment(ctx context.Context, e app.Effect) (postgres.Sent, error) {
	op, err := o.Store.Operation(ctx, e.OperationID)
	if err != nil || !op.State.Final() {
		return postgres.Sent{}, err
	}
	var receipt pages.Receipt
	receipt, found, err := o.Sites.Find(ctx, Label(e.OperationSlug), e.Key)
	if err != nil || !found {
		return postgres.Sent{}, err
	}
	return deployed(receipt, "", "Published a version of the site before the operation ended"), nil
}
