package agent

import (
	"slices"
	"strings"

	"vivra/app"
)

// Rule names what may not leave in an agent's words.
type Rule string

// The rules that code holds every outgoing text to.
const (
	RuleAddress     Rule = "address"
	RuleLink        Rule = "link"
	RuleMention     Rule = "mention"
	RuleCashtag     Rule = "cashtag"
	RuleCommand     Rule = "command"
	RuleEncoded     Rule = "encoded"
	RuleHidden      Rule = "hidden"
	RuleInstruction Rule = "instruction"
	// RuleTwice is a field that stands in an object twice, so that two readers
	// of it may see different words.
	RuleTwice Rule = "twice"
	// RuleTool is a call to a tool that the agent does not have.
	RuleTool Rule = "tool"
)

// rules say what each is about, in words fit for the public log.
var rules = map[Rule]string{
	RuleAddress: "a foreign address", RuleLink: "a link that is not allowed", RuleMention: "a foreign @name", RuleCashtag: "a foreign cashtag",
	RuleCommand: "a command to a bot", RuleEncoded: "a text in code", RuleHidden: "characters that can't be seen",
	RuleInstruction: "an instruction to whoever reads it", RuleTwice: "a field that stands there twice", RuleTool: "a tool that this agent does not have",
}

// Words says what the rule is about.
func (r Rule) Words() string { return rules[r] }

// UnsafeError refuses what an agent wanted to say or do because it may be
// somebody else who speaks through it. The model gets Cause's sentence, the log
// the rules, and the team what was written.
type UnsafeError struct {
	Rules []Rule
	// Quote is what was written: outside text, folded to one short line.
	Quote string
	Cause *app.Error
}

func (e *UnsafeError) Error() string { return e.Cause.Message }

// Unwrap returns what the model is told.
func (e *UnsafeError) Unwrap() error { return e.Cause }

// Words lists what was found, in words fit for the public log.
func (e *UnsafeError) Words() string {
	var words []string
	for _, r := range e.Rules {
		if !slices.Contains(words, r.Words()) {
			words = append(words, r.Words())
		}
	}
	return strings.Join(words, ", ")
}
