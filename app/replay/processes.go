package replay

import (
	"errors"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/postgres"
)

// nextAsked is the place of the next model call among the stored calls, or
// behind the last of them.
func (s *session) nextAsked() int {
	i := s.calls
	for i < len(s.stored.Calls) && s.stored.Calls[i].Kind != modelCall {
		i++
	}
	return i
}

// lastAsked is the model call before that, nil when there is none.
func (s *session) lastAsked() *app.StoredCall {
	for i := s.calls - 1; i >= 0; i-- {
		if s.stored.Calls[i].Kind == modelCall {
			return &s.stored.Calls[i]
		}
	}
	return nil
}

// askedAgain tells whether the turn of a call was asked once more later, or its
// run ended where that would be: the process had lost its claim when the answer
// came, so the answer was paid for and not kept.
func (s *session) askedAgain(call app.StoredCall) bool {
	if next := s.nextAsked(); next < len(s.stored.Calls) {
		return s.stored.Calls[next].Turn == call.Turn
	}
	return s.items >= len(s.stored.Items)
}

// refused tells whether a fault that is not tried again was the end of a process
// only: the turn was asked once more, so that process had lost its claim.
func (s *session) refused(message string) bool {
	last, next := s.lastAsked(), s.nextAsked()
	if last == nil || last.State == settled || last.Error != message || next == len(s.stored.Calls) || s.stored.Calls[next].Turn != last.Turn {
		return false
	}
	answer, err := decodeAnswer(last.Answer)
	return err == nil && answer.Fault != nil && !answer.Fault.Retryable()
}

// leave ends the loop of a process that had lost its claim. The next one goes
// on from what was kept.
func (s *session) leave(turn int) error {
	s.again = true
	s.report.Unkept++
	s.note("What the model said in turn %d was paid for and not kept: its process had lost the run by then.", turn)
	return postgres.ErrLost
}

// otherModel settles that the loop asks one of the run's two models and the other
// one was asked. nil says that it does not follow from what was stored.
func (s *session) otherModel(call app.StoredCall, req app.CallRequest) error {
	if call.Model == req.Model || call.Turn != req.Turn {
		return nil
	}
	switch s.run.Model {
	case call.Model: // another process took the run up, and began with its own model
		if s.forgot {
			return nil
		}
		s.forgot, s.again = true, true
		return postgres.ErrLost
	case req.Model: // no more was allowed to ask this one
		if fault, stopped := s.givenUp(req.Turn); stopped && fault.ElsewhereMayDo() {
			return &agent.ModelError{Status: 404, Reason: "no_model", Message: "it was not asked again"}
		}
	}
	return nil
}

// stopped ends a run that asks a model again after a fault that it ended with.
func (s *session) stopped(turn int) error {
	fault, ok := s.givenUp(turn)
	if !ok || s.stored.State != failed || plain(fault.Error()) != s.stored.Error {
		return nil
	}
	return errors.New(s.stored.Error)
}
