package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
)

// appliesAtOnce bounds what one look at decisions takes on. Every commit wakes
// every process, so the next look, which goes on with the rest, comes at once.
const appliesAtOnce = 200

// ApplyDecisions has everything follow from the decisions that can no longer be
// taken back: each in a transaction of its own, once, whichever process comes
// first. One that fails holds up no other.
func (s *Store) ApplyDecisions(ctx context.Context, now time.Time) error {
	var faults []error
	for offset := 0; ; offset += appliesAtOnce {
		rows, err := s.q.DecisionsToApply(ctx, s.pool, dbsqlc.DecisionsToApplyParams{Now: &now, After: offset, Most: appliesAtOnce})
		if err != nil {
			return errors.Join(append(faults, fmt.Errorf("list decisions to apply: %w", err))...)
		}
		left, failed := s.applyDecisions(ctx, rows, now)
		faults = append(faults, failed...)
		if left < appliesAtOnce || ctx.Err() != nil { // none could be applied: what comes after them must not wait
			return errors.Join(append(faults, ctx.Err())...)
		}
	}
}

// applyDecisions returns how many are left, and what failed. What is decided in an operation that
// another process is at comes last, all of it, so that order is kept: that
// process may die with its work undone.
func (s *Store) applyDecisions(ctx context.Context, rows []dbsqlc.DecisionsToApplyRow, now time.Time) (left int, faults []error) {
	busy, faults := s.applyEach(ctx, rows, s.inOperationAlone, now)
	held, more := s.applyEach(ctx, busy, s.inOperation, now)
	faults = append(faults, more...)
	left = len(held) + len(faults)
	if len(held) > 0 {
		faults = append(faults, fmt.Errorf("apply %s: %w", app.Count(len(held), "decision", "decisions"), errBusy))
	}
	return left, faults
}

// applyEach passes by an operation once it was busy, and returns what waits for it.
func (s *Store) applyEach(ctx context.Context, rows []dbsqlc.DecisionsToApplyRow, in within, now time.Time) (busy []dbsqlc.DecisionsToApplyRow, faults []error) {
	passed := map[int64]bool{}
	for _, r := range rows {
		if ctx.Err() != nil {
			return nil, faults
		}
		var err error
		if !passed[r.OperationID] {
			err = s.applyDecision(ctx, in, r.OperationID, r.ID, now)
			passed[r.OperationID] = errors.Is(err, errBusy)
		}
		switch {
		case passed[r.OperationID]:
			busy = append(busy, r)
		case err != nil:
			faults = append(faults, fmt.Errorf("apply the decision on %s: %w", r.ID, err))
		}
	}
	return busy, faults
}

// within runs a function with an operation locked.
type within func(ctx context.Context, operationID int64, now time.Time, fn func(*opTx) error) error

func (s *Store) applyDecision(ctx context.Context, in within, operationID int64, id string, now time.Time) error {
	err := in(ctx, operationID, now, func(t *opTx) error {
		v, err := t.validation(ctx, id)
		if err != nil {
			return err
		}
		if !t.ripe(v) {
			return errNothing
		}
		if err := t.applied(ctx, v); err != nil {
			return err
		}
		s.reached("applying")
		return nil
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	if err == nil {
		s.reached("applied")
	}
	return err
}

// ripe tells whether a decision stands and is to be applied: it may have been
// taken back, or applied by another process, since it was listed. One that ends
// the operation waits while that is paused.
func (t *opTx) ripe(v app.Validation) bool {
	decided := v.State == app.ValidationApproved || v.State == app.ValidationRejected
	held := t.op.State == app.OperationPaused && v.Kind == app.KindHandover && v.State == app.ValidationApproved
	return decided && v.AppliedAt == nil && v.AppliesAt != nil && !v.AppliesAt.After(t.now) && !held
}

// applied lets follow what v was decided for.
func (t *opTx) applied(ctx context.Context, v app.Validation) error {
	row, err := t.store.q.Step(ctx, t, v.StepID)
	if err != nil {
		return notFound(err, "step")
	}
	if row.State != app.StepWaiting {
		return t.store.q.VoidValidation(ctx, t, dbsqlc.VoidValidationParams{Reason: fmt.Sprintf("its step was %s before anything followed", row.State), ID: v.ID})
	}
	if v.State == app.ValidationApproved {
		if fits, err := t.fits(ctx, v); err != nil || !fits {
			return err
		}
	}
	if err := saved(t.store.q.MarkApplied(ctx, t, dbsqlc.MarkAppliedParams{Now: &t.now, ID: v.ID})); err != nil {
		return err
	}
	if err := t.store.q.EndOverdueAlert(ctx, t, dbsqlc.EndOverdueAlertParams{At: &t.now, By: v.DecidedBy, OperationID: t.op.ID, Subject: v.ID}); err != nil {
		return fmt.Errorf("end the alert of a wait: %w", err)
	}
	if v.State == app.ValidationRejected {
		return t.rejected(ctx, v, stepOf(row))
	}
	return t.approved(ctx, v, stepOf(row))
}

// fits tells whether what v shows is still what would go out. What is not waits
// for a decision again, or ends with a person.
func (t *opTx) fits(ctx context.Context, v app.Validation) (bool, error) {
	changes, err := t.changes(ctx, v)
	if err != nil || len(changes) == 0 {
		return err == nil, err
	}
	_, err = t.requeue(ctx, v, "payload_changed", changedSince, changes)
	return false, err
}

func (t *opTx) approved(ctx context.Context, v app.Validation, st app.Step) error {
	t.add(app.EventLine{Kind: "decision", Agent: v.Agent, Step: v.StepKey, Summary: approvedBy(v)})
	for _, r := range app.Sent(v.Receipts) {
		t.add(app.EventLine{Kind: "decision", Agent: v.Agent, Step: v.StepKey, Summary: "Submitted by hand to " + r.Name, Link: r.Link})
	}
	planned, err := effects.Plan(v)
	if err != nil {
		return err
	}
	if len(planned) == 0 {
		return t.completeStep(ctx, st)
	}
	return t.intend(ctx, planned)
}

// approvedBy says publicly who approved, how long they took, and what was theirs.
func approvedBy(v app.Validation) string {
	who := "a person"
	switch {
	case v.DecidedBy == app.ByPolicy:
		who = app.ByPolicy
	case v.FirstApprovedBy != "":
		who = "two people"
	}
	said := fmt.Sprintf("Approved by %s after %s, draft %d", who, v.DecidedAt.Sub(v.CreatedAt).Round(time.Second), v.DraftNo)
	if v.EditedBy != "" {
		said += ", after an edit by the team"
	}
	return said
}

// intend stores what an approval allows. What begins a publication on an account
// gets its turn there.
func (t *opTx) intend(ctx context.Context, planned []app.Effect) error {
	for _, e := range planned {
		sum, err := hex.DecodeString(e.RequestSHA256)
		if err != nil {
			return err
		}
		at := t.now
		account, first := effects.Account(e)
		if first {
			if at, err = t.turn(ctx, account); err != nil {
				return err
			}
		}
		err = t.store.q.CreateEffect(ctx, t, dbsqlc.CreateEffectParams{EffectKey: e.Key, ValidationID: e.ValidationID, OperationID: e.OperationID,
			StepID: e.StepID, Position: e.Position, Kind: e.Kind, Account: account, Request: string(e.Request), RequestSha256: sum,
			NotBefore: at, PriceNusd: e.Price})
		if err != nil {
			return fmt.Errorf("write effect: %w", err)
		}
	}
	return nil
}

// rejected has the step's next run read why, or stops what can't go on.
func (t *opTx) rejected(ctx context.Context, v app.Validation, st app.Step) error {
	t.add(app.EventLine{Kind: "decision", Agent: v.Agent, Step: v.StepKey, Summary: fmt.Sprintf("Rejected by a person, draft %d", v.DraftNo)})
	switch {
	case v.Kind == app.KindGoNoGo:
		return t.stop(ctx, "the go/no-go was rejected")
	case len(outBefore(v)) > 0:
		return t.restRejected(ctx, v)
	}
	settings, err := t.settings(ctx)
	if err != nil {
		return err
	}
	n := st.Rejections + 1
	if n >= settings.MaxRejections {
		if _, err := t.raise(ctx, "rejected", fmt.Sprintf("%s#%d", st.Key, v.DraftNo), fmt.Sprintf("%s was rejected %s. It waits for a person: retry it, skip it or stop the operation.", st.Key, app.Count(n, "time", "times"))); err != nil {
			return err
		}
		return t.endStep(ctx, st.ID, app.StepFailed, nil, fmt.Sprintf("rejected %s: %s", app.Count(n, "time", "times"), v.Reason))
	}
	return t.store.q.RetryStep(ctx, t, dbsqlc.RetryStepParams{Error: "", NotBefore: nil, Rejections: n, Attempt: 0,
		Input: mustJSON(map[string]any{"rejection_reason": v.Reason}), ID: st.ID})
}
