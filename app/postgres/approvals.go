package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
)

// approveBy is a person's approval of what would be sent now, if that is what
// they saw.
func (t *opTx) approveBy(ctx context.Context, v app.Validation, by app.User, receipts []app.Receipt) error {
	settled, err := settle(v, receipts, by, t.now)
	if err != nil {
		return err
	}
	if t.op.State == app.OperationPaused && v.Kind == app.KindHandover {
		return app.Errorf(app.Conflict, "Resume the operation before signing it off.")
	}
	if err := t.binds(ctx, v); err != nil {
		return err
	}
	settings, err := t.settings(ctx)
	if err != nil {
		return err
	}
	if settings.SecondApprover && v.Kind.ByTwo() {
		switch v.FirstApprovedBy {
		case "":
			return t.approveFirst(ctx, v, by)
		case by.Name:
			return approvedFirst(v)
		}
	}
	return t.decided(ctx, v, dbsqlc.DecideValidationParams{State: app.ValidationApproved, DecidedBy: by.Name, Receipts: settled})
}

// settle is what is kept of the receipts of a dossier's forms.
func settle(v app.Validation, receipts []app.Receipt, by app.User, at time.Time) (json.RawMessage, error) {
	if v.Kind != app.KindDossier {
		return nil, nil
	}
	var dossier app.DossierPayload
	if err := json.Unmarshal(v.Payload, &dossier); err != nil {
		return nil, fmt.Errorf("read the dossier: %w", err)
	}
	settled, err := dossier.Settle(receipts, by.Name, at)
	for i := range settled {
		settled[i].Link, settled[i].Reason = plain(settled[i].Link), plain(settled[i].Reason)
	}
	return mustJSON(settled), err
}

// binds checks that approving v would set off what v shows. What has changed
// since waits anew; what contradicts the operation can't be approved.
func (t *opTx) binds(ctx context.Context, v app.Validation) error {
	changed, err := t.changes(ctx, v)
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		return t.ask(ctx, v, changed)
	}
	against, err := contradictions(v)
	if err != nil || len(against) == 0 {
		return err
	}
	return app.Errorf(app.Conflict, "This output can't be approved. %s Reject it, and it is written anew.", strings.Join(against, " "))
}

// ask has the payload wait anew, with what has changed.
func (t *opTx) ask(ctx context.Context, v app.Validation, changed []string) error {
	newID, err := t.requeue(ctx, v, "payload_changed", "what it sets off has changed since it was written", changed)
	if err != nil {
		return err
	}
	if newID == "" {
		return instead{app.Errorf(app.Conflict, "What this output sets off has changed since it was written, and it can't be published as it is. Nothing was approved.")}
	}
	return instead{app.Errorf(app.Conflict, "What this output sets off has changed since it was written. Nothing was approved: a new draft waits, and shows what is different.")}
}

func contradictions(v app.Validation) ([]string, error) {
	var f app.Frozen
	if err := json.Unmarshal(v.Frozen, &f); err != nil {
		return nil, fmt.Errorf("read what an approval binds to: %w", err)
	}
	return effects.Contradictions(f), nil
}

func (t *opTx) approveFirst(ctx context.Context, v app.Validation, by app.User) error {
	n, err := t.store.q.ApproveFirst(ctx, t, dbsqlc.ApproveFirstParams{By: by.Name, At: &t.now, ID: v.ID})
	return saved(n, err)
}

// approve is the policy's: nobody can undo it, so what follows does so at once.
// An output that code has found something in is left to a person.
func (t *opTx) approve(ctx context.Context, v app.Validation) error {
	changed, err := t.changes(ctx, v)
	if err != nil {
		return err
	}
	against, err := contradictions(v)
	if err != nil || len(changed)+len(against)+v.Risk.Marks() > 0 {
		return err
	}
	return t.decided(ctx, v, dbsqlc.DecideValidationParams{State: app.ValidationApproved, DecidedBy: app.ByPolicy})
}
