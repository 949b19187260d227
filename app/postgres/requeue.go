package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
	"vivra/app/preflight"
)

// requeue withdraws v, raises an alert of the kind and has the same payload wait
// anew, frozen as the world is now and with the changes among its problems. why
// ends the sentence "… was withdrawn because"; the public log shows it. No new
// draft waits (newID is empty) when a part of v is out, or may be: then the rest
// is given up and the step fails. Nor does one for a step that has moved on.
func (t *opTx) requeue(ctx context.Context, v app.Validation, alert, why string, changes []string) (newID string, err error) {
	out, err := t.outOf(ctx, v.ID)
	if err != nil {
		return "", err
	}
	if err := t.void(ctx, v.ID, why); err != nil {
		return "", err
	}
	if len(out) > 0 {
		if err := t.tell(ctx, v, alert, "The rest of it is not published because "+why+". Out, or perhaps out: "+strings.Join(out, ", ")+". On the operation's page you can go on with the rest, or finish with what is out.", changes); err != nil {
			return "", err
		}
		return "", t.failPublishing(ctx, v.StepID, v.StepKey, why)
	}
	return t.again(ctx, v, alert, why, changes)
}

// outOf names what of a validation is out under its own approval, or may be.
func (t *opTx) outOf(ctx context.Context, validationID string) (out []string, err error) {
	rows, err := t.store.q.EffectsOfValidation(ctx, t, validationID)
	if err != nil {
		return nil, fmt.Errorf("list effects: %w", err)
	}
	for _, r := range rows {
		switch r.State {
		case app.EffectDone, app.EffectAttempting, app.EffectUnknown:
			out = append(out, strings.TrimSpace(fmt.Sprintf("call %d, %s %s", r.Position+1, effects.Name(r.Kind), r.Link)))
		}
	}
	return out, nil
}

func (t *opTx) again(ctx context.Context, v app.Validation, alert, why string, changes []string) (newID string, err error) {
	if err := t.store.q.VoidValidation(ctx, t, dbsqlc.VoidValidationParams{Reason: why, ID: v.ID}); err != nil {
		return "", fmt.Errorf("withdraw the draft: %w", err)
	}
	message := "The draft was withdrawn because " + why + "."
	step, err := t.store.q.Step(ctx, t, v.StepID)
	if err != nil {
		return "", notFound(err, "step")
	}
	if step.State == app.StepWaiting {
		newID, err = t.draft(ctx, draft{step: v.StepID, run: v.RunID, call: "again/" + v.ID, kind: v.Kind, payload: v.Payload,
			risk: v.Risk, editedBy: v.EditedBy, replaces: v.ID, changes: changes, out: outBefore(v)})
		if unread := (unreadable{}); errors.As(err, &unread) {
			message, err = "It can't be published: "+unread.Error()+".", t.failPublishing(ctx, v.StepID, v.StepKey, why)
		} else {
			message += " It waits for a decision again."
		}
		if err != nil {
			return "", err
		}
	}
	if v.State == app.ValidationApproved && v.AppliedAt != nil {
		t.add(app.EventLine{Kind: "decision", Agent: "system", Step: v.StepKey, Summary: "Approval withdrawn: " + why})
	}
	return newID, t.tell(ctx, v, alert, message, changes)
}

// tell raises the alert about a draft, once, with the first of the changes.
func (t *opTx) tell(ctx context.Context, v app.Validation, alert, message string, changes []string) error {
	const most = 3
	if len(changes) > most {
		changes = append(slices.Clone(changes[:most]), fmt.Sprintf("And %d more.", len(changes)-most))
	}
	_, err := t.raise(ctx, alert, v.ID, strings.Join(append([]string{v.StepKey + ": " + message}, changes...), " "))
	return err
}

// marked is the risk of a draft in the world as it is now: its addresses are
// compared once more, and what contradicts the operation is a problem.
func marked(r app.Risk, f app.Frozen, changes []string) app.Risk {
	r.Addresses = slices.Clone(r.Addresses)
	for i, a := range r.Addresses {
		r.Addresses[i].Matches = preflight.Official(a.Address, f.OfficialAddress)
	}
	r.Problems = slices.DeleteFunc(slices.Clone(r.Problems), tellsADoubt) // told anew, of what is in doubt now
	for _, problem := range slices.Concat(changes, effects.Contradictions(f)) {
		if !slices.Contains(r.Problems, problem) {
			r.Problems = append(r.Problems, problem)
		}
	}
	return r
}
