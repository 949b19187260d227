package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"vivra/app"
	"vivra/app/agent"
)

// RequestBytes implements runner.Model.
func (s *session) RequestBytes(req agent.Request) ([]byte, error) {
	s.asked = req
	return s.Encoder.RequestBytes(req)
}

// Respond gives the stored answer to the call under way.
func (s *session) Respond(context.Context, agent.Request, func(string)) (agent.Response, error) {
	answer, err := decodeAnswer(s.stored.Calls[s.current].Answer)
	switch {
	case err != nil: // checkAnswers has said so
		s.broken = true
		return agent.Response{}, err
	case answer.Fault != nil:
		return agent.Response{}, answer.Fault
	}
	return *answer.Response, nil
}

func decodeAnswer(raw json.RawMessage) (answer agent.Answer, err error) {
	if raw == nil {
		return answer, errors.New("it was not kept")
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return answer, err
	}
	if (answer.Response == nil) == (answer.Fault == nil) {
		return answer, errors.New("it is neither a response nor a fault")
	}
	return answer, nil
}

// checkAnswers holds every stored answer to its hash.
func (s *session) checkAnswers() {
	for i, call := range s.stored.Calls {
		if call.Kind != modelCall || call.State == reserved || call.Lost && call.Answer == nil {
			continue
		}
		if sum := app.SHA256Hex(call.Answer); call.Answer != nil && sum != call.AnswerSHA256 {
			s.differ(Difference{Call: i + 1, Turn: call.Turn, What: "answer", Sentence: fmt.Sprintf("The stored answer is not the one that was kept: it hashes to %s, not to %s.", sum, call.AnswerSHA256)})
		}
		if _, err := decodeAnswer(call.Answer); err != nil {
			s.differ(Difference{Call: i + 1, Turn: call.Turn, What: "answer", Sentence: fmt.Sprintf("The stored answer can't be played: %v.", err)})
		}
	}
}

// result gives the stored result of a tool call. What the engine refuses
// without calling a tool is worked out anew, and compared when it is kept.
func (s *session) result(_ context.Context, a agent.Agent, _ agent.Scope, call agent.Call) agent.Outcome {
	if refusal, ok := a.Check(call); !ok {
		return refusal
	}
	it, ok := s.nextItem()
	if !ok {
		s.endOutside("before the result of " + call.Tool + " was kept")
		s.cancel()
		return agent.Outcome{}
	}
	if it.Role != "tool" || it.CallID != call.ID {
		s.differ(Difference{Turn: s.run.Turns, What: "transcript", Sentence: fmt.Sprintf("The loop calls %s (%s) here; the next stored entry is no result of it.", call.Tool, call.ID)})
		s.broken = true
		s.cancel()
		return agent.Outcome{}
	}
	s.unproved = append(s.unproved, strconv.Itoa(s.stored.Items[s.items].Seq))
	out := agent.Outcome{Text: it.Text, OK: true}
	if tool, _ := a.Tool(call.Tool); tool.Source != "" && strings.HasPrefix(it.Text, "<untrusted ") {
		out.Tainted, out.Source = true, tool.Source
	}
	return out
}

// nextItem is the entry of the transcript that was stored next.
func (s *session) nextItem() (it agent.Item, ok bool) {
	if s.items >= len(s.stored.Items) {
		return it, false
	}
	if err := json.Unmarshal(s.stored.Items[s.items].Item, &it); err != nil {
		return agent.Item{}, true // fits nothing
	}
	return it, true
}
