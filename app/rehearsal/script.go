package rehearsal

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Decision is what the rehearsal's team does with one kind of output.
type Decision struct {
	// Step is a step's key, or a pattern such as cm.daily_post.*.
	Step string `json:"step"`
	// Decide is approve, reject, leave, undo (approve, then take that back), edit
	// (write a draft of one's own) or batch (wait for another one of its kind, then
	// approve them together).
	Decide string `json:"decide"`
	Reason string `json:"reason"`
	// Text is what an edit adds to the first text of the output.
	Text string `json:"text"`
	// Times is how often the decision is taken; 0 is always.
	Times int `json:"times"`
}

// Script is what the team decides. The first decision that fits is taken; what
// none fits is approved.
type Script struct {
	Decisions []Decision `json:"decisions"`
	taken     []int
}

// usual is a month of a team at work: nearly everything is approved.
const usual = `{"decisions": [
	{"step": "tg.setup", "decide": "undo", "times": 1},
	{"step": "designer.poll", "decide": "edit", "text": " Vote once, for 24 hours.", "times": 1},
	{"step": "cm.daily_post.d03", "decide": "reject", "reason": "It names no figure. Say how many hold today.", "times": 1},
	{"step": "cm.utility_post", "decide": "batch", "times": 1},
	{"step": "cm.verdict_post", "decide": "batch", "times": 1}
]}`

// ParseScript reads "usual", "all", "none" or the JSON of a script.
func ParseScript(text string) (*Script, error) {
	switch text {
	case "usual":
		text = usual
	case "", "all":
		return &Script{}, nil
	case "none":
		return &Script{Decisions: []Decision{{Step: "*", Decide: "leave"}}}, nil
	}
	s := new(Script)
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(s); err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	if dec.More() {
		return nil, errors.New("read script: something stands after its end")
	}
	for i, d := range s.Decisions {
		if problem := d.problem(); problem != "" {
			return nil, fmt.Errorf("decision %d: %s", i+1, problem)
		}
	}
	return s, nil
}

// problem says why a decision can't be meant, "" when it can.
func (d Decision) problem() string {
	_, err := path.Match(d.Step, "")
	kinds := []string{"approve", "reject", "leave", "undo", "edit", "batch"}
	switch {
	case err != nil || d.Step == "":
		return fmt.Sprintf("%q is no pattern of step keys", d.Step)
	case !slices.Contains(kinds, d.Decide):
		return fmt.Sprintf("decide must be approve, reject, leave, undo, edit or batch, not %q", d.Decide)
	case d.Decide == "reject" && strings.TrimSpace(d.Reason) == "":
		return "a rejection needs a reason"
	case d.Decide == "edit" && d.Text == "":
		return "an edit needs a text"
	case d.Times < 0:
		return "times can't be less than nothing"
	case (d.Decide == "undo" || d.Decide == "edit") && d.Times == 0:
		return "what comes back to the queue needs times, or it would never end"
	}
	return ""
}

// on returns what to do with an output of a step. took counts it once it is done.
func (s *Script) on(step string) (d Decision, took func()) {
	if s.taken == nil {
		s.taken = make([]int, len(s.Decisions))
	}
	for i, d := range s.Decisions {
		fits, _ := path.Match(d.Step, step)
		if fits && (d.Times == 0 || s.taken[i] < d.Times) {
			return d, func() { s.taken[i]++ }
		}
	}
	return Decision{Step: step, Decide: "approve"}, func() {}
}

// leavesAll tells whether nothing is ever decided by the script.
func (s *Script) leavesAll() bool {
	return len(s.Decisions) > 0 && s.Decisions[0].Step == "*" && s.Decisions[0].Decide == "leave" && s.Decisions[0].Times == 0
}
