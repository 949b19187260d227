package tools

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/untrusted"
)

// inside are the rules for words that stay inside: they may name accounts of
// others, but command nobody and lead nowhere.
func inside(found []Violation) []Violation {
	return slices.DeleteFunc(found, func(v Violation) bool {
		return v.Rule == agent.RuleAddress || v.Rule == agent.RuleMention || v.Rule == agent.RuleCashtag
	})
}

// word is one text among the arguments of a call.
type word struct{ key, text string }

// Inspect refuses arguments of a tool, or an output, whose words may not leave.
func (d Deps) Inspect(scope agent.Scope, tool string, args json.RawMessage) error {
	g := d.guard(scope)
	var found []Violation
	var quotes []string
	for _, w := range words(args) {
		broken := g.Violations(w.text)
		if stays(scope, tool, w) {
			broken = inside(broken)
		}
		if len(broken) > 0 {
			found, quotes = append(found, broken...), append(quotes, w.text)
		}
	}
	if len(found) == 0 {
		return nil
	}
	refusal := &agent.UnsafeError{Quote: untrusted.Quote(strings.Join(quotes, " | "), maxQuote)}
	var f faults
	for _, v := range found {
		if !slices.Contains(refusal.Rules, v.Rule) {
			refusal.Rules = append(refusal.Rules, v.Rule)
		}
		f.need(slices.Contains(f, v.Detail), "%s", v.Detail)
	}
	refusal.Cause = app.Errorf(app.Invalid, "%s", strings.Join(f, " "))
	return refusal
}

// maxQuote is how much of what was refused the team gets to see.
const maxQuote = 200

// stays tells whether words are for the team only: who is proposed as a
// moderator, why a mention was flagged, and the accounts that the scanner keeps
// as values of their own. In a sentence they could be an order to whoever reads
// the token file next.
func stays(scope agent.Scope, tool string, w word) bool {
	switch w.key {
	case "member":
		return true
	case "reason":
		return scope.Task == "cm.mentions"
	}
	return tool == "write_file" && scope.Agent == scanner && account.MatchString(w.text)
}

var account = regexp.MustCompile(`^(?:0x[0-9a-fA-F]{40}|@[A-Za-z0-9_]{1,32})$`)

// words are the texts in arguments, those of JSON within them too, and the
// names of its fields. Ids, hashes and places in the token file are none.
func words(args json.RawMessage) []word {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return nil
	}
	return wordsIn("", v, 0)
}

func wordsIn(key string, v any, depth int) (found []word) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			found = append(append(found, word{"", k}), wordsIn(k, v[k], depth)...)
		}
	case []any:
		for _, each := range v {
			found = append(found, wordsIn(key, each, depth)...)
		}
	case string:
		var inner any
		if depth < 2 && json.Unmarshal([]byte(v), &inner) == nil && !isScalar(inner) {
			return wordsIn(key, inner, depth+1)
		}
		if place := key == "sources" && filePath.MatchString(v); !place && !id.MatchString(v) {
			found = append(found, word{key, v})
		}
	}
	return found
}

func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

var filePath = regexp.MustCompile(`^[a-z]+(?:\.[a-z0-9_]+)*$`)

var id = regexp.MustCompile(`^(?:[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9]{1,20}|#[0-9a-fA-F]{6}|)$`)

// guarded lets every tool that writes or publishes inspect its arguments. An
// alert goes to the team and may quote what it is about.
func (d Deps) guarded(tools []agent.Tool) []agent.Tool {
	for i, tool := range tools {
		if tool.Risk == agent.Read || tool.Name == "alert" {
			continue
		}
		tools[i].Inspect = func(scope agent.Scope, args json.RawMessage) error { return d.Inspect(scope, tool.Name, args) }
	}
	return tools
}
