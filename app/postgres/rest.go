package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/edits"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
)

// DraftRest has what is left of a publication that broke off wait for a decision
// of its own: the same payload, of which what is out can't be changed nor made
// once more. It returns the new draft.
func (s *Store) DraftRest(ctx context.Context, stepID int64, reason string, by app.User, now time.Time) (newID string, err error) {
	err = s.steerStep(ctx, stepID, "step.rest", reason, by, now, func(t *opTx, st app.Step) error {
		calls, err := t.callsOf(ctx, st)
		if err != nil {
			return err
		}
		if err := st.MayGoOn(calls); err != nil {
			return err
		}
		newID, err = t.draftRest(ctx, st)
		return err
	})
	return newID, err
}

func (t *opTx) draftRest(ctx context.Context, st app.Step) (newID string, err error) {
	v, err := t.lastSent(ctx, st.ID)
	if err != nil {
		return "", err
	}
	changes, err := t.changes(ctx, v)
	if err != nil {
		return "", err
	}
	out, err := t.partWith(ctx, v)
	if err != nil {
		return "", err
	}
	drafts, err := t.store.q.DraftsOfStep(ctx, t, st.ID)
	if err != nil {
		return "", fmt.Errorf("count drafts: %w", err)
	}
	newID, err = t.draft(ctx, draft{step: st.ID, run: v.RunID, call: fmt.Sprintf("rest/%s/%d", v.ID, drafts), kind: v.Kind, payload: v.Payload,
		risk: v.Risk, editedBy: v.EditedBy, replaces: v.ID, changes: changes, out: out})
	if err != nil {
		return "", err
	}
	parts, err := t.parts(ctx, st.ID)
	if err != nil {
		return "", err
	}
	t.add(app.EventLine{Kind: "decision", Agent: "team", Step: st.Key, Summary: parts.String() + "; the rest waits for a decision of its own"})
	if err := t.endStep(ctx, st.ID, app.StepWaiting, nil, ""); err != nil {
		return "", err
	}
	return newID, t.amend(ctx, v, v.Payload) // a draft that was rejected may have been edited
}

// partWith voids the calls of v that are not out, for an approval of their own, and
// returns those that are. What X refused for want of credits waits no more for
// them: whoever goes on has seen to that.
func (t *opTx) partWith(ctx context.Context, v app.Validation) ([]app.OutCall, error) {
	rows, err := t.store.q.EffectsOfValidation(ctx, t, v.ID)
	if err != nil {
		return nil, fmt.Errorf("list effects: %w", err)
	}
	for _, r := range rows {
		if r.State == app.EffectFailed {
			if err := t.store.q.ReleaseHoldOf(ctx, t, dbsqlc.ReleaseHoldOfParams{Account: postsAs(r), EffectID: r.ID}); err != nil {
				return nil, fmt.Errorf("release the account: %w", err)
			}
		}
	}
	if err := t.void(ctx, v.ID, "the rest has an approval of its own"); err != nil {
		return nil, err
	}
	return outCalls(v, rows)
}

// lastSent is the draft of a step whose calls were the last to be planned.
func (t *opTx) lastSent(ctx context.Context, stepID int64) (app.Validation, error) {
	id, err := t.store.q.LastSent(ctx, t, stepID)
	if err != nil {
		return app.Validation{}, notFound(err, "publication")
	}
	return t.validation(ctx, id)
}

// outCalls are the calls of v that are out, under whichever approval; rows are
// those under its own.
func outCalls(v app.Validation, rows []dbsqlc.Effect) ([]app.OutCall, error) {
	f, ok := frozenOf(v)
	if !ok {
		return nil, app.Errorf(app.Conflict, "The record of what was approved was itself changed, so nothing can go on from it. Finish with what is out, or skip the step.")
	}
	out := f.Out
	for _, r := range rows {
		if r.State != app.EffectDone {
			break
		}
		out = append(out, app.OutCall{Kind: r.Kind, Request: []byte(r.Request), ProviderID: r.ProviderID, Link: r.Link})
	}
	return out, nil
}

// restRejected leaves a publication broken off where it was: written anew it
// would be published twice.
func (t *opTx) restRejected(ctx context.Context, v app.Validation) error {
	parts, err := t.parts(ctx, v.StepID)
	if err != nil {
		return err
	}
	if _, err := t.raise(ctx, "publication_failed", v.ID+"/rest", fmt.Sprintf("%s: the rest was rejected. %s. The operation's page says how to go on.", v.StepKey, parts)); err != nil {
		return err
	}
	return t.endStep(ctx, v.StepID, app.StepFailed, nil, fmt.Sprintf("the rest was rejected, %s: %s", parts, v.Reason))
}

// FinishPartly ends a step whose publication broke off as done, with the part that
// is out: what waits for it goes on, and the rest is never sent.
func (s *Store) FinishPartly(ctx context.Context, stepID int64, reason string, by app.User, now time.Time) error {
	return s.steerStep(ctx, stepID, "step.finish", reason, by, now, func(t *opTx, st app.Step) error {
		calls, err := t.callsOf(ctx, st)
		if err != nil {
			return err
		}
		if err := st.MayFinish(calls); err != nil {
			return err
		}
		v, err := t.lastSent(ctx, st.ID)
		if err != nil {
			return err
		}
		parts, err := t.finishable(ctx, v)
		if err != nil {
			return err
		}
		if err := t.cutIn(ctx, st, "finished by the team with what is out: "+reason); err != nil {
			return err
		}
		if st.Output, err = said(v, st, parts.Out); err != nil {
			return err
		}
		t.add(app.EventLine{Kind: "decision", Agent: "team", Step: st.Key, Summary: "Finished by the team: " + parts.String() + ", the rest is not published"})
		return t.completeStep(ctx, st)
	})
}

// finishable is how much of v is out, if what comes after its step can do with that.
func (t *opTx) finishable(ctx context.Context, v app.Validation) (app.Parts, error) {
	if v.Kind == app.KindPoll {
		if _, err := t.store.q.Poll(ctx, t, t.op.ID); noRows(err) {
			return app.Parts{}, app.Errorf(app.Conflict, "No poll is out, only what comes before it: there would be no votes to count. Go on with the rest, or skip the step.")
		}
	}
	return t.parts(ctx, v.StepID)
}

// said is a step's output as v has it, without what is not out: it lands in the
// token file. A later draft that was rejected may have said something else.
func said(v app.Validation, st app.Step, out int) ([]byte, error) {
	payload, err := effects.Cut(v.Kind, v.Payload, out)
	if err != nil {
		return nil, err
	}
	if payload == nil {
		payload = v.Payload
	}
	return edits.Amend(v.Kind, st.Output, payload)
}

// parts is how much of a step's publication is out.
func (t *opTx) parts(ctx context.Context, stepID int64) (app.Parts, error) {
	r, err := t.store.q.PartsOfStep(ctx, t, stepID)
	if err != nil {
		return app.Parts{}, fmt.Errorf("count what is out: %w", err)
	}
	return app.Parts{Out: r.Out, Total: r.Total, Posts: r.Posts}, nil
}

func (t *opTx) void(ctx context.Context, validationID, why string) error {
	if err := t.store.q.VoidEffectsOfValidation(ctx, t, dbsqlc.VoidEffectsOfValidationParams{Error: why, ValidationID: validationID}); err != nil {
		return fmt.Errorf("void effects: %w", err)
	}
	return nil
}

// sentence ends a text as one.
func sentence(text string) string { return strings.TrimSuffix(strings.TrimSpace(text), ".") + "." }
