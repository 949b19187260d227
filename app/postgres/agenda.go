package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// RaiseOverdue raises one alert per output that has waited since before.
func (s *Store) RaiseOverdue(ctx context.Context, before, now time.Time) error {
	rows, err := s.q.OverdueValidations(ctx, s.pool, before)
	if err != nil {
		return fmt.Errorf("list overdue outputs: %w", err)
	}
	for _, r := range rows {
		v, err := s.Validation(ctx, r.ID)
		if err != nil {
			return err
		}
		if err := s.RaiseAlert(ctx, r.OperationID, "validation_overdue", r.ID, v.StepKey+" has waited for a decision since "+v.CreatedAt.Format("2006-01-02 15:04 UTC")+".", now); err != nil {
			return err
		}
	}
	return nil
}

// NextInstant returns the next time at which something falls due: a step, a
// publication, a decision that can no longer be undone, an approval that ends
// unused, an output that has waited too long. Nil when nothing is ahead.
func (s *Store) NextInstant(ctx context.Context, now time.Time) (*time.Time, error) {
	settings, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var next *time.Time
	for _, ahead := range []struct {
		what  string
		after time.Duration // that the query's instant comes
		query func(context.Context, dbsqlc.DBTX, time.Time) (time.Time, error)
	}{
		{"step", 0, s.q.NextStepInstant},
		{"publication", 0, s.q.NextEffectInstant},
		{"decision", 0, s.q.NextDecisionInstant},
		{"approval that ends", settings.ApprovalExpires, s.q.NextExpiringApproval},
		{"overdue output", settings.OverdueAfter, s.q.NextOverdueInstant},
	} {
		found, err := ahead.query(ctx, s.pool, now.Add(-ahead.after))
		if err != nil {
			return nil, fmt.Errorf("look for the next %s: %w", ahead.what, err)
		}
		if at := instant(found); at != nil && (next == nil || at.Add(ahead.after).Before(*next)) {
			at := at.Add(ahead.after)
			next = &at
		}
	}
	return next, nil
}

// NextDecision returns the first time after one at which a decision can no
// longer be undone. Nil when none is.
func (s *Store) NextDecision(ctx context.Context, after time.Time) (*time.Time, error) {
	at, err := s.q.NextDecisionInstant(ctx, s.pool, after)
	if err != nil {
		return nil, fmt.Errorf("look for the next decision: %w", err)
	}
	return instant(at), nil
}

// Busy tells whether a worker has something in hand at now, or could.
func (s *Store) Busy(ctx context.Context, now time.Time) (bool, error) {
	busy, err := s.q.Busy(ctx, s.pool, now)
	if err != nil {
		return false, fmt.Errorf("look for work in hand: %w", err)
	}
	if busy {
		return true, nil
	}
	ids, err := s.q.LogsWithoutHead(ctx, s.pool, now.UTC().Truncate(24*time.Hour))
	if err != nil {
		return false, fmt.Errorf("list logs without a head: %w", err)
	}
	return len(ids) > 0, nil
}

// Counts sums up an operation for its rehearsal's or its team's report.
type Counts struct {
	Validations  map[app.ValidationState]int
	Publications map[string]int
}

// Counts returns how an operation's outputs were decided and sent.
func (s *Store) Counts(ctx context.Context, operationID int64) (Counts, error) {
	c := Counts{map[app.ValidationState]int{}, map[string]int{}}
	decided, err := s.q.ValidationCounts(ctx, s.pool, operationID)
	if err != nil {
		return c, fmt.Errorf("count outputs: %w", err)
	}
	for _, r := range decided {
		c.Validations[r.State] = r.Count
	}
	sent, err := s.q.PublicationCounts(ctx, s.pool, operationID)
	if err != nil {
		return c, fmt.Errorf("count publications: %w", err)
	}
	for _, r := range sent {
		c.Publications[r.Kind] = r.Count
	}
	return c, nil
}
