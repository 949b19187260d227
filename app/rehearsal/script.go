package rehearsal

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// Decision is what the rehearsal's team does with one kind of output.
type Decision struct {
	// Step is a step's key, or a pattern such as cm.daily_post.*.
	Step string `json:"step"`
	// Decide is approve, reject or leave.
	Decide string `json:"decide"`
	Reason string `json:"reason"`
	// Times is how often the decision is taken; 0 is always.
	Times int `json:"times"`
}

// Script is what the team decides. The first decision that fits is taken; what
// none fits is approved.
type Script struct {
	Decisions []Decision `json:"decisions"`
	taken     []int
}

// ParseScript reads "all", "none" or the JSON of a script.
func ParseScript(text string) (*Script, error) {
	switch text {
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
		if _, err := path.Match(d.Step, ""); err != nil || d.Step == "" {
			return nil, fmt.Errorf("decision %d: %q is no pattern of step keys", i+1, d.Step)
		}
		if d.Decide != "approve" && d.Decide != "reject" && d.Decide != "leave" {
			return nil, fmt.Errorf("decision %d: decide must be approve, reject or leave, not %q", i+1, d.Decide)
		}
		if d.Decide == "reject" && strings.TrimSpace(d.Reason) == "" {
			return nil, fmt.Errorf("decision %d: a rejection needs a reason", i+1)
		}
		if d.Times < 0 {
			return nil, fmt.Errorf("decision %d: times can't be less than nothing", i+1)
		}
	}
	return s, nil
}

// on returns what to do with an output of a step.
func (s *Script) on(step string) Decision {
	if s.taken == nil {
		s.taken = make([]int, len(s.Decisions))
	}
	for i, d := range s.Decisions {
		fits, _ := path.Match(d.Step, step)
		if fits && (d.Times == 0 || s.taken[i] < d.Times) {
			s.taken[i]++
			return d
		}
	}
	return Decision{Step: step, Decide: "approve"}
}

// leavesAll tells whether nothing is ever decided by the script.
func (s *Script) leavesAll() bool {
	return len(s.Decisions) > 0 && s.Decisions[0].Step == "*" && s.Decisions[0].Decide == "leave" && s.Decisions[0].Times == 0
}
