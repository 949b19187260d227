package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// QueueWindow returns at most size waiting outputs around one, the oldest ones
// for "". Around one that waits no more, they are those around its place.
func (s *Store) QueueWindow(ctx context.Context, around string, size int) (w app.QueueWindow, err error) {
	p := dbsqlc.QueueWindowParams{Size: int64(size)}
	if around != "" {
		p.Around = &around
	}
	rows, err := s.q.QueueWindow(ctx, s.pool, p)
	if err != nil {
		return w, fmt.Errorf("read queue: %w", notFound(err, "output"))
	}
	for _, r := range rows {
		w.Items = append(w.Items, queueItem(dbsqlc.QueueOfOperationRow{ID: r.ID, Kind: r.Kind, Marks: r.Marks, DraftNo: r.DraftNo,
			FirstApprovedBy: r.FirstApprovedBy, CreatedAt: r.CreatedAt, Price: r.Price, StepKey: r.StepKey, Answers: r.Answers, Agent: r.Agent, Slug: r.Slug, Symbol: r.Symbol}))
	}
	if len(rows) > 0 {
		w.Before = rows[0].Place
		w.After = rows[0].Total - w.Before - len(rows)
	}
	return w, nil
}

func queueItem(r dbsqlc.QueueOfOperationRow) app.QueueItem {
	return app.QueueItem{ID: r.ID, OperationSlug: r.Slug, TokenSymbol: r.Symbol, StepKey: r.StepKey, To: r.Answers, Agent: r.Agent, Kind: r.Kind,
		PublishPrice: app.Nano(r.Price), Marks: r.Marks, DraftNo: r.DraftNo, FirstApprovedBy: r.FirstApprovedBy, CreatedAt: r.CreatedAt.UTC()}
}

// QueueCount returns how many outputs wait for a person.
func (s *Store) QueueCount(ctx context.Context) (int, error) {
	n, err := s.q.QueueCount(ctx, s.pool)
	if err != nil {
		return 0, fmt.Errorf("count waiting outputs: %w", err)
	}
	return n, nil
}

// WaitingOf returns an operation's waiting outputs, oldest first.
func (s *Store) WaitingOf(ctx context.Context, operationID int64) ([]app.QueueItem, error) {
	rows, err := s.q.QueueOfOperation(ctx, s.pool, operationID)
	if err != nil {
		return nil, fmt.Errorf("list waiting outputs: %w", err)
	}
	out := make([]app.QueueItem, len(rows))
	for i, r := range rows {
		out[i] = queueItem(r)
	}
	return out, nil
}

// WaitingFor says how many outputs of an operation wait, and since when.
func (s *Store) WaitingFor(ctx context.Context, operationID int64) (app.Waiting, error) {
	row, err := s.q.WaitingCount(ctx, s.pool, operationID)
	if err != nil {
		return app.Waiting{}, fmt.Errorf("count waiting outputs: %w", err)
	}
	return app.Waiting{Count: row.Waiting, Oldest: instant(row.Oldest)}, nil
}

// Batches returns how many waiting outputs of each kind can be approved together.
func (s *Store) Batches(ctx context.Context) (map[app.ValidationKind]int, error) {
	rows, err := s.q.Batches(ctx, s.pool)
	if err != nil {
		return nil, fmt.Errorf("count outputs that can be approved together: %w", err)
	}
	out := make(map[app.ValidationKind]int, len(rows))
	for _, r := range rows {
		if !alone(r.Kind) {
			out[r.Kind] = r.Count
		}
	}
	return out, nil
}

// Batch returns the oldest waiting outputs of a kind that can be approved
// together, whole.
func (s *Store) Batch(ctx context.Context, kind app.ValidationKind, limit int) ([]app.Validation, error) {
	if alone(kind) {
		return nil, nil
	}
	ids, err := s.q.BatchIDs(ctx, s.pool, dbsqlc.BatchIDsParams{Kind: kind, Most: int32(limit)})
	return s.validations(ctx, ids, err)
}

// Undoable returns the decisions that can still be taken back, the newest first.
func (s *Store) Undoable(ctx context.Context, now time.Time) ([]app.Validation, error) {
	ids, err := s.q.UndoableIDs(ctx, s.pool, now)
	return s.validations(ctx, ids, err)
}
