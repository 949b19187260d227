package replay

import (
	"fmt"

	"vivra/app"
)

// Report is what a replay found.
type Report struct {
	Run       string `json:"run"`
	Operation string `json:"operation"`
	Step      string `json:"step"`
	Agent     string `json:"agent"`
	Model     string `json:"model"`
	State     string `json:"state"`
	Error     string `json:"error,omitempty"`
	// Identical: nothing differs from what was stored.
	Identical bool `json:"identical"`
	// Cleared: what it was told is no longer kept, so it was not played.
	Cleared bool `json:"cleared"`
	// Notes are to be known and no difference.
	Notes []string `json:"notes"`
	Calls []Call   `json:"calls"`
	// Entries of the transcript and Results of tools that were compared.
	Entries int `json:"entries"`
	Results int `json:"results"`
	// Unkept answers were paid for by a process that had lost the run.
	Unkept      int          `json:"answers_not_kept"`
	Spent       app.Nano     `json:"spent_nusd"`
	Differences []Difference `json:"differences"`
	// Astray is how many requests differ: each holds all that came before it, so
	// only the first is shown.
	Astray int `json:"requests_astray"`
}

// Call is one stored call that was played.
type Call struct {
	N             int            `json:"n"` // in the order in which calls were admitted, from 1
	Turn          int            `json:"turn"`
	Model         string         `json:"model"`
	RequestSHA256 string         `json:"request_sha256"`
	State         string         `json:"state"`
	Lost          bool           `json:"lost"`
	Cost          app.Nano       `json:"cost_nusd"`
	Source        app.CostSource `json:"cost_source"`
	Tools         []string       `json:"tools"` // that the answer asks for
	Identical     bool           `json:"identical"`
}

// Difference is one thing that is not as it was stored.
type Difference struct {
	// Call is the number of the call that it is about, 0 for none.
	Call int `json:"call"`
	Turn int `json:"turn"`
	// What is: request, answer, transcript, call, output limit, reservation,
	// state, cost, usage, error, output, end, budget, sum, turns, taint, loop,
	// run, seal, books, log, step.
	What     string `json:"what"`
	Sentence string `json:"sentence"`
	Diff     string `json:"diff,omitempty"`
}

func (s *session) differ(d Difference) { s.report.Differences = append(s.report.Differences, d) }

func (s *session) note(format string, args ...any) {
	s.report.Notes = append(s.report.Notes, fmt.Sprintf(format, args...))
}

// ofCall is a difference of the call under way.
func (s *session) ofCall(what, format string, args ...any) Difference {
	return Difference{Call: s.current + 1, Turn: s.stored.Calls[s.current].Turn, What: what, Sentence: fmt.Sprintf(format, args...)}
}

func (r *Report) conclude() {
	r.Identical = len(r.Differences) == 0
	r.Notes, r.Calls, r.Differences = listed(r.Notes), listed(r.Calls), listed(r.Differences)
	for i := range r.Calls {
		for _, d := range r.Differences {
			if d.Call == r.Calls[i].N {
				r.Calls[i].Identical = false
			}
		}
	}
}

// listed is a list that JSON shows as one when it is empty.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Total sums up several replays.
type Total struct {
	Runs      int      `json:"runs"`
	Identical int      `json:"identical"`
	Cleared   int      `json:"cleared"`
	Calls     int      `json:"calls"`
	Entries   int      `json:"entries"`
	Results   int      `json:"results"`
	Spent     app.Nano `json:"spent_nusd"`
}

// Add counts a report.
func (t *Total) Add(r Report) {
	t.Runs++
	t.Calls += len(r.Calls)
	t.Entries += r.Entries
	t.Results += r.Results
	t.Spent += r.Spent
	if r.Identical {
		t.Identical++
	}
	if r.Cleared {
		t.Cleared++
	}
}
