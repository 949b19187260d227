package runner

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"vivra/app/agent"
)

// What is kept of one answer. The rest of it would only be paid for again in
// every later turn.
const (
	maxText  = 200_000 // bytes
	maxArgs  = 250_000 // bytes of one call
	maxCalls = 100
	maxName  = 64 // the API's own limit
	maxID    = 40 // the API's own limit
)

// storable is an answer as an item: whatever the model wrote, the API takes it
// back and the database holds it.
func (r *run) storable(answer agent.Response, a asked) item {
	it := item{Item: agent.Item{Role: "assistant", Text: cut(strings.ReplaceAll(answer.Text, "\x00", "\ufffd"), maxText)}, Cut: answer.Cut, turn: a.turn}
	if a.req.Model != r.Run.Model {
		it.Model = a.req.Model
	}
	seen := r.callIDs()
	for _, call := range answer.Calls[:min(len(answer.Calls), maxCalls)] {
		id := freeID(call.ID, seen)
		seen[id] = true
		it.Calls = append(it.Calls, agent.Call{ID: id, Tool: r.plainName(call.Tool), Args: plainArgs(call.Args)})
	}
	return it
}

// plainArgs are arguments without what a database can't hold.
func plainArgs(args json.RawMessage) json.RawMessage {
	text := cut(strings.ReplaceAll(argsText(args), "\x00", "\ufffd"), maxArgs)
	if json.Valid([]byte(text)) {
		text = escapes.ReplaceAllStringFunc(text, harmless)
	}
	return argsOf(text)
}

// escapes finds every escape of a JSON text, a pair of surrogates as one.
var escapes = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\u0000|\\.`)

// harmless replaces the escapes that jsonb refuses: NUL and half a pair.
func harmless(escape string) string {
	if len(escape) == len(`\u0000`) {
		return `\ufffd`
	}
	return escape
}

// cut shortens text to at most so many bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// plainName is a tool's name in the letters that the API takes. A name that had
// to be changed never becomes that of a tool.
func (r *run) plainName(name string) string {
	plain := plain(name, maxName)
	if plain == "" {
		plain = "unnamed"
	}
	for plain != name && toolName(r.agent, plain) != "" {
		plain = cut(plain, maxName-1) + "_"
	}
	return plain
}

// plain replaces what is not a letter, digit, _ or -, and cuts what is too long.
func plain(text string, most int) string {
	return cut(strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
			return c
		}
		return '_'
	}, cut(text, 4*most)), most)
}

// callIDs are the ids that calls of the run have had.
func (r *run) callIDs() map[string]bool {
	seen := make(map[string]bool)
	for _, it := range r.items {
		for _, call := range it.Calls {
			seen[call.ID] = true
		}
	}
	return seen
}

// freeID gives a call an id that no call of the run has had, since tools are
// idempotent by it: models that count their calls anew in each turn would
// otherwise get old results.
func freeID(id string, seen map[string]bool) string {
	base := plain(id, maxID)
	if base == "" {
		base = "call"
	}
	free := base
	for n := 1; seen[free]; n++ {
		suffix := "_" + strconv.Itoa(n)
		free = cut(base, maxID-len(suffix)) + suffix
	}
	return free
}
