package replay

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

// What agent_runs says of a run.
const (
	running   = "running"
	succeeded = "succeeded"
	failed    = "failed"
)

// FinishRun compares the output and how the run ended.
func (b books) FinishRun(_ context.Context, _ app.Claim, end postgres.RunEnd, _ time.Time) error {
	b.over = true
	switch {
	case b.stored.State == running, b.stored.State == failed && outside(b.stored.Error) && b.stored.Seal != "":
		b.endOutside("before its output was kept") // its seal is compared
	case b.stored.State != succeeded:
		b.differ(Difference{Turn: b.run.Turns, What: "end", Sentence: fmt.Sprintf("The loop hands in an output; stored is that the run %s: %s", b.stored.State, b.stored.Error)})
	case !same(b.stored.Output, end.Output):
		b.differ(Difference{Turn: b.run.Turns, What: "output", Sentence: "The output is not what is stored.", Diff: diff(b.stored.Output, end.Output)})
	}
	return nil
}

// FailRun compares why the run failed.
func (b books) FailRun(_ context.Context, _ app.Claim, _ string, cause error, _ bool, _ []time.Duration, _ time.Time) error {
	message := plain(cause.Error())
	switch {
	case b.broken:
		return nil
	case b.refused(message):
		_ = b.leave(b.run.Turns + 1)
		return nil
	}
	b.over = true
	switch {
	case b.stored.State == failed && b.stored.Error == message:
	case b.stored.State == running || b.stored.State == failed && outside(b.stored.Error):
		b.endOutside("while it failed")
	case b.stored.State == failed:
		b.differ(Difference{Turn: b.run.Turns, What: "end", Sentence: fmt.Sprintf("The loop fails with %q; %q is stored.", message, b.stored.Error)})
	default:
		b.differ(Difference{Turn: b.run.Turns, What: "end", Sentence: fmt.Sprintf("The loop fails with %q; stored is that the run %s.", message, b.stored.State)})
	}
	return nil
}

// SuspendStep is never called: the operation that is played does not pause.
func (b books) SuspendStep(context.Context, app.Claim, time.Time) error { return nil }

var wallNamed = regexp.MustCompile(`^budget_exceeded: .* of the (\w+)'s budget$`)

func budgetWall(message string) (wall string, ok bool) {
	found := wallNamed.FindStringSubmatch(message)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// outside tells whether a run was ended by what is no part of its loop: time,
// or its operation.
func outside(message string) bool {
	return strings.HasPrefix(message, "the run took longer than ") || strings.HasPrefix(message, "operation ")
}

// ofLoop tells whether a run was ended by what only its loop finds.
func ofLoop(message string) bool {
	_, budget := budgetWall(message)
	return budget || slices.ContainsFunc([]string{"the output does not fit", "the model answered in plain text", "no output after "},
		func(beginning string) bool { return strings.HasPrefix(message, beginning) })
}

// endOutside ends a run where what is stored of it ends: by right when it is
// not over yet, or was ended from outside.
func (b *session) endOutside(when string) {
	b.over = true
	switch b.stored.State {
	case running:
		b.note("It is not over: it was played as far as it goes, %s.", when)
		return
	case failed:
		if last := b.lastAsked(); !ofLoop(b.stored.Error) && (last == nil || last.Error != b.stored.Error) {
			b.note("It was ended by what is no part of its loop, %s: %s", when, b.stored.Error)
			return
		}
	}
	b.broken = true
	b.differ(Difference{Turn: b.run.Turns, What: "end", Sentence: strings.TrimSpace(fmt.Sprintf("What is stored ends %s, yet the run %s. %s", when, b.stored.State, b.stored.Error))})
}

// conclude compares what is left over, and the sums.
func (s *session) conclude() {
	s.payImages()
	s.compareSeal()
	s.compareBooks()
	if left := len(s.stored.Calls) - s.calls; left > 0 && !s.broken && s.stored.State != running {
		s.differ(Difference{What: "call", Sentence: app.Count(left, "further call is", "further calls are") + " stored that the loop does not make."})
	}
	if left := len(s.stored.Items) - s.items; left > 0 && !s.broken {
		s.differ(Difference{What: "transcript", Sentence: app.Count(left, "further entry of the transcript is", "further entries of the transcript are") + " stored that the loop does not make."})
	}
	var sum app.Nano
	for _, call := range s.stored.Calls {
		sum += call.Cost
	}
	if sum != s.stored.Run.Spent {
		s.differ(Difference{What: "sum", Sentence: fmt.Sprintf("Its calls cost %s; %s is booked on the run.", sum, s.stored.Run.Spent)})
	}
	if !s.broken {
		s.compareRun()
	}
	s.report.Spent, s.report.Entries = sum, s.items
	s.report.conclude()
}

func (s *session) compareRun() {
	if s.run.Turns != s.stored.Run.Turns {
		s.differ(Difference{What: "turns", Sentence: fmt.Sprintf("It has %s, not the %d that are stored.", app.Count(s.run.Turns, "turn", "turns"), s.stored.Run.Turns)})
	}
	made, stored := slices.Sorted(slices.Values(s.run.Sources)), slices.Sorted(slices.Values(s.stored.Run.Sources))
	if s.run.Tainted != s.stored.Run.Tainted || !slices.Equal(made, stored) {
		s.differ(Difference{What: "taint", Sentence: fmt.Sprintf("It reads outside text of %v; stored is %v.", made, stored)})
	}
}
