package admin

import (
	"encoding/json"
	"regexp"

	"vivra/app"
	"vivra/views/ui"
)

// fenced is a result that came from outside, in the fence that the model saw.
var fenced = regexp.MustCompile(`(?s)^<untrusted source="([^"]*)" id="[0-9a-f]+">\n(.*)\n</untrusted>$`)

// entry is one message of the transcript, read for people.
type entry struct {
	app.TraceItem
	note    string // what code put in
	cut     bool   // the answer met its output limit
	other   string // the fallback that answered
	text    string
	calls   []toolCall
	tool    string // whose result it is
	source  string // where a fenced result is from
	refused bool   // the result says why there is none
}

// toolCall is one call that the model asked for.
type toolCall struct {
	ID   string          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// message is a transcript entry as the runner stores it.
type message struct {
	Text   string     `json:"text"`
	Calls  []toolCall `json:"calls"`
	CallID string     `json:"call_id"`
	Note   string     `json:"note"`
	Cut    bool       `json:"cut"`
	Model  string     `json:"model"` // that answered, when it was the fallback
}

// Entries reads the transcript; those up to the number after are left out.
func (m Trace) Entries(after int) []entry {
	names := map[string]string{}
	var all []entry
	for _, it := range m.Run.Items {
		var msg message
		if err := json.Unmarshal(it.Content, &msg); err != nil {
			msg.Text = string(it.Content) // not ours: shown as it is
		}
		for _, c := range msg.Calls {
			names[c.ID] = c.Tool
		}
		if it.Seq <= after {
			continue
		}
		e := entry{TraceItem: it, note: msg.Note, cut: msg.Cut, other: msg.Model, text: msg.Text, calls: msg.Calls, tool: names[msg.CallID]}
		if it.Role == "tool" {
			e.readResult()
		}
		all = append(all, e)
	}
	return all
}

// readResult takes a result out of its fence and tells a refusal from an answer.
func (e *entry) readResult() {
	if found := fenced.FindStringSubmatch(e.text); found != nil {
		e.source, e.text = found[1], found[2]
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(e.text), &fields) == nil {
		_, e.refused = fields["error"]
		e.refused = e.refused && len(fields) == 1
	}
}

// title names the entry for people.
func (e entry) title() string {
	switch {
	case e.note != "":
		return "Vivra: " + noteName(e.note)
	case e.Role == "tool" && e.tool != "":
		return "Result of " + e.tool
	case e.Role == "tool":
		return "Result"
	case e.Role == "assistant":
		return "The model"
	case e.Role == "user":
		return "The task"
	}
	return e.Role
}

func noteName(note string) string {
	switch note {
	case "reminder":
		return "a reminder"
	case "schema":
		return "what does not fit"
	}
	return note
}

// kind is the class of the entry's mark.
func (e entry) kind() string {
	if e.note != "" {
		return "note"
	}
	return e.Role
}

// pretty indents JSON and leaves every other text as it is.
func pretty(text string) string { return ui.Pretty(json.RawMessage(text)) }

// arguments are those of a call, indented when they are JSON. They are kept as
// the text that the model wrote.
func (c toolCall) arguments() string {
	var written string
	if json.Unmarshal(c.Args, &written) == nil {
		return pretty(written)
	}
	return ui.Pretty(c.Args)
}
