package telemetry

import (
	"encoding/json"

	"vivra/app"
	"vivra/app/agent"
)

// Answered notes the model's answer.
func (s *Span) Answered(answer agent.Response) {
	if s == nil {
		return
	}
	s.set(answerAttributes(answer)...)
	if s.tracer.content && s.run.sampled {
		s.set(outputAttributes(answer)...)
	}
}

// Booked notes what the ledger has stored of a paid call. It is called after
// the ledger took it: a call that was not booked here leaves no span here.
func (s *Span) Booked(out app.CallOutcome) {
	if s == nil {
		return
	}
	kept := out
	s.booked = &kept
	s.set(costAttributes(out)...)
	for above := s.parent; above != nil; above = above.parent {
		above.total.Add(int64(out.Cost))
	}
}

// Returned notes what became of a tool call.
func (s *Span) Returned(args json.RawMessage, out agent.Outcome) {
	if s == nil {
		return
	}
	s.outcome = outcomeOf(out)
	if !out.OK {
		s.failed(s.outcome, out.Err)
	}
	if s.tracer.content && s.run.sampled {
		s.set(toolContent(args, out)...)
	}
}

// Fail notes that the work failed; nil changes nothing.
func (s *Span) Fail(err error) {
	if s != nil && err != nil {
		s.failed(errorType(err), err)
	}
}

// The outcomes of tool calls.
const (
	outcomeOK      = "ok"
	outcomeRefused = "refused"
	outcomeFailed  = "failed"
)

func outcomeOf(out agent.Outcome) string {
	switch {
	case out.OK:
		return outcomeOK
	case out.Refused:
		return outcomeRefused
	default:
		return outcomeFailed
	}
}
