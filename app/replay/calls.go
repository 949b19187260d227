package replay

import (
	"vivra/app"
)

// compareOutcome holds what came of a call to what was booked.
func (b books) compareOutcome(call app.StoredCall, out app.CallOutcome) {
	if out.State != call.State {
		b.differ(b.ofCall("state", "It is %s; %s is booked.", out.State, call.State))
	}
	if out.Cost != call.Cost || out.Source != call.Source {
		b.differ(b.ofCall("cost", "It costs %s (%s) by its usage and the price of then; %s (%s) is booked.", out.Cost, source(out.Source), call.Cost, source(call.Source)))
	}
	if shown := diff(call.Usage, out.Usage); shown != "" {
		d := b.ofCall("usage", "The usage of the answer is not what is booked.")
		d.Diff = shown
		b.differ(d)
	}
	if plain(out.Error) != call.Error {
		b.differ(b.ofCall("error", "It failed with %q; %q is stored.", out.Error, call.Error))
	}
	if plain(string(out.Answer)) != string(call.Answer) {
		d := b.ofCall("answer", "The answer is kept in another form now.")
		d.Diff = diff(call.Answer, out.Answer)
		b.differ(d)
	}
}

func source(s app.CostSource) string {
	if s == "" {
		return "nothing charged"
	}
	return string(s)
}

// compareReservation works out anew what had to be held back.
func (b books) compareReservation(call app.StoredCall, req app.CallRequest) {
	if call.Turn != req.Turn || call.Model != req.Model || call.Kind != req.Kind {
		b.differ(b.ofCall("call", "The loop asks %s for turn %d; stored is a call of %s for turn %d.", req.Model, req.Turn, call.Model, call.Turn))
	}
	if call.Agent != "" && call.Agent != req.Agent {
		b.differ(b.ofCall("call", "It counts against the share of %s; stored is %s's.", req.Agent, call.Agent))
	}
	if b.adrift {
		return // its bytes are others
	}
	left := b.stored.Run.Budget - b.run.Spent
	switch most := min(req.WantOutput, req.Price.OutputFor(req.RequestBytes, left)); {
	case call.OutputLimit > most || call.OutputLimit < req.MinOutput:
		b.differ(b.ofCall("output limit", "Its output limit can be %d to %d tokens; %d is stored.", req.MinOutput, most, call.OutputLimit))
	case call.Reserved != req.Price.Bound(req.RequestBytes, call.OutputLimit):
		b.differ(b.ofCall("reservation", "Its worst cost is %s; %s was reserved.", req.Price.Bound(req.RequestBytes, call.OutputLimit), call.Reserved))
	}
}
