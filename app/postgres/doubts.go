package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
)

// EffectLater puts an attempt that certainly sent nothing back, for later.
func (s *Store) EffectLater(ctx context.Context, e app.Effect, cause string, notBefore, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		return t.later(ctx, row, e.StepKey, dbsqlc.EndEffectParams{Error: cause, NotBefore: notBefore})
	})
}

func (t *opTx) later(ctx context.Context, row dbsqlc.Effect, stepKey string, p dbsqlc.EndEffectParams) error {
	if err := t.unsent(ctx, &row, stepKey); err != nil {
		return err
	}
	p.State = app.EffectIntent
	return t.saveEffect(ctx, row, p)
}

// EffectAwaitsPerson is EffectLater for an attempt that could send nothing until
// a person has done something. It is none: however long that takes, what then
// goes wrong is the first thing to go wrong.
func (s *Store) EffectAwaitsPerson(ctx context.Context, e app.Effect, cause string, notBefore, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		return t.later(ctx, row, e.StepKey, dbsqlc.EndEffectParams{Error: cause, NotBefore: notBefore, GivenBack: 1})
	})
}

// awaitsAccount begins what is kept of an effect that nothing but its account
// on X holds up.
const awaitsAccount = "It waits for its account: "

// EffectAwaitsAccount is EffectAwaitsPerson for an attempt that found its account on X
// disconnected: it is brought forward when that is connected.
func (s *Store) EffectAwaitsAccount(ctx context.Context, e app.Effect, cause string, notBefore, now time.Time) error {
	return s.EffectAwaitsPerson(ctx, e, awaitsAccount+cause, notBefore, now)
}

// EffectNotApplied is EffectAwaitsPerson for what a person said to have done by hand and
// the platform does not show: the team is told, once.
func (s *Store) EffectNotApplied(ctx context.Context, e app.Effect, cause string, notBefore, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		if _, err := t.raise(ctx, "not_applied", row.EffectKey, e.StepKey+" was said to be applied, and is not yet. "+cause); err != nil {
			return err
		}
		return t.later(ctx, row, e.StepKey, dbsqlc.EndEffectParams{Error: cause, NotBefore: notBefore, GivenBack: 1})
	})
}

// EffectUnknown records that nobody knows whether a publication went out. Its
// price stays reserved until that is found out.
func (s *Store) EffectUnknown(ctx context.Context, e app.Effect, cause string, lookAt, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		return t.saveEffect(ctx, row, dbsqlc.EndEffectParams{State: app.EffectUnknown, ReservedNusd: row.ReservedNusd, Error: cause, NotBefore: lookAt})
	})
}

// EffectUndecided puts an unknown outcome before a person, once.
func (s *Store) EffectUndecided(ctx context.Context, e app.Effect, lookAt, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		if _, err := t.raise(ctx, "effect_unknown", fmt.Sprintf("%s#%d", e.Key, row.Attempt), e.StepKey+": nobody can tell whether this publication went out. Look there and say so on the operation's page."); err != nil {
			return err
		}
		return t.saveEffect(ctx, row, dbsqlc.EndEffectParams{State: app.EffectUnknown, ReservedNusd: row.ReservedNusd, Error: row.Error, NotBefore: lookAt})
	})
}

// EffectFailed ends a publication that the platform refused, and its step.
func (s *Store) EffectFailed(ctx context.Context, e app.Effect, cause error, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error { return t.effectFailed(ctx, row, e.StepKey, cause) })
}

func (t *opTx) effectFailed(ctx context.Context, row dbsqlc.Effect, stepKey string, cause error) error {
	if err := t.unsent(ctx, &row, stepKey); err != nil {
		return err
	}
	if err := t.endEffect(ctx, row, app.EffectFailed, cause.Error()); err != nil {
		return err
	}
	parts, err := t.parts(ctx, row.StepID)
	if err != nil {
		return err
	}
	message := stepKey + " could not be published: " + cause.Error()
	if parts.Broken() {
		message = fmt.Sprintf("%s broke off. %s, %s %d could not be published: %s What is out stays; the operation's page says how to go on.",
			stepKey, parts, parts.Noun(), row.Position+1, sentence(cause.Error()))
	}
	if _, err := t.raise(ctx, "publication_failed", fmt.Sprintf("%s#%d", row.EffectKey, row.Attempt), message); err != nil {
		return err
	}
	return t.failPublishing(ctx, row.StepID, stepKey, cause.Error())
}

// EffectUnpaid is EffectFailed for a post that X refused for want of credits:
// nothing is posted with its account until an instant.
func (s *Store) EffectUnpaid(ctx context.Context, e app.Effect, cause error, until, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		if account := postsAs(row); account != "" {
			if err := t.holdAccount(ctx, account, row.ID, until); err != nil {
				return err
			}
		}
		return t.effectFailed(ctx, row, e.StepKey, cause)
	})
}

// holdAccount has everything wait that is to be posted with an account, and tells
// so once a day.
func (t *opTx) holdAccount(ctx context.Context, account string, effectID int64, until time.Time) error {
	subject := fmt.Sprintf("@%s credits %s", account, t.now.Format(time.DateOnly))
	if _, err := t.raise(ctx, "x_account", subject, "X takes no posts of @"+account+": its credits are used up. Add credits in X's developer console, then try the failed publication again: from then on it posts. Until you do, nothing is posted with it before "+until.Format("15:04 UTC")+", and then the next post is tried, which fails like this one if nothing was paid."); err != nil {
		return err
	}
	if err := t.store.q.HoldAccount(ctx, t, dbsqlc.HoldAccountParams{Account: account, HeldUntil: until, EffectID: effectID}); err != nil {
		return fmt.Errorf("hold the account: %w", err)
	}
	return nil
}

// LoseExpiredEffects marks the attempts of dead workers (wall clock) unknown.
func (s *Store) LoseExpiredEffects(ctx context.Context, now, wall time.Time) error {
	rows, err := s.q.ExpiredEffects(ctx, s.pool, &wall)
	if err != nil {
		return fmt.Errorf("list expired effects: %w", err)
	}
	for _, r := range rows {
		e, err := s.Effect(ctx, r.ID)
		if err != nil {
			return err
		}
		err = s.under(ctx, e, []app.EffectState{app.EffectAttempting}, now, func(t *opTx, row dbsqlc.Effect) error {
			if row.LeaseUntil == nil || row.LeaseUntil.After(wall) {
				return nil
			}
			// What X has charged died with it: all that it held for pictures, at most.
			row.ChargedNusd = max(row.ReservedNusd-effects.PostPrice(e), 0)
			return t.saveEffect(ctx, row, dbsqlc.EndEffectParams{State: app.EffectUnknown, ReservedNusd: row.ReservedNusd, Error: "the process died during the attempt"})
		})
		if err != nil && err != ErrLost {
			return err
		}
	}
	return nil
}

// wasInDoubt is in what doubts says, and in nothing else that a draft is marked with.
const wasInDoubt = " of an earlier draft was in doubt on "

func tellsADoubt(problem string) bool { return strings.Contains(problem, wasInDoubt) }

// doubts says which posts of a step's earlier drafts may stand on X although they
// were not found: a draft in other words would say the same once more.
func (t *opTx) doubts(ctx context.Context, stepID int64) ([]string, error) {
	rows, err := t.store.q.DoubtedPosts(ctx, t, stepID)
	if err != nil {
		return nil, fmt.Errorf("list posts that were in doubt: %w", err)
	}
	said := make([]string, len(rows))
	for i, r := range rows {
		said[i] = fmt.Sprintf("Post %d"+wasInDoubt+"%s and was not found. Look at the account first: if it stands there now, this would say it twice.",
			r.Position+1, r.At.UTC().Format("2 January, 15:04 UTC"))
	}
	return said, nil
}

// DoubtedBefore is when the same call was first in doubt and was not found, under
// the approval that it has or an earlier one; nil when it never was.
func (s *Store) DoubtedBefore(ctx context.Context, effectID int64) (*time.Time, error) {
	at, err := s.q.DoubtedBefore(ctx, s.pool, effectID)
	if err != nil {
		return nil, fmt.Errorf("look for an earlier doubt: %w", err)
	}
	return instant(at), nil
}

// SettleEffect takes a person's word for what became of an attempt in doubt.
func (s *Store) SettleEffect(ctx context.Context, said app.Settlement, by app.User, now time.Time) error {
	e, err := s.Effect(ctx, said.EffectID)
	if err != nil {
		return err
	}
	seen := e
	seen.Fence = said.Fence
	err = s.under(ctx, seen, []app.EffectState{app.EffectUnknown}, now, func(t *opTx, row dbsqlc.Effect) error {
		if err := s.audit(ctx, t, by.Name, "effect.settle", t.op.Slug+" "+e.StepKey, now, map[string]any{"state": row.State}, map[string]any{"sent": said.Sent, "link": said.Link, "attempt": row.Attempt}); err != nil {
			return err
		}
		if !said.Sent {
			row.DoubtedAt = nil
			if err := s.q.LookedFor(ctx, t, row.ID); err != nil {
				return fmt.Errorf("end earlier doubts: %w", err)
			}
			return t.later(ctx, row, e.StepKey, dbsqlc.EndEffectParams{Error: "a person found that it had not gone out", NotBefore: now})
		}
		found, err := t.found(ctx, e, said.Link)
		if err != nil {
			return err
		}
		return t.effectDone(ctx, row, e.StepKey, found)
	})
	if err == ErrLost {
		return s.unsettled(ctx, said)
	}
	return err
}

// unsettled says why a person's word came too late.
func (s *Store) unsettled(ctx context.Context, said app.Settlement) error {
	e, err := s.Effect(ctx, said.EffectID)
	switch {
	case err != nil:
		return err
	case e.State == app.EffectUnknown || e.State == app.EffectAttempting:
		return app.Errorf(app.Conflict, "This publication was tried again since you opened the page: what you found is not about the attempt of now. Look once more. Nothing was changed.")
	}
	return app.Errorf(app.Conflict, "This publication is no longer in doubt: it is %s by now. Nothing was changed.", e.State)
}

// found is what a person found in the place of a provider's answer.
func (t *opTx) found(ctx context.Context, e app.Effect, link string) (Sent, error) {
	number, plain, err := effects.Found(e, link)
	if err != nil {
		return Sent{}, err
	}
	taken, err := t.store.bookedElsewhere(ctx, t, e, number)
	if err != nil {
		return Sent{}, err
	}
	if taken {
		return Sent{}, app.Errorf(app.Conflict, "That is what another publication has sent: %s is booked for it. Look for one of its own. Nothing was changed.", plain)
	}
	receipt := map[string]any{"settled_by": "person"}
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && !effects.OnX(e.Kind) {
		receipt["message_id"] = n
	}
	return Sent{ProviderID: number, Link: plain, Receipt: receipt, Summary: "Published, as a person found out"}, nil
}
