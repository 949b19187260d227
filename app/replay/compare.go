package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/cassette"
)

// same tells whether two JSON texts say the same. The database keeps what they
// say, not how it is spelt: the order of keys, white space, 1e2 or 100.
func same(a, b json.RawMessage) bool {
	x, errX := loose(a)
	y, errY := loose(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

func loose(raw json.RawMessage) (v any, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&v)
	return plainly(v), err
}

// plainly replaces each number by one spelling of it.
func plainly(v any) any {
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case []any:
		for i := range v {
			v[i] = plainly(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainly(v[k])
		}
	}
	return v
}

// number is a number written out. The database holds none that is too long for
// that.
func number(n json.Number) any {
	_, exponent, _ := strings.Cut(strings.ToLower(n.String()), "e")
	r, ok := new(big.Rat).SetString(n.String())
	if !ok || len(exponent) > 5 {
		return n
	}
	digits, _ := r.FloatPrec() // exact: it was written in decimal digits
	return json.Number(r.FloatString(digits))
}

// plain is text as the database can hold it.
func plain(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// diff shows how made differs from recorded, whatever their spelling; empty
// when they say the same.
func diff(recorded, made any) string {
	return cassette.Diff(readable(recorded), readable(made))
}

// readable is v with its numbers and keys in one spelling.
func readable(v any) any {
	raw, ok := v.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(v); err != nil {
			return err.Error()
		}
	}
	value, err := loose(raw)
	if err != nil {
		return string(raw) // no JSON: as it stands
	}
	return value
}

// compareRequest holds what the loop asks to the hash of what was asked.
func (b books) compareRequest(call app.StoredCall, req app.CallRequest) {
	if req.RequestSHA256 == call.RequestSHA256 {
		if b.adrift {
			b.note("Requests after the one that differs are as they were, and hold all that it held: it is its hash that was changed.")
		}
		b.sent, b.unproved, b.adrift = req.RequestSHA256, nil, false
		return
	}
	b.report.Astray++
	if b.adrift {
		return // it holds all that came before
	}
	b.adrift = true
	d := b.ofCall("request", "The loop asks %s here; %s was asked.", req.RequestSHA256, call.RequestSHA256)
	if d.Diff = diff(b.recorded(call), b.asked); d.Diff == "" {
		d.Sentence += " " + b.suspects()
		if d.Diff = b.refilled(); d.Diff != "" {
			d.Sentence += " This is the stored system prompt beside what this program makes of the same template:"
		}
	}
	b.differ(d)
}

// recorded is the request of a stored call, put together from what is stored.
func (b books) recorded(call app.StoredCall) agent.Request {
	req := agent.Request{Model: call.Model, System: b.stored.Run.System, Tools: b.asked.Tools, MaxOutputTokens: b.asked.MaxOutputTokens, Temperature: b.asked.Temperature}
	for _, stored := range b.stored.Items {
		var it agent.Item
		if stored.Turn < call.Turn && json.Unmarshal(stored.Item, &it) == nil {
			for i, asked := range it.Calls {
				it.Calls[i].Args = spoken(asked.Args)
			}
			req.Items = append(req.Items, it)
		}
	}
	return req
}

// spoken are arguments as the model wrote them: they are stored as text.
func spoken(args json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(args, &text) == nil && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return args
}

// suspects says what can have made two requests differ whose parts agree: what
// is stored was changed after it was sent, or the program writes it otherwise.
func (b books) suspects() string {
	switch {
	case b.sent == "":
		return "What is stored of it was changed since (the system prompt, the first message), or this program has other tools, schemas or limits for " + b.run.Agent + ", or writes requests otherwise."
	case len(b.unproved) == 0:
		return "All that it holds is as it was, so the hash was changed since."
	}
	return fmt.Sprintf("The request before it, %.12s, was as it is, so a tool result that is stored after that was changed since, entry %s of the transcript, or the hash itself.", b.sent, strings.Join(b.unproved, " or "))
}

// refilled shows how the stored system prompt differs from what this program
// fills its template with, when the template is the same.
func (b books) refilled() string {
	if b.sent != "" || b.fresh.PromptSHA256 != b.stored.Run.PromptSHA256 || b.fresh.System == b.stored.Run.System {
		return ""
	}
	return cassette.Diff(strings.Split(b.stored.Run.System, "\n"), strings.Split(b.fresh.System, "\n"))
}
