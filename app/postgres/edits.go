package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"vivra/app"
	"vivra/app/edits"
	"vivra/app/postgres/dbsqlc"
)

// Editable returns the draft of c when it waits and is the one that was seen.
// SaveEdit looks again.
func (s *Store) Editable(ctx context.Context, c app.Choice, by app.User) (app.Validation, error) {
	v, err := s.Validation(ctx, c.ID)
	if err != nil {
		return v, err
	}
	if err := waits(v); err != nil {
		return v, err
	}
	if v.Choice() != c {
		return v, anew(v, by)
	}
	return v, nil
}

// SaveEdit puts a payload that a person has written, with what a check of it
// found, in the place of the draft of c. Whoever comes first wins: the draft must
// wait and be the one that was seen. It returns the new draft.
func (s *Store) SaveEdit(ctx context.Context, c app.Choice, payload any, risk app.Risk, by app.User, now time.Time) (v app.Validation, err error) {
	operationID, err := s.q.ValidationOperation(ctx, s.pool, c.ID)
	if err != nil {
		return v, notFound(err, "output")
	}
	written, err := app.CanonicalJSON(payload)
	if err != nil {
		return v, fmt.Errorf("freeze the edited payload: %w", err)
	}
	err = s.inOperation(ctx, operationID, now, func(t *opTx) error {
		before, err := t.decidable(ctx, c, by)
		if err != nil {
			return err
		}
		fields, err := edits.Changed(before.Kind, before.Payload, written)
		if err != nil {
			return err
		}
		if v, err = t.edit(ctx, before, written, risk, by); err != nil {
			return err
		}
		after := traced(v)
		after["fields"] = fields
		return s.audit(ctx, t, by.Name, "validation.edited", subject(v), now, traced(before), after)
	})
	return v, err
}

// traced is a draft as the audit names it.
func traced(v app.Validation) map[string]any {
	return map[string]any{"id": v.ID, "draft_no": v.DraftNo, "payload_sha256": v.PayloadSHA256, "frozen_sha256": v.FrozenSHA256}
}

// edit replaces a draft by one with the same run, so with what that has read and
// cost, and the same place in the queue.
func (t *opTx) edit(ctx context.Context, before app.Validation, payload json.RawMessage, risk app.Risk, by app.User) (v app.Validation, err error) {
	changes, err := t.changesUpTo(ctx, before)
	if err != nil {
		return v, err
	}
	if err := t.store.q.VoidValidation(ctx, t, dbsqlc.VoidValidationParams{Reason: "edited by " + by.Name, ID: before.ID}); err != nil {
		return v, fmt.Errorf("replace the draft: %w", err)
	}
	id, err := t.draft(ctx, draft{step: before.StepID, run: before.RunID, call: "edit/" + before.ID, kind: before.Kind, payload: payload,
		risk: risk, editedBy: by.Name, replaces: before.ID, changes: changes, out: outBefore(before)})
	if err != nil {
		return v, err
	}
	if err := t.keepPlace(ctx, id); err != nil {
		return v, err
	}
	if err := t.amend(ctx, before, payload); err != nil {
		return v, err
	}
	v, err = t.validation(ctx, id)
	t.add(app.EventLine{Kind: "decision", Agent: v.Agent, Step: v.StepKey, Summary: fmt.Sprintf("Edited by a person: draft %d is now draft %d", before.DraftNo, v.DraftNo)})
	return v, err
}

// changesUpTo are what differs from what the draft shows, and what differed when
// it came back to wait. What was wrong with its words is judged anew.
func (t *opTx) changesUpTo(ctx context.Context, v app.Validation) ([]string, error) {
	changes, err := t.changes(ctx, v)
	if err != nil || len(v.Frozen) == 0 {
		return changes, err
	}
	against, err := contradictions(v)
	for _, problem := range v.Risk.Problems {
		if !slices.Contains(against, problem) {
			changes = append(changes, problem)
		}
	}
	return changes, err
}

func (t *opTx) keepPlace(ctx context.Context, id string) error {
	if err := t.store.q.KeepPlace(ctx, t, id); err != nil {
		return fmt.Errorf("keep the draft's place: %w", err)
	}
	if err := t.store.q.KeepOverdueAlert(ctx, t, id); err != nil {
		return fmt.Errorf("keep the draft's alert: %w", err)
	}
	return nil
}

// amend has the step's output say what would go out, since that is what lands in
// the token file.
func (t *opTx) amend(ctx context.Context, v app.Validation, payload json.RawMessage) error {
	row, err := t.store.q.Step(ctx, t, v.StepID)
	if err != nil {
		return notFound(err, "step")
	}
	output, err := edits.Amend(v.Kind, row.Output, payload)
	if err != nil || len(output) == 0 {
		return err
	}
	if err := t.store.q.AmendStep(ctx, t, dbsqlc.AmendStepParams{Output: output, ID: v.StepID}); err != nil {
		return fmt.Errorf("amend the step's output: %w", err)
	}
	return nil
}
