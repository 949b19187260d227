package postgres

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
)

func effectOfRow(e dbsqlc.Effect, slug, stepKey string) app.Effect {
	return app.Effect{ID: e.ID, Key: e.EffectKey, ValidationID: e.ValidationID, OperationID: e.OperationID, OperationSlug: slug,
		StepID: e.StepID, StepKey: stepKey, Position: e.Position, Kind: e.Kind, Request: json.RawMessage(e.Request),
		RequestSHA256: hex.EncodeToString(e.RequestSha256), State: e.State, NotBefore: e.NotBefore.UTC(), Attempt: e.Attempt, Fence: e.Fence,
		ProviderID: e.ProviderID, Receipt: e.Receipt, Price: e.PriceNusd, Cost: e.CostNusd, Error: e.Error, DoneAt: e.DoneAt, AttemptedAt: e.AttemptedAt}
}

// Effect returns one effect.
func (s *Store) Effect(ctx context.Context, id int64) (app.Effect, error) {
	r, err := s.q.Effect(ctx, s.pool, id)
	if err != nil {
		return app.Effect{}, notFound(err, "publication")
	}
	return effectOfRow(r.Effect, r.Slug, r.StepKey), nil
}

// Effects returns every effect of an operation, oldest first.
func (s *Store) Effects(ctx context.Context, operationID int64) ([]app.EffectStatus, error) {
	rows, err := s.q.EffectsOfOperation(ctx, s.pool, operationID)
	if err != nil {
		return nil, fmt.Errorf("list effects: %w", err)
	}
	out := make([]app.EffectStatus, len(rows))
	for i, r := range rows {
		out[i] = app.EffectStatus{Effect: effectOfRow(r.Effect, r.Slug, r.StepKey), ValidationKind: r.ValidationKind}
	}
	return out, nil
}

// ProviderIDs returns the provider's ids of a validation's effects by position.
func (s *Store) ProviderIDs(ctx context.Context, validationID string) (map[int]string, error) {
	rows, err := s.q.EffectsOfValidation(ctx, s.pool, validationID)
	if err != nil {
		return nil, fmt.Errorf("list effects: %w", err)
	}
	ids := make(map[int]string, len(rows))
	for _, r := range rows {
		ids[r.Position] = r.ProviderID
	}
	return ids, nil
}

// WakeEffects returns jobs for the effects that are due, or in doubt and to be
// looked into, and for which no job is on its way until the given wall time.
func (s *Store) WakeEffects(ctx context.Context, now, wall, until time.Time) ([]app.Job, error) {
	rows, err := s.q.WakeEffects(ctx, s.pool, dbsqlc.WakeEffectsParams{Until: &until, Now: now, Wall: &wall})
	if err != nil {
		return nil, fmt.Errorf("wake effects: %w", err)
	}
	jobs := make([]app.Job, len(rows))
	for i, r := range rows {
		jobs[i] = app.Job{Kind: app.JobEffect, ID: r.ID}
		if r.State == app.EffectUnknown {
			jobs[i].Kind = app.JobReconcile
		}
	}
	return jobs, nil
}

// AttemptEffect claims an effect for one attempt: its price is reserved, its
// account spaced, and "attempting" is committed before anyone calls out. It
// returns false when the effect is not to be attempted now.
func (s *Store) AttemptEffect(ctx context.Context, id int64, spacing time.Duration, now, lease time.Time) (e app.Effect, ok bool, err error) {
	operationID, err := s.q.EffectOperation(ctx, s.pool, id)
	if err != nil {
		return e, false, notFound(err, "publication")
	}
	err = s.inOperation(ctx, operationID, now, func(t *opTx) error {
		r, err := s.q.Effect(ctx, t, id)
		if err != nil {
			return notFound(err, "publication")
		}
		if r.Effect.State != app.EffectIntent || t.op.State != app.OperationRunning {
			return nil
		}
		if r.Effect.NotBefore.After(now) { // woken by a process whose clock is ahead of ours: the next tick wakes it again
			return s.q.DelayEffect(ctx, t, dbsqlc.DelayEffectParams{NotBefore: r.Effect.NotBefore, ID: id})
		}
		if early, err := s.q.EarlierOpen(ctx, t, id); err != nil || early {
			return err
		}
		if ok, err = t.bound(ctx, r); err != nil || !ok {
			return err
		}
		if ok, err = t.spaced(ctx, r.Effect, spacing); err != nil || !ok {
			return err
		}
		if ok, err = t.affordable(ctx, r); err != nil || !ok {
			return err
		}
		fence, err := s.q.AttemptEffect(ctx, t, dbsqlc.AttemptEffectParams{LeaseUntil: &lease, Now: &now, ReservedNusd: r.Effect.PriceNusd, ID: id})
		if err != nil {
			return fmt.Errorf("claim effect: %w", err)
		}
		e = effectOfRow(r.Effect, r.Slug, r.StepKey)
		e.Fence, e.Attempt, e.State, e.AttemptedAt = fence, e.Attempt+1, app.EffectAttempting, &now
		return nil
	})
	return e, ok, err
}

// bound checks that the request is still what the approved payload calls for.
// One that is not is never sent: it is void, and an alert says so.
func (t *opTx) bound(ctx context.Context, e dbsqlc.EffectRow) (bool, error) {
	v, err := t.validation(ctx, e.Effect.ValidationID)
	if err != nil {
		return false, err
	}
	planned, err := effects.Plan(v)
	if err != nil {
		return false, err
	}
	at, sum := e.Effect.Position, hex.EncodeToString(e.Effect.RequestSha256)
	if v.State == app.ValidationApproved && at < len(planned) && planned[at].RequestSHA256 == sum && app.SHA256Hex([]byte(e.Effect.Request)) == sum {
		return true, nil
	}
	if _, err := t.raise(ctx, "payload_changed", e.Effect.EffectKey, "A publication no longer matches what was approved. It was not sent."); err != nil {
		return false, err
	}
	const message = "the request no longer matches the approved payload"
	if err := t.endEffect(ctx, e.Effect, app.EffectVoid, message); err != nil {
		return false, err
	}
	return false, t.failPublishing(ctx, e.Effect.StepID, e.StepKey, message)
}

// spaced keeps the gap between two publications of one account, from the last
// post of one to the first of the next: the later one is delayed, never dropped.
func (t *opTx) spaced(ctx context.Context, e dbsqlc.Effect, spacing time.Duration) (bool, error) {
	if _, first := effects.Account(app.Effect{Kind: e.Kind, Request: json.RawMessage(e.Request)}); !first {
		return true, nil
	}
	q := t.store.q
	if err := q.LockAccount(ctx, t, e.Account); err != nil {
		return false, fmt.Errorf("lock account: %w", err)
	}
	since := t.now.Add(-spacing)
	last, err := q.LastOnAccount(ctx, t, dbsqlc.LastOnAccountParams{Account: e.Account, ValidationID: e.ValidationID, Since: &since})
	if err != nil {
		return false, fmt.Errorf("read account's last post: %w", err)
	}
	next := last.LastAt.Add(spacing)
	if last.Busy {
		next = t.now.Add(time.Minute)
	}
	if !next.After(t.now) {
		return true, nil
	}
	return false, q.DelayEffect(ctx, t, dbsqlc.DelayEffectParams{NotBefore: next, ID: e.ID})
}

// affordable reserves the price of a publication, or fails its step.
func (t *opTx) affordable(ctx context.Context, r dbsqlc.EffectRow) (bool, error) {
	if r.Effect.PriceNusd <= t.left() {
		t.op.Reserved += r.Effect.PriceNusd
		return true, nil
	}
	cause := &app.BudgetError{Wall: "operation"}
	if _, err := t.raise(ctx, "budget_exceeded", "operation", r.StepKey+" was not published: "+cause.Error()+". Raise the cap or skip the step."); err != nil {
		return false, err
	}
	if err := t.endEffect(ctx, r.Effect, app.EffectFailed, cause.Error()); err != nil {
		return false, err
	}
	return false, t.failPublishing(ctx, r.Effect.StepID, r.StepKey, cause.Error())
}

// failPublishing fails a step whose publication can't go out. One that no
// longer waits for it, as after a stop, stays as it is.
func (t *opTx) failPublishing(ctx context.Context, stepID int64, stepKey, message string) error {
	st, err := t.store.q.Step(ctx, t, stepID)
	if err != nil {
		return notFound(err, "step")
	}
	if st.State != app.StepWaiting {
		return nil
	}
	t.add(app.EventLine{Kind: "step", Agent: "system", Step: stepKey, Summary: "Publishing failed"})
	return t.endStep(ctx, stepID, app.StepFailed, nil, "publishing failed: "+message)
}

func (t *opTx) endEffect(ctx context.Context, e dbsqlc.Effect, state app.EffectState, message string) error {
	return t.saveEffect(ctx, e, dbsqlc.EndEffectParams{State: state, Error: message})
}

func (t *opTx) saveEffect(ctx context.Context, e dbsqlc.Effect, p dbsqlc.EndEffectParams) error {
	p.ID, p.Error = e.ID, plain(p.Error)
	if p.State == app.EffectIntent && t.op.State.Final() {
		p.State = app.EffectVoid // what has ended publishes nothing more
	}
	if p.NotBefore.IsZero() {
		p.NotBefore = e.NotBefore
	}
	if p.State == app.EffectDone {
		p.DoneAt = &t.now
	}
	if err := t.store.q.EndEffect(ctx, t, p); err != nil {
		return fmt.Errorf("save effect: %w", err)
	}
	return nil
}

// Sent is what a provider answered to a publication.
type Sent struct {
	ProviderID string
	Link       string
	Receipt    any
	Summary    string
}

// under runs fn on an effect while its claim holds: the fence is the one it was
// attempted with and its state one of states.
func (s *Store) under(ctx context.Context, e app.Effect, states []app.EffectState, now time.Time, fn func(*opTx, dbsqlc.Effect) error) error {
	names := make([]string, len(states))
	for i, st := range states {
		names[i] = string(st)
	}
	return s.inOperation(ctx, e.OperationID, now, func(t *opTx) error {
		row, err := s.q.ClaimedEffect(ctx, t, dbsqlc.ClaimedEffectParams{ID: e.ID, Fence: e.Fence, States: names})
		if noRows(err) {
			return ErrLost
		}
		if err != nil {
			return fmt.Errorf("check effect's claim: %w", err)
		}
		return fn(t, row)
	})
}

var open = []app.EffectState{app.EffectAttempting, app.EffectUnknown}

// EffectDone books a publication that went out; the last one of a validation
// completes the step.
func (s *Store) EffectDone(ctx context.Context, e app.Effect, sent Sent, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		return t.effectDone(ctx, row, e.StepKey, sent)
	})
}

func (t *opTx) effectDone(ctx context.Context, row dbsqlc.Effect, stepKey string, sent Sent) error {
	err := t.saveEffect(ctx, row, dbsqlc.EndEffectParams{State: app.EffectDone, ProviderID: sent.ProviderID, Link: sent.Link,
		Receipt: mustJSON(sent.Receipt), CostNusd: row.PriceNusd})
	if err != nil {
		return err
	}
	line := app.EventLine{Kind: "publication", Agent: "system", Step: stepKey, Summary: sent.Summary, Link: sent.Link, Cost: row.PriceNusd}
	if row.PriceNusd > 0 {
		line.CostSource, line.Model = string(app.CostPriceList), "x"
	}
	t.add(line)
	if err := t.book(ctx, row.ReservedNusd, row.PriceNusd); err != nil {
		return err
	}
	st, err := t.store.q.Step(ctx, t, row.StepID)
	if err != nil {
		return notFound(err, "step")
	}
	if err := t.spendShare(ctx, st.Agent, row.PriceNusd); err != nil {
		return err
	}
	if err := t.remember(ctx, row, sent); err != nil {
		return err
	}
	left, err := t.store.q.OpenEffectsOfValidation(ctx, t, row.ValidationID)
	if err != nil {
		return fmt.Errorf("count open effects: %w", err)
	}
	if left > 0 {
		return nil
	}
	if st.State != app.StepWaiting {
		return nil // the operation was stopped while the last call was under way
	}
	return t.completeStep(ctx, stepOf(st))
}

// remember keeps what later steps and pages need of a publication.
func (t *opTx) remember(ctx context.Context, row dbsqlc.Effect, sent Sent) error {
	switch row.Kind {
	case effects.XPost:
		return t.rememberXPoll(ctx, row, sent)
	case effects.TGPoll:
		return t.rememberTelegramPoll(ctx, row, sent)
	case effects.SiteDeploy:
		var p app.SitePayload
		if err := json.Unmarshal([]byte(row.Request), &p); err != nil {
			return fmt.Errorf("read site: %w", err)
		}
		return t.store.q.SaveSite(ctx, t, dbsqlc.SaveSiteParams{OperationID: t.op.ID, Host: p.Host, BuildID: p.BuildID, DeploymentID: sent.ProviderID, Url: sent.Link, DeployedAt: t.now})
	case effects.UtilDeploy:
		var p app.UtilityPayload
		if err := json.Unmarshal([]byte(row.Request), &p); err != nil {
			return fmt.Errorf("read utility: %w", err)
		}
		return t.store.q.SaveUtility(ctx, t, dbsqlc.SaveUtilityParams{OperationID: t.op.ID, BuildID: p.BuildID, DeploymentID: sent.ProviderID, Url: sent.Link, DeployedAt: t.now})
	}
	return nil
}

func (t *opTx) rememberXPoll(ctx context.Context, row dbsqlc.Effect, sent Sent) error {
	var p effects.Post
	if err := json.Unmarshal([]byte(row.Request), &p); err != nil {
		return fmt.Errorf("read post: %w", err)
	}
	if len(p.PollOptions) == 0 {
		return nil
	}
	closes := t.now.Add(time.Duration(p.PollMinutes) * time.Minute)
	if err := t.savePoll(ctx, row, p.Text, p.PollOptions, closes); err != nil {
		return err
	}
	return t.store.q.SetPollX(ctx, t, dbsqlc.SetPollXParams{XPostID: sent.ProviderID, ClosesAt: &closes, OperationID: t.op.ID})
}

func (t *opTx) rememberTelegramPoll(ctx context.Context, row dbsqlc.Effect, sent Sent) error {
	var p effects.Poll
	if err := json.Unmarshal([]byte(row.Request), &p); err != nil {
		return fmt.Errorf("read poll: %w", err)
	}
	var ids struct {
		MessageID int64  `json:"message_id"`
		PollID    string `json:"poll_id"`
	}
	if err := json.Unmarshal(mustJSON(sent.Receipt), &ids); err != nil {
		return fmt.Errorf("read poll's receipt: %w", err)
	}
	closes := t.now.Add(time.Duration(p.Minutes) * time.Minute)
	if err := t.savePoll(ctx, row, p.Question, p.Options, closes); err != nil {
		return err
	}
	return t.store.q.SetPollTelegram(ctx, t, dbsqlc.SetPollTelegramParams{TelegramChat: p.Chat, TelegramMessageID: ids.MessageID,
		TelegramPollID: ids.PollID, ClosesAt: &closes, OperationID: t.op.ID})
}

// savePoll records the poll and holds its results' step back until every
// channel has had its full time.
func (t *opTx) savePoll(ctx context.Context, row dbsqlc.Effect, question string, options []string, closes time.Time) error {
	q := t.store.q
	if err := q.SavePoll(ctx, t, dbsqlc.SavePollParams{OperationID: t.op.ID, StepID: row.StepID, Question: question, Options: options}); err != nil {
		return fmt.Errorf("save poll: %w", err)
	}
	hold := closes.Add(time.Minute)
	if err := q.HoldStepUntil(ctx, t, dbsqlc.HoldStepUntilParams{NotBefore: &hold, OperationID: t.op.ID, Key: "designer.poll_results"}); err != nil {
		return fmt.Errorf("hold poll results: %w", err)
	}
	return nil
}

// EffectLater puts an attempt that certainly sent nothing back, for later.
func (s *Store) EffectLater(ctx context.Context, e app.Effect, cause string, notBefore, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		t.op.Reserved -= row.ReservedNusd
		return t.saveEffect(ctx, row, dbsqlc.EndEffectParams{State: app.EffectIntent, Error: cause, NotBefore: notBefore})
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
		if _, err := t.raise(ctx, "effect_unknown", e.Key, e.StepKey+": nobody can tell whether this publication went out. Look there and say so on the operation's page."); err != nil {
			return err
		}
		return t.saveEffect(ctx, row, dbsqlc.EndEffectParams{State: app.EffectUnknown, ReservedNusd: row.ReservedNusd, Error: row.Error, NotBefore: lookAt})
	})
}

// EffectFailed ends a publication that the platform refused, and its step.
func (s *Store) EffectFailed(ctx context.Context, e app.Effect, cause error, now time.Time) error {
	return s.under(ctx, e, open, now, func(t *opTx, row dbsqlc.Effect) error {
		t.op.Reserved -= row.ReservedNusd
		if err := t.endEffect(ctx, row, app.EffectFailed, cause.Error()); err != nil {
			return err
		}
		if _, err := t.raise(ctx, "publication_failed", e.Key, e.StepKey+" could not be published: "+cause.Error()); err != nil {
			return err
		}
		return t.failPublishing(ctx, row.StepID, e.StepKey, cause.Error())
	})
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
