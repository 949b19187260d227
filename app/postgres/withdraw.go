package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// WithdrawDecision takes a decision back before anything followed from it: the
// draft waits anew. Whoever approved first where two must still has, unless it
// is they who take it back.
func (s *Store) WithdrawDecision(ctx context.Context, id string, by app.User, now time.Time) (v app.Validation, err error) {
	operationID, err := s.q.ValidationOperation(ctx, s.pool, id)
	if err != nil {
		return v, notFound(err, "output")
	}
	err = s.inOperation(ctx, operationID, now, func(t *opTx) error {
		before, err := t.validation(ctx, id)
		if err != nil {
			return err
		}
		if err := withdrawable(before, by, t.now); err != nil {
			return err
		}
		p := dbsqlc.WithdrawDecisionParams{ID: id}
		if before.FirstApprovedBy != by.Name {
			p.FirstApprovedBy, p.FirstApprovedAt = before.FirstApprovedBy, before.FirstApprovedAt
		}
		if err := saved(s.q.WithdrawDecision(ctx, t, p)); err != nil {
			return err
		}
		if v, err = t.validation(ctx, id); err != nil {
			return err
		}
		return s.audit(ctx, t, by.Name, "validation.withdrawn", subject(v), now,
			map[string]any{"state": before.State, "decided_by": before.DecidedBy, "decided_at": before.DecidedAt, "reason": before.Reason, "payload_sha256": before.PayloadSHA256},
			map[string]any{"state": v.State})
	})
	return v, err
}

// subject names an output in the audit.
func subject(v app.Validation) string {
	return fmt.Sprintf("%s %s %s", v.OperationSlug, v.StepKey, v.ID)
}

func withdrawable(v app.Validation, by app.User, now time.Time) error {
	switch {
	case v.State == app.ValidationPending:
		return app.Errorf(app.Conflict, "There is no decision to take back: this output waits.")
	case v.State == app.ValidationVoid:
		return waits(v)
	case !v.Undoable(now):
		return app.Errorf(app.Conflict, "It was %s by %s at %s, and that can no longer be undone.", v.State, v.DecidedBy, moment(v.DecidedAt))
	case by.Name != v.DecidedBy && by.Role != app.RoleAdmin:
		return app.Errorf(app.Denied, "%s decided this. Only they or an admin can undo it.", v.DecidedBy)
	}
	return nil
}
