// Package doctor looks at every outside service, and at what the program
// itself stands on, and says in one screen what is wrong and what to do. It
// changes nothing.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
)

// State is how a service is.
type State string

// From well to ill. Off is what nobody has set up.
const (
	OK      State = "ok"
	Off     State = "off"
	Warning State = "warning"
	Broken  State = "broken"
)

// Finding is what was seen of one service.
type Finding struct {
	Service string `json:"service"`
	State   State  `json:"state"`
	// Seen is what answered: versions, names of accounts, counts.
	Seen string `json:"seen"`
	// Advice says what is wrong and what to do, in one sentence; empty when all is well.
	Advice string `json:"advice"`
	// Latency of its last answer, in milliseconds.
	Latency int64 `json:"latency_ms"`
	// Cost of the look, for the few that are billed.
	Cost app.Nano `json:"cost_nusd"`

	reach reach
}

// Check looks at one service, or at some of a kind.
type Check struct {
	Service string
	Look    func(ctx context.Context) []Finding
}

// Report is what one examination found, in the order of its checks.
type Report struct {
	At       time.Time `json:"at"`
	Took     int64     `json:"took_ms"`
	Healthy  bool      `json:"healthy"` // nothing is broken
	Cost     app.Nano  `json:"cost_nusd"`
	Findings []Finding `json:"findings"`
}

// Examination says how to look.
type Examination struct {
	Timeout time.Duration // of each check
	Wall    clockwork.Clock
	Secrets Secrets // what the report must not show
}

// Examine makes every check at the same time. One that hangs or panics is a
// finding of its own and keeps no other waiting.
func (e Examination) Examine(ctx context.Context, checks []Check) Report {
	began := e.Wall.Now()
	found := make([][]Finding, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		all.Go(func() { found[i] = e.look(ctx, c) })
	}
	all.Wait()
	r := Report{At: began.UTC(), Took: e.Wall.Since(began).Milliseconds(), Healthy: true, Findings: []Finding{}}
	for _, f := range networkOf(slices.Concat(found...)) {
		r.add(e.clean(f))
	}
	return r
}

func (r *Report) add(f Finding) {
	r.Findings = append(r.Findings, f)
	r.Cost += f.Cost
	r.Healthy = r.Healthy && f.State != Broken
}

// maxWords bounds what is said of one service, in characters.
const maxWords = 400

// clean makes what others said fit for a screen: one line, no secret, bounded.
func (e Examination) clean(f Finding) Finding {
	for _, text := range []*string{&f.Seen, &f.Advice} {
		*text = most(e.Secrets.hide(plain(*text)), maxWords)
	}
	return f
}

// grace is what a check may take beyond its time to say that it was cut off.
const grace = time.Second

func (e Examination) look(ctx context.Context, c Check) []Finding {
	within, cancel := context.WithTimeout(ctx, e.Timeout)
	defer cancel()
	done := make(chan []Finding, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				done <- []Finding{broken(c.Service, "", "The check itself failed: %v; report it.", fault)}
			}
		}()
		done <- c.Look(within)
	}()
	timer := e.Wall.NewTimer(e.Timeout + grace)
	defer timer.Stop()
	select {
	case found := <-done:
		return found
	case <-timer.Chan():
		return []Finding{broken(c.Service, "", "It gave no answer in %s: try a longer --timeout.", e.Timeout)}
	}
}

func ok(service, seen string, args ...any) Finding {
	return Finding{Service: service, State: OK, Seen: fmt.Sprintf(seen, args...)}
}

func off(service, seen string, args ...any) Finding {
	return Finding{Service: service, State: Off, Seen: fmt.Sprintf(seen, args...)}
}

func warning(service, seen, advice string, args ...any) Finding {
	return Finding{Service: service, State: Warning, Seen: seen, Advice: fmt.Sprintf(advice, args...)}
}

func broken(service, seen, advice string, args ...any) Finding {
	return Finding{Service: service, State: Broken, Seen: seen, Advice: fmt.Sprintf(advice, args...)}
}

// one is the check of a service that has one finding.
func one(service string, look func(context.Context) Finding) Check {
	return Check{service, func(ctx context.Context) []Finding { return []Finding{look(ctx)} }}
}

// NotConfigured is the finding of a service whose variables are empty.
func NotConfigured(service, variables, without string) Check {
	return one(service, func(context.Context) Finding {
		return off(service, "%s: set %s", without, variables)
	})
}
