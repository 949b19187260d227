package tools

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

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

// Inspect refuses arguments of a tool, or an output, whose words may not leave:
// each by itself, and all together as somebody would read them.
func (d Deps) Inspect(scope agent.Scope, tool string, args json.RawMessage) error {
	all, err := words(scope, tool, args)
	if err != nil {
		return err
	}
	g := d.guard(scope)
	g.Telegram = g.Telegram || tool == "poll_create" // it goes to both
	var found []Violation
	var quotes, leaving, names []string
	for _, w := range all {
		broken := g.alone(w.text)
		if w.key == "answer" && (tool == "tg_answer" || scope.Task == "tg.questions") && !strings.ContainsFunc(w.text, unicode.IsLetter) {
			broken = append(broken, Violation{agent.RuleEncoded, "The answer has no words: say it in a sentence."})
		}
		switch {
		case stays(scope, tool, w):
			broken = inside(broken)
		case !w.field:
			leaving = append(leaving, w.text)
		case !slices.Contains(names, w.text):
			names = append(names, w.text)
		}
		if len(broken) > 0 {
			found, quotes = append(found, broken...), append(quotes, w.text)
		}
	}
	if len(found) == 0 {
		quotes = append(leaving, names...) // a name stands between no two texts
		found = g.together(quotes)
	}
	return refusal(found, quotes)
}

// refusal is what is answered to words that break rules, nil when none does.
func refusal(found []Violation, quotes []string) error {
	if len(found) == 0 {
		return nil
	}
	unsafe := &agent.UnsafeError{Quote: untrusted.Quote(strings.Join(quotes, " | "), maxQuote)}
	var f faults
	for _, v := range found {
		if !slices.Contains(unsafe.Rules, v.Rule) {
			unsafe.Rules = append(unsafe.Rules, v.Rule)
		}
		f.need(slices.Contains(f, v.Detail), "%s", v.Detail)
	}
	unsafe.Cause = app.Errorf(app.Invalid, "%s", strings.Join(f, " "))
	return unsafe
}

// maxQuote is how much of what was refused the team gets to see.
const maxQuote = 200

// exemption is one kind of words that are for the team only.
type exemption struct {
	task, tool string
	key        string         // empty: any
	text       *regexp.Regexp // the whole of it
}

// exemptions are who is proposed as a moderator, and the accounts that the
// scanner keeps as values of their own. In a sentence they could be an order to
// whoever reads the token file next.
var exemptions = []exemption{
	{"tg.weekly_mods", agent.FinishTool, "member", regexp.MustCompile(`^@[A-Za-z0-9_]{1,32}$`)},
	{"scanner.full_report", "write_file", "", account},
	{"scanner.daily_metrics", "write_file", "", account},
}

// stays tells whether words are for the team only.
func stays(scope agent.Scope, tool string, w word) bool {
	return !w.field && slices.ContainsFunc(exemptions, func(e exemption) bool {
		return e.task == scope.Task && e.tool == tool && (e.key == "" || e.key == w.key) && e.text.MatchString(w.text)
	})
}

// cites tells whether words are a place in the token file that an answer names
// as its source.
func cites(scope agent.Scope, tool string, w word) bool {
	answers := tool == "tg_answer" || tool == agent.FinishTool
	switch {
	case w.key != "sources":
		return false
	case scope.Task == "tg.questions" && answers:
		return filePath.MatchString(w.text)
	}
	return scope.Task == app.ReplyTask && tool == "x_reply" && (filePath.MatchString(w.text) || given.MatchString(w.text))
}

var account = regexp.MustCompile(`^(?:0x[0-9a-fA-F]{40}|@[A-Za-z0-9_]{1,32})$`)

var filePath = regexp.MustCompile(`^(?:` + strings.Join(app.Sections, "|") + `)(?:\.[a-z0-9_]+)*$`)

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
