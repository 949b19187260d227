package replay

import (
	"fmt"
	"strings"

	"vivra/app"
)

// compareSeal holds the end of a run and its transcript to the hash that was
// taken of them then: nothing was asked after the last results of tools, so no
// request vouches for them.
func (s *session) compareSeal() {
	switch sum := seal(s.stored); {
	case s.stored.State == running && s.stored.Seal != "":
		s.differ(Difference{What: "seal", Sentence: "It goes on by what is stored, yet it was sealed at its end."})
	case s.stored.State == running:
	case s.stored.Seal != "" && s.stored.Seal != sum:
		s.differ(Difference{What: "seal", Sentence: fmt.Sprintf("Its end and its transcript hash to %s; %s was taken of them when it ended.", sum, s.stored.Seal)})
	case s.stored.Seal == "" && len(s.unproved) > 0:
		s.note("Nothing vouches for entries %s of the transcript: it ended before runs were sealed, and no request holds them.", strings.Join(s.unproved, ", "))
	}
}

// seal writes a run as the database does when it ends.
func seal(r app.StoredRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s", r.State, r.Error, r.Output)
	for _, it := range r.Items {
		fmt.Fprintf(&b, "\n%d %d %d %s %s", it.Seq, it.Turn, it.At.UnixMicro(), it.CallID, it.Item)
	}
	return app.SHA256Hex([]byte(b.String()))
}

// compareBooks holds what is booked on an ended run, and on its step, to its
// calls and to the public log.
func (s *session) compareBooks() {
	r := s.stored
	if r.Run.StepID != 0 && r.Logged != r.Booked {
		s.differ(Difference{What: "log", Sentence: fmt.Sprintf("The log says that the runs of %s paid %s; %s is booked on them.", r.Step.Key, r.Logged, r.Booked)})
	}
	if r.State == running {
		return
	}
	if r.Reserved != 0 {
		s.differ(Difference{What: "books", Sentence: fmt.Sprintf("It is over, yet %s is held back for it.", r.Reserved)})
	}
	if least, most := s.overruns(); r.Overrun < least || r.Overrun > most {
		s.differ(Difference{What: "books", Sentence: fmt.Sprintf("By its calls it went over its budget by %s to %s; %s is stored.", least, most, r.Overrun)})
	}
	ended := r.Step.State == app.StepDone || r.Step.State == app.StepWaiting
	if r.State == succeeded && r.Newest && ended && r.Step.Output != nil && !same(r.Step.Output, r.Output) {
		s.differ(Difference{What: "step", Sentence: "The output of the step is not the run's.", Diff: diff(r.Output, r.Step.Output)})
	}
}

// overruns is what a run can have spent beyond its budget: what is over it, and
// all that calls cost more than was held back for them, as calls may overlap.
func (s *session) overruns() (least, most app.Nano) {
	for _, call := range s.stored.Calls {
		most += max(0, call.Cost-call.Reserved)
	}
	least = max(0, s.stored.Run.Spent-s.stored.Run.Budget)
	return least, max(least, most)
}
