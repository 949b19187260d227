package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/mentions"
	"vivra/app/postgres/dbsqlc"
)

// approvalAgain is how often a reply that X's approval is missing for is looked
// at again.
const approvalAgain = 15 * time.Minute

// Why a reply waits.
const (
	noReplyApproval = "It is held: the setting x.ai_reply_approval names no approval of the platform any more. Enter one, or skip the step."
	hourlyReplies   = "It waits its turn: at most ten replies go out in an hour."
	unpaidReply     = "It waits until X's credits are looked at again: they were used up."
	dailyReply      = "It waits for the next day (UTC): its author got a reply today."
	askedOut        = "its author asked to be left alone"
)

// mayReply tells whether a reply to another account may be attempted now: while
// the platform's approval stands, at most so many in an hour, and one a day to
// each author. What has to wait says why, and is not dropped.
func (t *opTx) mayReply(ctx context.Context, r dbsqlc.EffectRow, v app.Validation) (bool, error) {
	e := r.Effect
	if e.RepliesAs == "" {
		return true, nil
	}
	to := v.Answers()
	if to == nil {
		return false, fmt.Errorf("effect %s replies to nobody", e.EffectKey)
	}
	out, err := t.optedOut(ctx, e.RepliesAs, to.AuthorID)
	if err != nil {
		return false, err
	}
	if out {
		return false, t.unwanted(ctx, r)
	}
	settings, err := t.settings(ctx)
	if err != nil {
		return false, err
	}
	if settings.XReplyApproval == "" {
		return false, t.holdReply(ctx, e, noReplyApproval, t.now.Add(approvalAgain))
	}
	return t.replySpaced(ctx, e, to.AuthorID)
}

func (t *opTx) replySpaced(ctx context.Context, e dbsqlc.Effect, author string) (bool, error) {
	if err := t.lockAccount(ctx, e.RepliesAs); err != nil {
		return false, err
	}
	q := t.store.q
	held, err := q.HeldUntil(ctx, t, postsAs(e))
	if err != nil {
		return false, fmt.Errorf("look whether the account is held: %w", err)
	}
	if held.After(t.now) {
		return false, t.holdReply(ctx, e, unpaidReply, held)
	}
	hour, today := t.now.Add(-time.Hour), day(t.now)
	made, err := q.RepliesMade(ctx, t, dbsqlc.RepliesMadeParams{Hour: hour, Day: today, Account: e.RepliesAs, AuthorID: author, ID: e.ID})
	if err != nil {
		return false, fmt.Errorf("count the account's replies: %w", err)
	}
	switch {
	case made.ToAuthor > 0:
		return false, t.holdReply(ctx, e, dailyReply, today.AddDate(0, 0, 1))
	case made.ThisHour >= mentions.MostAnHour:
		return false, t.holdReply(ctx, e, hourlyReplies, made.FirstAt.Add(time.Hour))
	}
	return true, nil
}

// holdReply leaves a reply for later, with what it waits for.
func (t *opTx) holdReply(ctx context.Context, e dbsqlc.Effect, why string, until time.Time) error {
	return t.saveEffect(ctx, e, dbsqlc.EndEffectParams{State: app.EffectIntent, Error: why, NotBefore: until})
}

// unwanted takes back a reply to somebody who wants none.
func (t *opTx) unwanted(ctx context.Context, r dbsqlc.EffectRow) error {
	if err := t.endEffect(ctx, r.Effect, app.EffectVoid, askedOut); err != nil {
		return err
	}
	return t.failPublishing(ctx, r.Effect.StepID, r.StepKey, askedOut)
}

// ReplyRefused ends a reply that X does not take: its author is gone, has
// blocked the account or did not name it. Its step fails with the reason, and
// nobody is woken for it.
func (s *Store) ReplyRefused(ctx context.Context, e app.Effect, cause error, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		if err := t.unsent(ctx, &row, e.StepKey); err != nil {
			return err
		}
		if err := t.endEffect(ctx, row, app.EffectFailed, cause.Error()); err != nil {
			return err
		}
		return t.failPublishing(ctx, row.StepID, e.StepKey, cause.Error())
	})
}
