package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// raise puts an alert up once per kind and subject, and tells whether it is new.
func (t *opTx) raise(ctx context.Context, kind, subject, message string) (bool, error) {
	return t.store.raise(ctx, t, t.op.ID, kind, subject, message, t.now)
}

func (s *Store) raise(ctx context.Context, db dbsqlc.DBTX, operationID int64, kind, subject, message string, now time.Time) (bool, error) {
	n, err := s.q.RaiseAlert(ctx, db, dbsqlc.RaiseAlertParams{OperationID: operationID, Kind: kind, Subject: plain(subject), Message: plain(message),
		CreatedAt: now, Channels: s.AlertChannels})
	if err != nil {
		return false, fmt.Errorf("raise alert: %w", err)
	}
	return n == 1, nil
}

// RaiseAlert puts an alert up once per operation, kind and subject.
func (s *Store) RaiseAlert(ctx context.Context, operationID int64, kind, subject, message string, now time.Time) error {
	return s.inOperation(ctx, operationID, now, func(t *opTx) error {
		_, err := t.raise(ctx, kind, subject, message)
		return err
	})
}

// Alerts returns the open alerts, newest first.
func (s *Store) Alerts(ctx context.Context) ([]app.Alert, error) {
	page, err := s.AlertPage(ctx, app.AlertFilter{Limit: 10_000})
	return page.Items, err
}

// AlertPage returns the alerts that the filter leaves.
func (s *Store) AlertPage(ctx context.Context, f app.AlertFilter) (app.AlertPage, error) {
	rows, err := s.q.Alerts(ctx, s.pool, dbsqlc.AlertsParams{Acknowledged: f.Acknowledged, Operation: f.Operation, Kind: f.Kind, Before: f.Before, Most: int32(f.Limit) + 1})
	if err != nil {
		return app.AlertPage{}, fmt.Errorf("read alerts: %w", err)
	}
	page := app.AlertPage{More: len(rows) > f.Limit}
	for _, r := range rows[:min(len(rows), f.Limit)] {
		page.Items = append(page.Items, alertOf(r.Alert, r.Slug))
	}
	return page, nil
}

func alertOf(a dbsqlc.Alert, slug string) app.Alert {
	return app.Alert{ID: a.ID, OperationID: a.OperationID, OperationSlug: slug, Kind: a.Kind, Subject: a.Subject, Message: a.Message,
		CreatedAt: a.CreatedAt.UTC(), AcknowledgedAt: a.AcknowledgedAt, AcknowledgedBy: a.AcknowledgedBy}
}

// AlertGroups counts the open alerts by operation and kind, the newest first.
func (s *Store) AlertGroups(ctx context.Context) ([]app.AlertGroup, error) {
	rows, err := s.q.AlertGroups(ctx, s.pool)
	if err != nil {
		return nil, fmt.Errorf("count alerts: %w", err)
	}
	out := make([]app.AlertGroup, len(rows))
	for i, r := range rows {
		out[i] = app.AlertGroup{Operation: r.Slug, Kind: r.Kind, Count: r.Count, Newest: r.Newest, At: r.At.UTC()}
	}
	return out, nil
}

// AcknowledgeAlert takes an alert off the list.
func (s *Store) AcknowledgeAlert(ctx context.Context, id int64, by app.User, now time.Time) error {
	return s.audited(ctx, by.Name, "alert.acknowledge", fmt.Sprint(id), now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		n, err := s.q.AcknowledgeAlert(ctx, tx, dbsqlc.AcknowledgeAlertParams{ID: id, At: &now, By: by.Name})
		if err != nil {
			return nil, nil, fmt.Errorf("acknowledge alert: %w", err)
		}
		a, err := s.q.Alert(ctx, tx, id)
		switch {
		case err != nil:
			return nil, nil, notFound(err, "alert")
		case n == 0:
			return nil, nil, app.Errorf(app.Conflict, "%s acknowledged this alert on %s. Nothing was changed.", a.AcknowledgedBy, a.AcknowledgedAt.UTC().Format("2 Jan 2006 at 15:04 UTC"))
		}
		return map[string]any{"kind": a.Kind, "message": a.Message}, map[string]any{"acknowledged_by": by.Name}, nil
	})
}

// AcknowledgeAlerts takes the alerts of one kind in one operation off the list,
// up to the one with that number, and returns how many.
func (s *Store) AcknowledgeAlerts(ctx context.Context, operation, kind string, upTo int64, by app.User, now time.Time) (int, error) {
	var n int64
	err := s.audited(ctx, by.Name, "alert.acknowledge_all", operation+" "+kind, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		n, err = s.q.AcknowledgeAlerts(ctx, tx, dbsqlc.AcknowledgeAlertsParams{Operation: operation, Kind: kind, UpTo: upTo, At: &now, By: by.Name})
		if err == nil && n == 0 {
			err = app.Errorf(app.Conflict, "Somebody acknowledged these alerts before you. Nothing was changed.")
		}
		return map[string]any{"open": n, "newest": upTo}, map[string]any{"acknowledged": n}, err
	})
	return int(n), err
}

// EffectsInDoubt are the publications of all operations of which nobody can
// tell whether they went out, the oldest first.
func (s *Store) EffectsInDoubt(ctx context.Context) ([]app.EffectStatus, error) {
	rows, err := s.q.EffectsInDoubt(ctx, s.pool)
	if err != nil {
		return nil, fmt.Errorf("list effects in doubt: %w", err)
	}
	out := make([]app.EffectStatus, len(rows))
	for i, r := range rows {
		out[i] = app.EffectStatus{Effect: effectOfRow(r.Effect, r.Slug, r.StepKey), ValidationKind: r.ValidationKind}
	}
	return out, nil
}
