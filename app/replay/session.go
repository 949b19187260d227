package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/cassette"
	"vivra/app/runner"
)

// session is one run being played.
type session struct {
	*Replayer
	stored  app.StoredRun
	changes []app.SettingChange
	prices  app.PriceList
	tape    bytes.Buffer

	report  Report
	run     app.Run // as it stands so far
	calls   int     // how many stored calls are behind us
	items   int     // how many stored entries of the transcript are
	current int     // the call under way
	opened  bool
	asked   agent.Request // the last one
	fresh   app.Run       // as this program would begin it
	// sent is the hash of the last request that was as stored; unproved are the
	// entries since then that nothing was held against: results of tools.
	sent     string
	unproved []string
	again    bool // the loop ends as a killed process does, and is begun anew
	over     bool // the loop came to an end that is compared
	broken   bool // it can't go on: what is left is not compared
	strict   bool // the loop goes by the strictest limits
	forgot   bool // the loop is begun by a program that asks the run's own model
	adrift   bool // a request differs, so all after it do
	cancel   context.CancelFunc
	trouble  error // the store could not be read
}

// begin sets the run back to its first message.
func (s *session) begin() {
	r := s.stored
	s.run = r.Run
	s.report = Report{Run: r.Run.ID, Operation: r.Operation.Slug, Step: r.Step.Key, Agent: r.Run.Agent, Model: r.Run.Model, State: r.State, Error: r.Error}
	s.run.Turns, s.run.Spent, s.run.Failures, s.run.Tainted, s.run.Sources = 0, 0, 0, false, nil
	s.readOpening()
	if r.ClearedAt == nil {
		s.checkAnswers()
	}
}

// pass notes that a run was cleared: there is nothing to play. Its seal and its
// books are compared all the same.
func (s *session) pass() {
	s.report.Cleared, s.broken = true, true
	s.note("It was not played: it held words of others, which were cleared on %s. Its end, what is left of its transcript and its costs are compared.", s.stored.ClearedAt.UTC().Format("2 Jan 2006"))
}

// readOpening takes the run's first message, which is not compared, as it is
// stored: what it says it holds of others taints the run.
func (s *session) readOpening() {
	if len(s.stored.Items) == 0 {
		return
	}
	var first struct {
		Sources []string `json:"sources"`
	}
	_ = json.Unmarshal(s.stored.Items[0].Item, &first) // an unreadable one is found below
	for _, source := range first.Sources {
		s.taint(source)
	}
}

// perform plays the loop, once for each process that had the run.
func (s *session) perform(ctx context.Context) error {
	switch {
	case s.stored.ClearedAt != nil:
		s.pass()
		return nil
	case s.stored.Run.StepID == 0:
		s.differ(Difference{What: "run", Sentence: "It belongs to no step: only runs of steps can be played."})
		s.broken = true
		return nil
	case len(s.stored.Items) == 0:
		return nil // it ended before its first message
	}
	s.items = 1
	step := s.step()
	for {
		s.again = false
		within, cancel := context.WithCancel(ctx)
		s.cancel = cancel
		err := s.runner().Run(within, app.Claim{OperationID: s.run.OperationID, StepID: s.run.StepID}, s.stored.Operation, step)
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case s.trouble != nil:
			return s.trouble
		case s.again:
			continue
		case !s.over && !s.broken:
			s.differ(Difference{Turn: s.run.Turns, What: "loop", Sentence: fmt.Sprintf("The loop stopped: %v.", err)})
			s.broken = true
		}
		return nil
	}
}

// step is the step as the run found it: its input may have been replaced since,
// and stands in the first message.
func (s *session) step() app.Step {
	step := s.stored.Step
	var message struct {
		Text string `json:"text"`
	}
	var opening struct {
		Input json.RawMessage `json:"input"`
	}
	if json.Unmarshal(s.stored.Items[0].Item, &message) == nil && json.Unmarshal([]byte(message.Text), &opening) == nil && opening.Input != nil {
		step.Input = opening.Input
	}
	return step
}

func (s *session) runner() *runner.Runner {
	return &runner.Runner{Store: books{s}, Catalogue: s.Catalogue, Model: cassette.NewRecorder(s, &s.tape), Perform: s.result, Inspect: s.inspect,
		Clock: newClock(s), Wall: instant{clockwork.NewFakeClock()}, Lease: time.Hour, LivePage: s.LivePage}
}
