package postgres

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
	var runID *string
	if p.RunID != "" {
		runID = &p.RunID
		id, err := q.ValidationOfCall(ctx, t, dbsqlc.ValidationOfCallParams{RunID: runID, CallID: p.CallID})
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
	if err := q.VoidPendingOfStep(ctx, t, stepID); err != nil {
		return "", fmt.Errorf("void the draft before: %w", err)
	}
	drafts, err := q.DraftsOfStep(ctx, t, stepID)
	if err != nil {
		return "", fmt.Errorf("count drafts: %w", err)
	}
	sum, err := hex.DecodeString(app.SHA256Hex(payload))
	if err != nil {
		return "", err
	}
	id, err := q.CreateValidation(ctx, t, dbsqlc.CreateValidationParams{OperationID: t.op.ID, StepID: stepID, RunID: runID, CallID: p.CallID,
		Kind: p.Kind, Payload: string(payload), PayloadSha256: sum, DraftNo: drafts + 1, Risk: mustJSON(p.Risk), CreatedAt: t.now})
	if err != nil {
		return "", fmt.Errorf("write validation: %w", err)
	}
	return id, nil
}

// RunEnd is what a run that reached its output leaves behind.
type RunEnd struct {
	RunID   string
	Output  json.RawMessage
	Summary string
	// Policy: the agent's outputs are approved at once, unless a person must.
	Policy bool
	// Reading, when set, is kept as the operation's metrics.
	Reading  *app.Metrics
	Baseline *app.Metrics
}

// FinishRun ends a claimed step's run: the step is done, or waits for a person
// when its output is to be public.
func (s *Store) FinishRun(ctx context.Context, c app.Claim, end RunEnd, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		st, err := t.claimed(ctx, c)
		if err != nil {
			return err
		}
		if end.RunID != "" {
			// A tool that was given up may still have a paid call open.
			if err := t.loseCallsOfRun(ctx, end.RunID); err != nil {
				return err
			}
			if err := s.q.EndRun(ctx, t, dbsqlc.EndRunParams{State: "succeeded", Output: end.Output, FinishedAt: &now, ID: end.RunID}); err != nil {
				return fmt.Errorf("end run: %w", err)
			}
		}
		if err := t.keepReadings(ctx, end); err != nil {
			return err
		}
		t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: end.Summary})
		if !st.Validates {
			st.Output = end.Output
			return t.completeStep(ctx, st)
		}
		return t.await(ctx, st, end)
	})
}

func (t *opTx) keepReadings(ctx context.Context, end RunEnd) error {
	for _, m := range []struct {
		reading  *app.Metrics
		baseline bool
	}{{end.Baseline, true}, {end.Reading, false}} {
		if m.reading == nil {
			continue
		}
		if err := t.store.q.AddMetrics(ctx, t, dbsqlc.AddMetricsParams{OperationID: t.op.ID, At: m.reading.At, Baseline: m.baseline, Reading: mustJSON(m.reading)}); err != nil {
			return fmt.Errorf("keep metrics: %w", err)
		}
	}
	return nil
}

// await makes the step wait for a person, or has the policy decide.
func (t *opTx) await(ctx context.Context, st app.Step, end RunEnd) error {
	pending, err := t.store.q.PendingOfStep(ctx, t, st.ID)
	if noRows(err) {
		kind := app.KindOfTask(st.Task)
		if kind == "" {
			return t.giveUp(ctx, st, end)
		}
		pending.Kind = kind
		pending.ID, err = t.propose(ctx, st.ID, Proposal{RunID: end.RunID, CallID: "output", Kind: kind,
			Payload: app.OutputPayload{Step: st.Key, Output: end.Output}, Risk: app.Risk{Effect: effectOf(st)}})
	}
	if err != nil {
		return fmt.Errorf("find the proposal: %w", err)
	}
	if err := t.endStep(ctx, st.ID, app.StepWaiting, end.Output, ""); err != nil {
		return err
	}
	t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "Waits for a person"})
	v, err := t.validation(ctx, pending.ID)
	if err != nil {
		return err
	}
	if !end.Policy || v.Risk.Tainted || pending.Kind.AlwaysByPerson() {
		return nil
	}
	return t.approve(ctx, v, "policy", "")
}

// giveUp skips a step whose agent found nothing fit to be proposed, as a
// builder does when no template passes its tests.
func (t *opTx) giveUp(ctx context.Context, st app.Step, end RunEnd) error {
	message := st.Key + " ended without anything to publish."
	if _, err := t.raise(ctx, "nothing_to_publish", st.Key, message+" Its output says why."); err != nil {
		return err
	}
	t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "Skipped: nothing was fit to be published"})
	return t.endStep(ctx, st.ID, app.StepSkipped, end.Output, message)
}

func effectOf(st app.Step) string {
	switch st.Task {
	case "scanner.go_nogo":
		return "Lets the takeover go on and requests the buyback, or stops it when the answer is no-go."
	case "scanner.verdict":
		return "Makes the verdict public."
	}
	return "Accepts the output; the steps that wait for it can start."
}

// AwaitPerson makes a claimed system step wait for a person's decision on p.
func (s *Store) AwaitPerson(ctx context.Context, c app.Claim, p Proposal, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		st, err := t.claimed(ctx, c)
		if err != nil {
			return err
		}
		if _, err := t.propose(ctx, st.ID, p); err != nil {
			return err
		}
		t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "Waits for a person"})
		return t.endStep(ctx, st.ID, app.StepWaiting, nil, "")
	})
}

type validationParts struct {
	v                            dbsqlc.Validation
	stepKey, agent, slug, symbol string
	runCost                      int64
	tainted                      bool
	sources                      []string
	previousReason               string
}

func validationOf(p validationParts) (app.Validation, error) {
	v := p.v
	out := app.Validation{ID: v.ID, OperationID: v.OperationID, OperationSlug: p.slug, TokenSymbol: p.symbol, StepID: v.StepID,
		StepKey: p.stepKey, Agent: p.agent, Kind: v.Kind, Payload: json.RawMessage(v.Payload), PayloadSHA256: hex.EncodeToString(v.PayloadSha256),
		DraftNo: v.DraftNo, State: v.State, DecidedBy: v.DecidedBy, DecidedAt: v.DecidedAt, Reason: v.Reason, CreatedAt: v.CreatedAt.UTC(),
		PreviousReason: p.previousReason, RunCost: app.Nano(p.runCost)}
	if v.RunID != nil {
		out.RunID = *v.RunID
	}
	if err := json.Unmarshal(v.Risk, &out.Risk); err != nil {
		return out, fmt.Errorf("read risk: %w", err)
	}
	out.Risk.Tainted, out.Risk.Sources = p.tainted, p.sources
	return out, nil
}

func validationRow(r dbsqlc.ValidationRow) (app.Validation, error) {
	return validationOf(validationParts{r.Validation, r.StepKey, r.Agent, r.Slug, r.Symbol, r.RunCost, r.Tainted, r.Sources, r.PreviousReason})
}

func (t *opTx) validation(ctx context.Context, id string) (app.Validation, error) {
	row, err := t.store.q.Validation(ctx, t, id)
	if err != nil {
		return app.Validation{}, notFound(err, "output")
	}
	return validationRow(row)
}

// Validation returns one validation, whatever its state.
func (s *Store) Validation(ctx context.Context, id string) (app.Validation, error) {
	row, err := s.q.Validation(ctx, s.pool, id)
	if err != nil {
		return app.Validation{}, notFound(err, "output")
	}
	return validationRow(row)
}

// PendingValidations returns the queue, oldest first.
func (s *Store) PendingValidations(ctx context.Context) ([]app.Validation, error) {
	rows, err := s.q.PendingValidations(ctx, s.pool)
	if err != nil {
		return nil, fmt.Errorf("read queue: %w", err)
	}
	out := make([]app.Validation, len(rows))
	for i, r := range rows {
		if out[i], err = validationRow(dbsqlc.ValidationRow(r)); err != nil {
			return nil, err
		}
	}
	return out, nil
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

// WaitingFor says how many outputs of an operation wait, and since when.
func (s *Store) WaitingFor(ctx context.Context, operationID int64) (app.Waiting, error) {
	row, err := s.q.WaitingOf(ctx, s.pool, operationID)
	if err != nil {
		return app.Waiting{}, fmt.Errorf("count waiting outputs: %w", err)
	}
	return app.Waiting{Count: row.Waiting, Oldest: instant(row.Oldest)}, nil
}

// ApproveValidation approves exactly the payload whose SHA-256 the person saw.
func (s *Store) ApproveValidation(ctx context.Context, id, sha256 string, by app.User, receiptURL string, now time.Time) (app.Validation, error) {
	return s.decide(ctx, id, sha256, by, now, func(t *opTx, v app.Validation) error {
		if v.Kind == app.KindDossier && receiptURL == "" {
			return app.Errorf(app.Invalid, "Submit the form first, then enter the receipt's address here.")
		}
		if t.op.State == app.OperationPaused && v.Kind == app.KindHandover {
			return app.Errorf(app.Conflict, "Resume the operation before signing it off.")
		}
		return t.approve(ctx, v, by.Name, receiptURL)
	})
}

// RejectValidation sends a draft back with a reason that the next run reads.
func (s *Store) RejectValidation(ctx context.Context, id, sha256 string, by app.User, reason string, now time.Time) (app.Validation, error) {
	if reason == "" {
		return app.Validation{}, app.Errorf(app.Invalid, "Say what is wrong: the next draft is written from it.")
	}
	return s.decide(ctx, id, sha256, by, now, func(t *opTx, v app.Validation) error {
		return t.reject(ctx, v, by.Name, reason)
	})
}

// decide runs one decision: the first one wins, everyone else learns of it.
func (s *Store) decide(ctx context.Context, id, sha256 string, by app.User, now time.Time, fn func(*opTx, app.Validation) error) (v app.Validation, err error) {
	operationID, err := s.q.ValidationOperation(ctx, s.pool, id)
	if err != nil {
		return v, notFound(err, "output")
	}
	err = s.inOperation(ctx, operationID, now, func(t *opTx) error {
		before, err := t.validation(ctx, id)
		if err != nil {
			return err
		}
		if err := decidable(before, sha256); err != nil {
			return err
		}
		if err := fn(t, before); err != nil {
			return err
		}
		if v, err = t.validation(ctx, id); err != nil {
			return err
		}
		return s.audit(ctx, t, by.Name, "validation."+string(v.State), v.OperationSlug+" "+v.StepKey+" "+v.ID, now,
			map[string]any{"state": before.State}, map[string]any{"state": v.State, "payload_sha256": v.PayloadSHA256, "reason": v.Reason})
	})
	return v, err
}

func decidable(v app.Validation, sha256 string) error {
	switch v.State {
	case app.ValidationPending:
	case app.ValidationVoid:
		return app.Errorf(app.Conflict, "This draft was replaced or withdrawn. Nothing was done.")
	default:
		return app.Errorf(app.Conflict, "This output was already %s by %s at %s. Nothing was changed.", v.State, v.DecidedBy, v.DecidedAt.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	if v.PayloadSHA256 != sha256 {
		return app.Errorf(app.Conflict, "This output is not the one you saw. Open it again before you decide.")
	}
	return nil
}

func (t *opTx) decided(ctx context.Context, v app.Validation, state app.ValidationState, by, reason, receipt string) error {
	err := t.store.q.DecideValidation(ctx, t, dbsqlc.DecideValidationParams{State: state, DecidedBy: by, DecidedAt: &t.now, Reason: reason, ReceiptUrl: receipt, ID: v.ID})
	if err != nil {
		return fmt.Errorf("save decision: %w", err)
	}
	return nil
}

func (t *opTx) approve(ctx context.Context, v app.Validation, by, receipt string) error {
	st, err := t.waiting(ctx, v)
	if err != nil {
		return err
	}
	if err := t.decided(ctx, v, app.ValidationApproved, by, "", receipt); err != nil {
		return err
	}
	t.add(app.EventLine{Kind: "decision", Agent: v.Agent, Step: v.StepKey, Summary: approvedBy(by, v, t.now), Link: receipt})
	planned, err := effects.Plan(v)
	if err != nil {
		return err
	}
	if len(planned) == 0 {
		return t.completeStep(ctx, st)
	}
	return t.intend(ctx, planned)
}

func approvedBy(by string, v app.Validation, now time.Time) string {
	who := "Approved by a person"
	if by == "policy" {
		who = "Approved by policy"
	}
	return fmt.Sprintf("%s after %s, draft %d", who, now.Sub(v.CreatedAt).Round(time.Second), v.DraftNo)
}

func (t *opTx) waiting(ctx context.Context, v app.Validation) (app.Step, error) {
	row, err := t.store.q.Step(ctx, t, v.StepID)
	if err != nil {
		return app.Step{}, notFound(err, "step")
	}
	if row.State != app.StepWaiting {
		return app.Step{}, app.Errorf(app.Conflict, "Its step is %s, so there is nothing to decide yet.", row.State)
	}
	return stepOf(row), nil
}

// intend stores what an approval allows; the earliest calls get a job at once.
func (t *opTx) intend(ctx context.Context, planned []app.Effect) error {
	for _, e := range planned {
		sum, err := hex.DecodeString(e.RequestSHA256)
		if err != nil {
			return err
		}
		account, _ := effects.Account(e)
		err = t.store.q.CreateEffect(ctx, t, dbsqlc.CreateEffectParams{EffectKey: e.Key, ValidationID: e.ValidationID, OperationID: e.OperationID,
			StepID: e.StepID, Position: e.Position, Kind: e.Kind, Account: account, Request: string(e.Request), RequestSha256: sum,
			NotBefore: t.now, PriceNusd: e.Price})
		if err != nil {
			return fmt.Errorf("write effect: %w", err)
		}
	}
	return nil
}

func (t *opTx) reject(ctx context.Context, v app.Validation, by, reason string) error {
	st, err := t.waiting(ctx, v)
	if err != nil {
		return err
	}
	if err := t.decided(ctx, v, app.ValidationRejected, by, reason, ""); err != nil {
		return err
	}
	t.add(app.EventLine{Kind: "decision", Agent: v.Agent, Step: v.StepKey, Summary: fmt.Sprintf("Rejected by a person, draft %d", v.DraftNo)})
	if v.Kind == app.KindGoNoGo {
		return t.stop(ctx, "the go/no-go was rejected")
	}
	settings, err := t.store.settings(ctx, t)
	if err != nil {
		return err
	}
	if st.Rejections+1 >= settings.MaxRejections {
		if _, err := t.raise(ctx, "rejected", fmt.Sprintf("%s#%d", st.Key, v.DraftNo), fmt.Sprintf("%s was rejected %d times. It waits for a person: retry it, skip it or stop the operation.", st.Key, st.Rejections+1)); err != nil {
			return err
		}
		return t.endStep(ctx, st.ID, app.StepFailed, nil, "rejected "+fmt.Sprint(st.Rejections+1)+" times: "+reason)
	}
	return t.store.q.RetryStep(ctx, t, dbsqlc.RetryStepParams{Error: "", NotBefore: nil, Rejections: st.Rejections + 1, Attempt: 0,
		Input: mustJSON(map[string]any{"rejection_reason": reason}), ID: st.ID})
}

// completeStep ends a step with its output, lands the output in the token file
// and does what the step means for the operation.
func (t *opTx) completeStep(ctx context.Context, st app.Step) error {
	if err := t.endStep(ctx, st.ID, app.StepDone, st.Output, ""); err != nil {
		return err
	}
	if err := t.land(ctx, st); err != nil {
		return err
	}
	t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "Done"})
	switch st.Task {
	case "scanner.go_nogo":
		var out struct {
			Decision string `json:"decision"`
		}
		if err := json.Unmarshal(st.Output, &out); err != nil {
			return fmt.Errorf("read go/no-go: %w", err)
		}
		if out.Decision == "no_go" {
			return t.stop(ctx, "the go/no-go said no")
		}
	case "handover":
		t.op.State = app.OperationCompleted
		t.add(app.EventLine{Kind: "operation", Agent: "team", Summary: "Completed: handed over"})
		return t.closeOpen(ctx, "completed")
	}
	return nil
}

// StopByCheck ends an operation whose pre-check forbids it; the step that
// found out is done, with its output.
func (s *Store) StopByCheck(ctx context.Context, c app.Claim, output json.RawMessage, reason string, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		st, err := t.claimed(ctx, c)
		if err != nil {
			return err
		}
		t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "No-go: " + reason})
		st.Output = output
		if err := t.endStep(ctx, st.ID, app.StepDone, output, ""); err != nil {
			return err
		}
		if err := t.land(ctx, st); err != nil {
			return err
		}
		return t.stop(ctx, reason)
	})
}
