package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// WithdrawDecision takes the decision that c names back before anything followed
// from it: the draft waits anew. Whoever approved first where two must still
// has, unless it is they who take it back, which they may also do before anyone
// has decided.
func (s *Store) WithdrawDecision(ctx context.Context, c app.Choice, by app.User, now time.Time) (v app.Validation, err error) {
	operationID, err := s.q.ValidationOperation(ctx, s.pool, c.ID)
	if err != nil {
		return v, notFound(err, "output")
	}
	err = s.inOperation(ctx, operationID, now, func(t *opTx) error {
		before, err := t.validation(ctx, c.ID)
		if err != nil {
			return err
		}
		if err := withdrawable(before, c, by, t.now); err != nil {
			return err
		}
		if err := t.withdraw(ctx, before, by); err != nil {
			return err
		}
		if v, err = t.validation(ctx, c.ID); err != nil {
			return err
		}
		return s.audit(ctx, t, by.Name, "validation.withdrawn", subject(v), now,
			map[string]any{"state": before.State, "decided_by": before.DecidedBy, "decided_at": before.DecidedAt, "reason": before.Reason, "payload_sha256": before.PayloadSHA256, "first_approved_by": before.FirstApprovedBy},
			map[string]any{"state": v.State, "first_approved_by": v.FirstApprovedBy})
	})
	return v, err
}

func (t *opTx) withdraw(ctx context.Context, before app.Validation, by app.User) error {
	if before.State == app.ValidationPending {
		return saved(t.store.q.WithdrawFirstApproval(ctx, t, before.ID))
	}
	p := dbsqlc.WithdrawDecisionParams{ID: before.ID}
	if before.FirstApprovedBy != by.Name {
		p.FirstApprovedBy, p.FirstApprovedAt = before.FirstApprovedBy, before.FirstApprovedAt
	}
	return saved(t.store.q.WithdrawDecision(ctx, t, p))
}

// subject names an output in the audit.
func subject(v app.Validation) string {
	return fmt.Sprintf("%s %s %s", v.OperationSlug, v.StepKey, v.ID)
}

func withdrawable(v app.Validation, c app.Choice, by app.User, now time.Time) error {
	first := v.State == app.ValidationPending && v.FirstApprovedBy == by.Name
	switch {
	case v.State == app.ValidationPending && !first:
		return app.Errorf(app.Conflict, "There is no decision to take back: this output waits.")
	case v.State == app.ValidationVoid:
		return waits(v)
	case !first && !v.Undoable(now):
		return app.Errorf(app.Conflict, "It was %s by %s at %s, and that can no longer be undone.", v.State, v.DecidedBy, moment(v.DecidedAt))
	case v.Nonce != c.Nonce:
		return anotherDecision(v, first)
	case !first && by.Name != v.DecidedBy && by.Role != app.RoleAdmin:
		return app.Errorf(app.Denied, "%s decided this. Only they or an admin can undo it.", v.DecidedBy)
	}
	return nil
}

// anotherDecision says what there is instead of the decision that a form names.
func anotherDecision(v app.Validation, first bool) error {
	if first {
		return approvedFirst(v)
	}
	return app.Errorf(app.Conflict, "The decision that you wanted to take back is gone. Since then it was %s by %s at %s, and still is.", v.State, v.DecidedBy, moment(v.DecidedAt))
}
