package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
)

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
	case app.MentionsTask:
		return t.classified(ctx, st)
	case app.ReplyTask:
		return t.mentionAnswered(ctx, st)
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
