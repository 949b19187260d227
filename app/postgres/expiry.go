package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// expiriesAtOnce bounds what one look at expired approvals takes on; the next
// look goes on with the rest.
const expiriesAtOnce = 200

// ExpireApprovals withdraws the approvals that were not published in time, also
// of paused operations: what they are for waits for a decision again.
func (s *Store) ExpireApprovals(ctx context.Context, now time.Time) error {
	settings, err := s.Settings(ctx)
	if err != nil {
		return err
	}
	rows, err := s.q.ExpiredApprovals(ctx, s.pool, dbsqlc.ExpiredApprovalsParams{Before: now.Add(-settings.ApprovalExpires), Most: expiriesAtOnce})
	if err != nil {
		return fmt.Errorf("list expired approvals: %w", err)
	}
	var faults []error
	for _, r := range rows {
		if err := s.expireApproval(ctx, r.OperationID, r.ID, now); err != nil && !errors.Is(err, errNothing) {
			faults = append(faults, fmt.Errorf("expire approval %s: %w", r.ID, err))
		}
	}
	return errors.Join(faults...)
}

func (s *Store) expireApproval(ctx context.Context, operationID int64, id string, now time.Time) error {
	return s.inOperation(ctx, operationID, now, func(t *opTx) error {
		v, err := t.validation(ctx, id) // again, now that the operation is locked
		if err != nil {
			return err
		}
		lapsed, err := t.lapsed(ctx, v)
		if err != nil {
			return err
		}
		if !lapsed || v.State != app.ValidationApproved {
			return errNothing
		}
		return t.expire(ctx, v)
	})
}

// lapsed tells whether v was not published in time. What is out in part, or may
// be, is: the rest of it goes on.
func (t *opTx) lapsed(ctx context.Context, v app.Validation) (bool, error) {
	expired, err := t.expired(ctx, v)
	if err != nil || !expired {
		return false, err
	}
	out, err := t.outOf(ctx, v.ID)
	return len(out) == 0, err
}

// expired tells whether the approval of v has run out.
func (t *opTx) expired(ctx context.Context, v app.Validation) (bool, error) {
	settings, err := t.settings(ctx)
	if err != nil {
		return false, err
	}
	return v.DecidedAt == nil || !t.now.Before(v.DecidedAt.Add(settings.ApprovalExpires)), nil
}

func (t *opTx) expire(ctx context.Context, v app.Validation) error {
	changes, err := t.changes(ctx, v)
	if err != nil {
		return err
	}
	approved := "It was approved by " + v.DecidedBy
	if v.DecidedAt != nil {
		approved += " at " + v.DecidedAt.UTC().Format("2006-01-02 15:04 UTC")
	}
	_, err = t.requeue(ctx, v, "approval_expired", "it was not published in time", append([]string{approved + " and not published in time."}, changes...))
	return err
}
