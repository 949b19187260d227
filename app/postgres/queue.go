package postgres

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

func validationOf(r dbsqlc.ValidationRow) (app.Validation, error) {
	v := r.Validation
	out := app.Validation{ID: v.ID, OperationID: v.OperationID, OperationSlug: r.Slug, TokenSymbol: r.Symbol, StepID: v.StepID,
		StepKey: r.StepKey, Agent: r.Agent, Kind: v.Kind, Payload: json.RawMessage(v.Payload), PayloadSHA256: hex.EncodeToString(v.PayloadSha256),
		Frozen: json.RawMessage(v.Frozen), FrozenSHA256: hex.EncodeToString(v.FrozenSha256), Nonce: v.Nonce, AppliesAt: v.AppliesAt, AppliedAt: v.AppliedAt,
		FirstApprovedBy: v.FirstApprovedBy, FirstApprovedAt: v.FirstApprovedAt, EditedBy: v.EditedBy, VoidReason: v.VoidReason, AccountID: v.AccountID,
		DraftNo: v.DraftNo, State: v.State, DecidedBy: v.DecidedBy, DecidedAt: v.DecidedAt, Reason: v.Reason, CreatedAt: v.CreatedAt.UTC(),
		PreviousReason: r.PreviousReason, RunCost: app.Nano(r.RunCost)}
	if v.RunID != nil {
		out.RunID = *v.RunID
	}
	if v.Replaces != nil {
		out.Replaces = *v.Replaces
	}
	if err := json.Unmarshal(v.Risk, &out.Risk); err != nil {
		return out, fmt.Errorf("read risk: %w", err)
	}
	if err := json.Unmarshal(v.Receipts, &out.Receipts); err != nil {
		return out, fmt.Errorf("read receipts: %w", err)
	}
	out.Risk.Tainted, out.Risk.Sources = r.Tainted, r.Sources
	return out, nil
}

func (t *opTx) validation(ctx context.Context, id string) (app.Validation, error) {
	row, err := t.store.q.Validation(ctx, t, id)
	if err != nil {
		return app.Validation{}, notFound(err, "output")
	}
	return validationOf(row)
}

// Validation returns one validation, whatever its state.
func (s *Store) Validation(ctx context.Context, id string) (app.Validation, error) {
	row, err := s.q.Validation(ctx, s.pool, id)
	if err != nil {
		return app.Validation{}, notFound(err, "output")
	}
	return validationOf(row)
}

// validations returns those of ids, in their order.
func (s *Store) validations(ctx context.Context, ids []string, err error) ([]app.Validation, error) {
	if err != nil {
		return nil, fmt.Errorf("list outputs: %w", err)
	}
	rows, err := s.q.ValidationsByID(ctx, s.pool, ids)
	if err != nil {
		return nil, fmt.Errorf("read outputs: %w", err)
	}
	out := make([]app.Validation, len(rows))
	for i, r := range rows {
		if out[i], err = validationOf(dbsqlc.ValidationRow(r)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// PendingValidations returns the queue, oldest first, whole.
func (s *Store) PendingValidations(ctx context.Context) ([]app.Validation, error) {
	ids, err := s.q.PendingIDs(ctx, s.pool)
	return s.validations(ctx, ids, err)
}

// PreviousDraft returns the rejected draft before this one, nil when there is none.
func (s *Store) PreviousDraft(ctx context.Context, id string) (*app.Validation, error) {
	before, err := s.q.PreviousDraft(ctx, s.pool, id)
	if noRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for the draft before: %w", err)
	}
	v, err := s.Validation(ctx, before)
	return &v, err
}
