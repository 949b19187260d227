package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"vivra/app"
	"vivra/app/agent"
)

// item is a transcript entry as it is stored.
type item struct {
	agent.Item
	Note  string `json:"note,omitempty"`  // marks what code has to say of an answer
	Cut   bool   `json:"cut,omitempty"`   // the answer met its output limit
	Model string `json:"model,omitempty"` // that answered, when it was the fallback
	// Sources are of what others wrote in what the run is told first.
	Sources []string `json:"sources,omitempty"`
	turn    int
}

// The notes of code: a reminder to call a tool, and a refused output.
const (
	noteReminder = "reminder"
	noteSchema   = "schema"
)

// encode writes an item for the database. Arguments are stored as the text that
// the model wrote, since jsonb would change and refuse some JSON.
func (it item) encode() json.RawMessage {
	calls := make([]agent.Call, len(it.Calls))
	for i, call := range it.Calls {
		calls[i] = agent.Call{ID: call.ID, Tool: call.Tool, Args: mustJSON(argsText(call.Args))}
	}
	it.Calls = calls
	return mustJSON(it)
}

func decodeItems(stored []app.RunItem) ([]item, error) {
	out := make([]item, len(stored))
	for i, s := range stored {
		if err := json.Unmarshal(s.Item, &out[i]); err != nil {
			return nil, fmt.Errorf("read item %d of the run: %w", s.Seq, err)
		}
		for k, call := range out[i].Calls {
			out[i].Calls[k].Args = argsOf(argsText(call.Args))
		}
		out[i].turn = s.Turn
	}
	return out, nil
}

// argsText is the text of arguments: those that were no JSON are a JSON string.
func argsText(args json.RawMessage) string {
	var text string
	if json.Unmarshal(args, &text) == nil {
		return text
	}
	return string(args)
}

// argsOf is the reverse: JSON as it is, anything else as a JSON string.
func argsOf(text string) json.RawMessage {
	if json.Valid([]byte(text)) && shallow(text) {
		return json.RawMessage(text)
	}
	return mustJSON(text)
}

// shallow tells whether JSON can be read and written inside more JSON, for
// which the depth is limited.
func shallow(text string) bool {
	dec, depth := json.NewDecoder(strings.NewReader(text)), 0
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return true // its end
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth > 1000 {
			return false
		}
	}
}

// keep returns an answer, or its fault, as it is kept for a replay, and the
// answer as it is read back from there: the run goes on with no other.
func keep(answer agent.Response, callErr error) (agent.Response, json.RawMessage) {
	if callErr != nil {
		return answer, encode(agent.Answer{Fault: faultOf(callErr)})
	}
	for i, call := range answer.Calls {
		answer.Calls[i].Args = argsOf(strings.ToValidUTF8(argsText(call.Args), "\ufffd"))
	}
	kept := encode(agent.Answer{Response: &answer})
	var read agent.Answer
	if err := json.Unmarshal(kept, &read); err != nil {
		panic(err) // it was written just now
	}
	return *read.Response, kept
}

// cancelled is the fault of a call that the caller itself gave up.
const cancelled = "cancelled"

func faultOf(callErr error) *agent.ModelError {
	var fault *agent.ModelError
	if !errors.As(callErr, &fault) {
		fault = &agent.ModelError{Reason: cancelled, Message: callErr.Error()}
	}
	return fault
}

// encode writes JSON that changes no more of a text than it must.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // plain data
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
