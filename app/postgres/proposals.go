package postgres

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
)

// Proposal is an output that wants to be public.
type Proposal struct {
	RunID  string // empty for a system step
	CallID string
	Kind   app.ValidationKind
	// Payload is encoded as canonical JSON: the bytes that are hashed and sent.
	Payload any
	Risk    app.Risk
}

// Propose writes a pending validation for a claimed step, once per (run,
// call). A newer proposal of the same step replaces the one before it.
func (s *Store) Propose(ctx context.Context, c app.Claim, p Proposal, now time.Time) (id string, err error) {
	err = s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		if _, err := t.claimed(ctx, c); err != nil {
			return err
		}
		id, err = t.propose(ctx, c.StepID, p)
		return err
	})
	return id, err
}

func (t *opTx) propose(ctx context.Context, stepID int64, p Proposal) (string, error) {
	q := t.store.q
	if p.RunID != "" {
		id, err := q.ValidationOfCall(ctx, t, dbsqlc.ValidationOfCallParams{RunID: &p.RunID, CallID: p.CallID})
		if err == nil {
			return id, nil
		}
		if !noRows(err) {
			return "", fmt.Errorf("look for the proposal: %w", err)
		}
	}
	payload, err := app.CanonicalJSON(p.Payload)
	if err != nil {
		return "", fmt.Errorf("freeze payload: %w", err)
	}
	if err := q.VoidOpenOfStep(ctx, t, dbsqlc.VoidOpenOfStepParams{Reason: "a newer draft replaced it", StepID: stepID}); err != nil {
		return "", fmt.Errorf("void the draft before: %w", err)
	}
	return t.draft(ctx, draft{step: stepID, run: p.RunID, call: p.CallID, kind: p.Kind, payload: payload, risk: p.Risk})
}

// draft is one validation to be written.
type draft struct {
	step    int64
	run     string // empty for none
	call    string // unique in the run
	kind    app.ValidationKind
	payload json.RawMessage // canonical JSON
	risk    app.Risk
	// editedBy is the person who wrote it, replaces the draft it stands for,
	// changes what became different since that one; all may be empty.
	editedBy, replaces string
	changes            []string
	// out is what of it went out under an earlier approval.
	out []app.OutCall
}

// draft writes one as the newest of its step, frozen, pending and with its marks.
// What it replaces must be void by then.
func (t *opTx) draft(ctx context.Context, d draft) (id string, err error) {
	frozen, text, err := t.freeze(ctx, d.kind, d.payload, d.out)
	if err != nil {
		return "", err
	}
	drafts, err := t.store.q.DraftsOfStep(ctx, t, d.step)
	if err != nil {
		return "", fmt.Errorf("count drafts: %w", err)
	}
	sum, err := hex.DecodeString(app.SHA256Hex(d.payload))
	if err != nil {
		return "", err
	}
	doubts, err := t.doubts(ctx, d.step)
	if err != nil {
		return "", err
	}
	risk := marked(d.risk, frozen, slices.Concat(d.changes, doubts))
	if risk.PublishPrice, err = effects.Price(d.kind, frozen.Payload, d.out); err != nil { // of this text, whatever the one before cost
		return "", err
	}
	if len(d.out) > 0 {
		if risk, err = effects.RestRisk(risk, frozen); err != nil {
			return "", err
		}
	}
	id, err = t.store.q.CreateValidation(ctx, t, dbsqlc.CreateValidationParams{OperationID: t.op.ID, StepID: d.step, RunID: optional(d.run), CallID: d.call,
		Kind: d.kind, Payload: string(d.payload), PayloadSha256: sum, Frozen: text, DraftNo: drafts + 1, Risk: mustJSON(risk), Marks: risk.Marks(),
		EditedBy: d.editedBy, Replaces: optional(d.replaces), CreatedAt: t.now})
	if err != nil {
		return "", fmt.Errorf("write validation: %w", err)
	}
	return id, nil
}

// optional is a column that may be null.
func optional(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}
