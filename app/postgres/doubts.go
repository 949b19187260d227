package postgres

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// EffectLater puts an attempt that certainly sent nothing back, for later.
func (s *Store) EffectLater(ctx context.Context, e app.Effect, cause string, notBefore, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		t.op.Reserved -= row.ReservedNusd
		return t.saveEffect(ctx, row, dbsqlc.EndEffectParams{State: app.EffectIntent, Error: cause, NotBefore: notBefore})
	})
}

// awaitsAccount begins what is kept of an effect that nothing but its account
// on X holds up.
const awaitsAccount = "It waits for its account: "

// EffectAwaitsAccount is EffectLater for an attempt that found its account on X
// disconnected: it is brought forward when that is connected.
func (s *Store) EffectAwaitsAccount(ctx context.Context, e app.Effect, cause string, notBefore, now time.Time) error {
	return s.EffectLater(ctx, e, awaitsAccount+cause, notBefore, now)
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
	t.op.Reserved -= row.ReservedNusd
	if err := t.endEffect(ctx, row, app.EffectFailed, cause.Error()); err != nil {
		return err
	}
	if _, err := t.raise(ctx, "publication_failed", fmt.Sprintf("%s#%d", row.EffectKey, row.Attempt), stepKey+" could not be published: "+cause.Error()); err != nil {
		return err
	}
	return t.failPublishing(ctx, row.StepID, stepKey, cause.Error())
}

// EffectUnpaid is EffectFailed for a post that X refused for want of credits:
// the others of its account wait until an instant, each for its turn from there.
func (s *Store) EffectUnpaid(ctx context.Context, e app.Effect, cause error, until, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		if err := t.effectFailed(ctx, row, e.StepKey, cause); err != nil || row.Account == "" {
			return err
		}
		return t.holdAccount(ctx, row.Account, until)
	})
}

// holdAccount delays what waits to be posted with an account, and tells so once
// a day.
func (t *opTx) holdAccount(ctx context.Context, account string, until time.Time) error {
	settings, err := t.settings(ctx)
	if err != nil {
		return err
	}
	subject := fmt.Sprintf("@%s credits %s", account, t.now.Format(time.DateOnly))
	if _, err := t.raise(ctx, "x_account", subject, "X takes no posts of @"+account+": its credits are used up. Add credits in X's developer console, then try the failed publication again. The account's other posts wait until "+until.Format("15:04 UTC")+"."); err != nil {
		return err
	}
	if err := t.store.q.LockAccount(ctx, t, account); err != nil {
		return fmt.Errorf("lock account: %w", err)
	}
	err = t.store.q.DelayAccount(ctx, t, dbsqlc.DelayAccountParams{Next: until, SpacingS: settings.PostSpacing.Seconds(), Account: account})
	if err != nil {
		return fmt.Errorf("delay the account's posts: %w", err)
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
			return t.saveEffect(ctx, row, dbsqlc.EndEffectParams{State: app.EffectUnknown, ReservedNusd: row.ReservedNusd, Error: "the process died during the attempt"})
		})
		if err != nil && err != ErrLost {
			return err
		}
	}
	return nil
}

// SettleEffect takes a person's word for what became of an unknown publication.
func (s *Store) SettleEffect(ctx context.Context, effectID int64, sent bool, link string, by app.User, now time.Time) error {
	e, err := s.Effect(ctx, effectID)
	if err != nil {
		return err
	}
	err = s.under(ctx, e, []app.EffectState{app.EffectUnknown}, now, func(t *opTx, row dbsqlc.Effect) error {
		if sent && link == "" {
			return app.Errorf(app.Invalid, "Enter the link to what you found: what follows it needs its number.")
		}
		if err := s.audit(ctx, t, by.Name, "effect.settle", t.op.Slug+" "+e.StepKey, now, map[string]any{"state": row.State}, map[string]any{"sent": sent, "link": link}); err != nil {
			return err
		}
		if sent {
			return t.effectDone(ctx, row, e.StepKey, Sent{ProviderID: path.Base(link), Link: link, Receipt: settledBy(link), Summary: "Published, as a person found out"})
		}
		t.op.Reserved -= row.ReservedNusd
		return t.saveEffect(ctx, row, dbsqlc.EndEffectParams{State: app.EffectIntent, Error: "a person found that it had not gone out", NotBefore: now})
	})
	if err == ErrLost {
		return app.Errorf(app.Conflict, "This publication is no longer in doubt.")
	}
	return err
}

// settledBy is the receipt of a publication that a person found: its link ends
// in the provider's number.
func settledBy(link string) map[string]any {
	receipt := map[string]any{"settled_by": "person"}
	if n, err := strconv.ParseInt(path.Base(link), 10, 64); err == nil {
		receipt["message_id"] = n
	}
	return receipt
}
