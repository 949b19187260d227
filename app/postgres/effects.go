package postgres

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

func effectOfRow(e dbsqlc.Effect, slug, stepKey string) app.Effect {
	var media []app.Upload
	_ = json.Unmarshal(e.Media, &media) // what can't be read is uploaded again
	return app.Effect{ID: e.ID, Key: e.EffectKey, ValidationID: e.ValidationID, OperationID: e.OperationID, OperationSlug: slug,
		StepID: e.StepID, StepKey: stepKey, Position: e.Position, Kind: e.Kind, Request: json.RawMessage(e.Request),
		RequestSHA256: hex.EncodeToString(e.RequestSha256), State: e.State, NotBefore: e.NotBefore.UTC(), Attempt: e.Attempt, Fence: e.Fence,
		ProviderID: e.ProviderID, Receipt: e.Receipt, Price: e.PriceNusd, Cost: e.CostNusd, Error: e.Error, DoneAt: e.DoneAt, AttemptedAt: e.AttemptedAt,
		Media: media, Charged: e.ChargedNusd}
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
		out[i] = app.EffectStatus{Effect: effectOfRow(r.Effect, r.Slug, r.StepKey), ValidationKind: r.ValidationKind, Link: r.Effect.Link,
			Approval: r.Approval, ApprovedAt: r.ApprovedAt}
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
		if err := t.keepMedia(ctx, &row, e); err != nil {
			return err
		}
		return fn(t, row)
	})
}

// keepMedia keeps what the attempt of e has given to X, and what that costs.
func (t *opTx) keepMedia(ctx context.Context, row *dbsqlc.Effect, e app.Effect) error {
	media := mustJSON(append([]app.Upload{}, e.Media...))
	if row.State != app.EffectAttempting || e.Charged == row.ChargedNusd && len(e.Media) == 0 && string(row.Media) == string(media) {
		return nil
	}
	row.Media, row.ChargedNusd = media, e.Charged
	err := t.store.q.KeepMedia(ctx, t, dbsqlc.KeepMediaParams{Media: row.Media, ChargedNusd: row.ChargedNusd, ID: row.ID})
	if err != nil {
		return fmt.Errorf("keep the pictures that X has: %w", err)
	}
	return nil
}

// unsent gives back what an attempt that published nothing has held. What X has
// charged for its pictures is paid.
func (t *opTx) unsent(ctx context.Context, row *dbsqlc.Effect, stepKey string) error {
	charged := row.ChargedNusd
	if charged == 0 {
		t.op.Reserved -= row.ReservedNusd
		return nil
	}
	row.CostNusd += charged
	t.add(app.EventLine{Kind: "publication", Agent: "system", Step: stepKey, Summary: "Described pictures on X; their post is not out",
		Cost: charged, CostSource: string(app.CostPriceList), Model: "x"})
	if err := t.book(ctx, row.ReservedNusd, charged); err != nil {
		return err
	}
	st, err := t.store.q.Step(ctx, t, row.StepID)
	if err != nil {
		return notFound(err, "step")
	}
	return t.spendShare(ctx, st.Agent, charged)
}

var open = []app.EffectState{app.EffectAttempting, app.EffectUnknown}

func (t *opTx) endEffect(ctx context.Context, e dbsqlc.Effect, state app.EffectState, message string) error {
	return t.saveEffect(ctx, e, dbsqlc.EndEffectParams{State: state, Error: message})
}

func (t *opTx) saveEffect(ctx context.Context, e dbsqlc.Effect, p dbsqlc.EndEffectParams) error {
	p.ID, p.Error = e.ID, plain(p.Error)
	p.CostNusd += e.CostNusd
	if p.State == app.EffectUnknown {
		p.ChargedNusd = e.ChargedNusd
	}
	if p.State == app.EffectIntent && t.op.State.Final() {
		p.State = app.EffectVoid // what has ended publishes nothing more
	}
	if p.DoubtedAt = e.DoubtedAt; p.State == app.EffectUnknown && p.DoubtedAt == nil {
		p.DoubtedAt = e.AttemptedAt
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
