package admin

import (
	"encoding/json"
	"fmt"

	"vivra/app"
	"vivra/views/ui"
)

// attempt is one call with what the table says of it beside its own fields.
type attempt struct {
	app.TraceCall
	try      int
	fallback bool
	usage    app.Usage
}

func (m Trace) attempts() []attempt {
	tries := map[string]int{}
	all := make([]attempt, len(m.Run.Calls))
	for i, c := range m.Run.Calls {
		a := attempt{TraceCall: c, fallback: c.Kind != "image" && c.Model != "" && c.Model != m.Run.Model}
		_ = json.Unmarshal(c.Usage, &a.usage) // a call without usage has none to show
		turn := fmt.Sprint(c.Kind, c.Turn)
		tries[turn]++
		a.try = tries[turn]
		all[i] = a
	}
	return all
}

// standing says in words what became of the call.
func (a attempt) standing() (tone, word, more string) {
	switch {
	case a.State == "reserved":
		return "run", "under way", "the most it can cost is held back"
	case a.Lost:
		return "wait", "lost", "counted at its bound"
	case a.State == "unknown":
		return "wait", "unknown", "it may have been billed; counted at its bound"
	case a.State == "failed" && a.Cost == 0:
		return "bad", "failed", "nothing was billed"
	case a.State == "failed":
		return "bad", "failed", "and was billed"
	}
	return "live", a.State, ""
}

// bookedAt is the price that the call was booked with, per million tokens.
func (a attempt) bookedAt() string {
	if a.Price == nil {
		return ""
	}
	return a.Price.Input.String() + " / " + a.Price.Cached.String() + " / " + a.Price.Output.String()
}

// count shows a number of tokens, nothing when none were reported.
func (a attempt) count(n int64) string {
	if !a.usage.Reported {
		return ""
	}
	return ui.Integer(n)
}

// milliseconds shows how long a call took.
func milliseconds(n int64) string {
	if n == 0 {
		return ""
	}
	return ui.Integer(n) + " ms"
}

func (m Trace) total() (cost, corrected app.Nano) {
	for _, c := range m.Run.Calls {
		cost += c.Cost
		if c.Corrected != nil {
			corrected += *c.Corrected
		} else {
			corrected += c.Cost
		}
	}
	return cost, corrected
}
