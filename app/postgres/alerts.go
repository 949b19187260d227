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
	n, err := t.store.q.RaiseAlert(ctx, t, dbsqlc.RaiseAlertParams{
		OperationID: t.op.ID, Kind: kind, Subject: plain(subject), Message: plain(message), CreatedAt: t.now})
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
	rows, err := s.q.OpenAlerts(ctx, s.pool)
	if err != nil {
		return nil, fmt.Errorf("read alerts: %w", err)
	}
	out := make([]app.Alert, len(rows))
	for i, r := range rows {
		out[i] = app.Alert{ID: r.Alert.ID, OperationID: r.Alert.OperationID, OperationSlug: r.Slug, Kind: r.Alert.Kind,
			Subject: r.Alert.Subject, Message: r.Alert.Message, CreatedAt: r.Alert.CreatedAt.UTC()}
	}
	return out, nil
}

// AcknowledgeAlert takes an alert off the list.
func (s *Store) AcknowledgeAlert(ctx context.Context, id int64, by app.User, now time.Time) error {
	return s.audited(ctx, by.Name, "alert.acknowledge", fmt.Sprint(id), now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		n, err := s.q.AcknowledgeAlert(ctx, tx, dbsqlc.AcknowledgeAlertParams{ID: id, At: &now, By: by.Name})
		if err == nil && n == 0 {
			err = app.Errorf(app.Conflict, "This alert was already acknowledged.")
		}
		return nil, nil, err
	})
}
