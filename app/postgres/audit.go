package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// audited runs fn and writes its audit row in one transaction.
func (s *Store) audited(ctx context.Context, user, action, subject string, now time.Time, fn func(dbsqlc.DBTX) (before, after any, err error)) error {
	return s.again(ctx, func(tx pgx.Tx) error {
		before, after, err := fn(tx)
		if err != nil {
			return err
		}
		return s.audit(ctx, tx, user, action, subject, now, before, after)
	})
}

func (s *Store) audit(ctx context.Context, tx dbsqlc.DBTX, user, action, subject string, now time.Time, before, after any) error {
	b, err := json.Marshal(before)
	if err != nil {
		return fmt.Errorf("audit %s: %w", action, err)
	}
	a, err := json.Marshal(after)
	if err != nil {
		return fmt.Errorf("audit %s: %w", action, err)
	}
	if err := s.q.AddAudit(ctx, tx, dbsqlc.AddAuditParams{At: now, UserName: user, Action: action, Subject: subject, Before: b, After: a}); err != nil {
		return fmt.Errorf("audit %s: %w", action, err)
	}
	return nil
}

// Audit returns the newest admin changes.
func (s *Store) Audit(ctx context.Context, limit int) ([]app.AuditRow, error) {
	return s.AuditBefore(ctx, math.MaxInt64, limit)
}

// AuditBefore returns the newest of those before one.
func (s *Store) AuditBefore(ctx context.Context, before int64, limit int) ([]app.AuditRow, error) {
	rows, err := s.q.Audit(ctx, s.pool, dbsqlc.AuditParams{Before: before, Most: int32(limit)})
	if err != nil {
		return nil, fmt.Errorf("read audit: %w", err)
	}
	out := make([]app.AuditRow, len(rows))
	for i, r := range rows {
		out[i] = app.AuditRow{ID: r.ID, At: r.At.UTC(), User: r.UserName, Action: r.Action, Subject: r.Subject, Before: r.Before, After: r.After}
	}
	return out, nil
}
