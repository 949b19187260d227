package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"

	"github.com/jackc/pgx/v5"
)

// CreateOperation stores a takeover with its expanded calendar.
func (s *Store) CreateOperation(ctx context.Context, in app.NewOperation, siteHost string, steps []app.Step, by app.User, now time.Time) (app.Operation, error) {
	var id int64
	err := s.tx(ctx, func(tx pgx.Tx) (err error) {
		tokenID, err := s.q.SaveToken(ctx, tx, dbsqlc.SaveTokenParams{ChainID: in.Token.Ref.ChainID, Address: in.Token.Ref.Address[:],
			Name: in.Token.Name, Symbol: in.Token.Symbol, Decimals: in.Token.Decimals, CreatedAt: now})
		if err != nil {
			return fmt.Errorf("save token: %w", err)
		}
		id, err = s.q.CreateOperation(ctx, tx, dbsqlc.CreateOperationParams{TokenID: tokenID, Slug: in.Slug, J0: in.J0, CapNusd: in.Cap,
			EnvelopeNusd: in.Envelope, XHandle: in.XHandle, TelegramChat: in.TelegramChat, SiteHost: siteHost, CreatedAt: now})
		if isConstraint(err, "operations_one_open_per_token") {
			return app.Errorf(app.Conflict, "This token already has a takeover under way.")
		}
		if isConstraint(err, "operations_slug_key") || isConstraint(err, "operations_site_host") {
			return app.Errorf(app.Conflict, "The name %q was taken just now. Try again.", in.Slug)
		}
		if err != nil {
			return fmt.Errorf("save operation: %w", err)
		}
		if err := s.createSteps(ctx, tx, id, steps); err != nil {
			return err
		}
		return s.audit(ctx, tx, by.Name, "operation.create", in.Slug, now, nil, in)
	})
	if err != nil {
		return app.Operation{}, err
	}
	err = s.inOperation(ctx, id, now, func(t *opTx) error {
		t.add(app.EventLine{Kind: "operation", Agent: "system", Summary: fmt.Sprintf("Takeover planned: %d steps, starting %s, cap %s",
			len(steps), in.J0.UTC().Format("2006-01-02 15:04 UTC"), in.Cap)})
		return nil
	})
	if err != nil {
		return app.Operation{}, err
	}
	return s.Operation(ctx, id)
}

func (s *Store) createSteps(ctx context.Context, tx pgx.Tx, id int64, steps []app.Step) error {
	p := dbsqlc.CreateStepsParams{OperationID: id}
	for _, st := range steps {
		p.Keys, p.Tasks, p.Agents = append(p.Keys, st.Key), append(p.Tasks, st.Task), append(p.Agents, st.Agent)
		p.DueAts = append(p.DueAts, st.DueAt)
		p.DependsOn, p.Afters = append(p.DependsOn, strings.Join(st.DependsOn, " ")), append(p.Afters, strings.Join(st.After, " "))
		p.Validates, p.Recurrings = append(p.Validates, st.Validates), append(p.Recurrings, st.Recurring)
	}
	if err := s.q.CreateSteps(ctx, tx, p); err != nil {
		return fmt.Errorf("save steps: %w", err)
	}
	return nil
}

// FreeSlug returns want, or want-2, want-3… when it is taken.
func (s *Store) FreeSlug(ctx context.Context, want string) (string, error) {
	for n := 1; n < 1000; n++ {
		slug := want
		if n > 1 {
			slug = fmt.Sprintf("%s-%d", want, n)
		}
		taken, err := s.q.SlugTaken(ctx, s.pool, slug)
		if err != nil {
			return "", fmt.Errorf("look for a free name: %w", err)
		}
		if !taken {
			return slug, nil
		}
	}
	return "", app.Errorf(app.Conflict, "Every name like %q is taken.", want)
}

// Operation returns one operation.
func (s *Store) Operation(ctx context.Context, id int64) (app.Operation, error) {
	row, err := s.q.Operation(ctx, s.pool, id)
	if err != nil {
		return app.Operation{}, notFound(err, "operation")
	}
	return operationOf(row.Operation, row.Token), nil
}

// OperationBySlug returns one operation by its public name.
func (s *Store) OperationBySlug(ctx context.Context, slug string) (app.Operation, error) {
	row, err := s.q.OperationBySlug(ctx, s.pool, slug)
	if err != nil {
		return app.Operation{}, notFound(err, "operation")
	}
	return operationOf(row.Operation, row.Token), nil
}

// Operations returns all of them, open ones first, newest first.
func (s *Store) Operations(ctx context.Context) ([]app.OperationSummary, error) {
	rows, err := s.q.OperationSummaries(ctx, s.pool)
	if err != nil {
		return nil, fmt.Errorf("list operations: %w", err)
	}
	out := make([]app.OperationSummary, len(rows))
	for i, r := range rows {
		out[i] = app.OperationSummary{Operation: operationOf(r.Operation, r.Token), LastSummary: r.LastSummary,
			LastAt: r.LastAt, Waiting: r.Waiting, Verdict: r.Verdict}
	}
	return out, nil
}

// BeginOperation turns a scheduled operation whose J0 has come into a running one.
func (s *Store) BeginOperation(ctx context.Context, id int64, now time.Time) error {
	return s.inOperation(ctx, id, now, func(t *opTx) error {
		if t.op.State != app.OperationScheduled || t.op.J0.After(now) {
			return nil
		}
		t.op.State = app.OperationRunning
		t.add(app.EventLine{Kind: "operation", Agent: "system", Summary: "The takeover has started"})
		return nil
	})
}

// ScheduledDue returns the operations whose J0 has come.
func (s *Store) ScheduledDue(ctx context.Context, now time.Time) ([]int64, error) {
	ids, err := s.q.ScheduledDue(ctx, s.pool, now)
	if err != nil {
		return nil, fmt.Errorf("list scheduled operations: %w", err)
	}
	return ids, nil
}

// PauseOperation starts nothing new and publishes nothing until it is resumed.
func (s *Store) PauseOperation(ctx context.Context, slug string, by app.User, now time.Time) error {
	return s.steer(ctx, slug, "operation.pause", by, now, func(t *opTx) error {
		t.add(app.EventLine{Kind: "operation", Agent: "team", Summary: "Paused by the team"})
		return t.op.Pause()
	})
}

// ResumeOperation lets due steps start again.
func (s *Store) ResumeOperation(ctx context.Context, slug string, by app.User, now time.Time) error {
	return s.steer(ctx, slug, "operation.resume", by, now, func(t *opTx) error {
		t.add(app.EventLine{Kind: "operation", Agent: "team", Summary: "Resumed by the team"})
		return t.op.Resume(now)
	})
}

// StopOperation ends an operation for good.
func (s *Store) StopOperation(ctx context.Context, slug, reason string, by app.User, now time.Time) error {
	return s.steer(ctx, slug, "operation.stop", by, now, func(t *opTx) error { return t.stop(ctx, reason) })
}

func (s *Store) steer(ctx context.Context, slug, action string, by app.User, now time.Time, fn func(*opTx) error) error {
	op, err := s.OperationBySlug(ctx, slug)
	if err != nil {
		return err
	}
	return s.inOperation(ctx, op.ID, now, func(t *opTx) error {
		before := map[string]any{"state": t.op.State}
		if err := fn(t); err != nil {
			return err
		}
		return s.audit(ctx, t, by.Name, action, slug, now, before, map[string]any{"state": t.op.State, "reason": t.op.StopReason})
	})
}

// stop ends the operation: open steps are cancelled, what waited is void, what
// was approved and not yet begun is never sent. Money held by runs in flight
// counts as spent, since their answers can't be told from lost ones.
func (t *opTx) stop(ctx context.Context, reason string) error {
	if err := t.op.Stop(reason); err != nil {
		return err
	}
	if err := t.closeOpen(ctx, "stopped"); err != nil {
		return err
	}
	t.add(app.EventLine{Kind: "operation", Agent: "team", Summary: "Stopped: " + reason})
	return nil
}

// closeOpen leaves nothing open in an operation that has ended.
func (t *opTx) closeOpen(ctx context.Context, how string) error {
	q := t.store.q
	if err := q.CancelOpenSteps(ctx, t, dbsqlc.CancelOpenStepsParams{Now: &t.now, OperationID: t.op.ID}); err != nil {
		return fmt.Errorf("cancel steps: %w", err)
	}
	if err := q.VoidOpenOfOperation(ctx, t, dbsqlc.VoidOpenOfOperationParams{Reason: "the operation was " + how, OperationID: t.op.ID}); err != nil {
		return fmt.Errorf("void validations: %w", err)
	}
	if err := q.VoidEffectsOfOperation(ctx, t, t.op.ID); err != nil {
		return fmt.Errorf("void effects: %w", err)
	}
	open, err := q.OpenCallsOfOperation(ctx, t, t.op.ID)
	if err != nil {
		return fmt.Errorf("list open calls: %w", err)
	}
	for _, id := range open {
		if err := t.loseCall(ctx, id, "the operation was "+how+" while the call was under way"); err != nil {
			return err
		}
	}
	if err := q.EndRunsOfOperation(ctx, t, dbsqlc.EndRunsOfOperationParams{Error: "operation " + how, FinishedAt: &t.now, OperationID: t.op.ID}); err != nil {
		return fmt.Errorf("end runs: %w", err)
	}
	return nil
}
