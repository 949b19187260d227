package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// ApproveValidation approves exactly what the person saw. Where two people
// must, the first one's approval leaves it waiting for another's. receipts are
// what became of a dossier's forms, nil for all else.
func (s *Store) ApproveValidation(ctx context.Context, c app.Choice, by app.User, receipts []app.Receipt, now time.Time) (app.Validation, error) {
	return s.decide(ctx, c, by, now, func(t *opTx, v app.Validation) error {
		return t.approveBy(ctx, v, by, receipts)
	})
}

// RejectValidation sends a draft back with a reason that the next run reads.
func (s *Store) RejectValidation(ctx context.Context, c app.Choice, by app.User, reason string, now time.Time) (app.Validation, error) {
	if reason == "" {
		return app.Validation{}, app.Errorf(app.Invalid, "Say what is wrong: the next draft is written from it.")
	}
	return s.decide(ctx, c, by, now, func(t *opTx, v app.Validation) error {
		return t.decided(ctx, v, dbsqlc.DecideValidationParams{State: app.ValidationRejected, DecidedBy: by.Name, Reason: plain(reason)})
	})
}

// instead is what a person is told whose decision was not taken, because of
// something that was: that is kept.
type instead struct{ error }

// decide runs one decision: the first one wins, everyone else learns of it.
func (s *Store) decide(ctx context.Context, c app.Choice, by app.User, now time.Time, fn func(*opTx, app.Validation) error) (v app.Validation, err error) {
	operationID, err := s.q.ValidationOperation(ctx, s.pool, c.ID)
	if err != nil {
		return v, notFound(err, "output")
	}
	var told instead
	err = s.inOperation(ctx, operationID, now, func(t *opTx) (err error) {
		if v, err = t.decide(ctx, c, by, fn); errors.As(err, &told) {
			return nil
		}
		return err
	})
	if err == nil {
		err = told.error
	}
	return v, err
}

func (t *opTx) decide(ctx context.Context, c app.Choice, by app.User, fn func(*opTx, app.Validation) error) (app.Validation, error) {
	before, err := t.decidable(ctx, c, by)
	if err != nil {
		return before, err
	}
	if err := fn(t, before); err != nil {
		return before, err
	}
	v, err := t.validation(ctx, c.ID)
	if err != nil {
		return v, err
	}
	return v, t.auditDecision(ctx, by, before, v)
}

// decidable returns the draft when it waits for a decision and is what c says.
func (t *opTx) decidable(ctx context.Context, c app.Choice, by app.User) (app.Validation, error) {
	v, err := t.validation(ctx, c.ID)
	if err != nil {
		return v, err
	}
	if err := waits(v); err != nil {
		return v, err
	}
	if v.FrozenSHA256 != c.FrozenSHA256 || v.Nonce != c.Nonce {
		return v, anew(v, by)
	}
	st, err := t.store.q.Step(ctx, t, v.StepID)
	if err != nil {
		return v, notFound(err, "step")
	}
	if st.State != app.StepWaiting {
		return v, app.Errorf(app.Conflict, "Its step is %s, so there is nothing to decide yet.", st.State)
	}
	return v, nil
}

// waits is nil for a draft that nobody has decided yet.
func waits(v app.Validation) error {
	switch v.State {
	case app.ValidationPending:
		return nil
	case app.ValidationVoid:
		why := ""
		if v.VoidReason != "" {
			why = " (" + v.VoidReason + ")"
		}
		return app.Errorf(app.Conflict, "This draft was replaced or withdrawn%s. Nothing was done.", why)
	}
	return app.Errorf(app.Conflict, "This output was already %s by %s at %s. Nothing was changed.", v.State, v.DecidedBy, moment(v.DecidedAt))
}

func moment(at *time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// anew says why a draft that waits can't be decided by the form that was sent.
func anew(v app.Validation, by app.User) error {
	switch v.FirstApprovedBy {
	case "":
		return app.Errorf(app.Conflict, "This output is not the one you saw. Open it again before you decide.")
	case by.Name:
		return approvedFirst(v)
	}
	return app.Errorf(app.Conflict, "%s approved this output at %s, so yours would decide. It is not the one you saw: open it again before you do.", v.FirstApprovedBy, moment(v.FirstApprovedAt))
}

func approvedFirst(v app.Validation) error {
	return app.Errorf(app.Conflict, "You approved this output at %s. Another person must approve it too.", moment(v.FirstApprovedAt))
}

// decided writes a decision down. Nothing follows from it as long as it can be
// taken back.
func (t *opTx) decided(ctx context.Context, v app.Validation, p dbsqlc.DecideValidationParams) error {
	settings, err := t.settings(ctx)
	if err != nil {
		return err
	}
	undo := settings.Undo
	if p.DecidedBy == app.ByPolicy {
		undo = 0
	}
	applies := t.now.Add(undo)
	p.ID, p.DecidedAt, p.AppliesAt = v.ID, &t.now, &applies
	if p.Receipts == nil {
		p.Receipts = json.RawMessage(`[]`)
	}
	if err := saved(t.store.q.DecideValidation(ctx, t, p)); err != nil || undo > 0 {
		return err
	}
	if v, err = t.validation(ctx, v.ID); err != nil {
		return err
	}
	return t.applied(ctx, v)
}

// saved checks that a decision found the draft as it was looked at.
func saved(n int64, err error) error {
	if err != nil {
		return fmt.Errorf("save decision: %w", err)
	}
	if n == 0 {
		return app.Errorf(app.Conflict, "This output was decided just now. Nothing was changed.")
	}
	return nil
}

func (t *opTx) auditDecision(ctx context.Context, by app.User, before, v app.Validation) error {
	action := "validation." + string(v.State)
	if v.State == app.ValidationPending {
		action = "validation.approved_first"
	}
	after := map[string]any{"state": v.State, "payload_sha256": v.PayloadSHA256, "frozen_sha256": v.FrozenSHA256,
		"reason": v.Reason, "receipts": v.Receipts, "edited_by": v.EditedBy, "first_approved_by": v.FirstApprovedBy}
	return t.store.audit(ctx, t, by.Name, action, subject(v), t.now,
		map[string]any{"state": before.State, "first_approved_by": before.FirstApprovedBy}, after)
}
