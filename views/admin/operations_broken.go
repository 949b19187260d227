package admin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vivra/app"
	"vivra/app/effects"
	"vivra/views/layout"
	"vivra/views/ui"
)

// broken is a publication of several calls of which a part is out and the rest
// does not follow by itself.
type broken struct {
	layout.Team
	Step  app.Step
	Parts app.Parts
	Calls []app.EffectStatus // one for each call, in order
	// Retry is the call that failed, nil when its approval does not hold any more.
	Retry *app.EffectStatus
	// Draft is the rest where it waits for a decision, nil when it does not.
	Draft *app.QueueItem
	// What an admin may do.
	MayGoOn, MayFinish, MaySkip bool
}

func (m OperationPage) brokenOff() (all []broken) {
	for _, s := range m.Steps {
		if b := m.broken(s); b.stands() {
			all = append(all, b)
		}
	}
	return all
}

func (m OperationPage) broken(s app.Step) broken {
	calls := m.calls(s)
	may := m.CanOperate() && !m.State.Final()
	b := broken{Team: m.Team, Step: s, Calls: m.callsInOrder(s), MayGoOn: may && s.MayGoOn(calls) == nil,
		MayFinish: may && s.MayFinish(calls) == nil, MaySkip: may && s.MaySkip(calls) == nil}
	b.Parts = app.Parts{Total: len(b.Calls), Posts: true}
	for i, e := range b.Calls {
		b.Parts.Posts = b.Parts.Posts && e.Kind == effects.XPost
		if e.State == app.EffectDone {
			b.Parts.Out++
		}
		if may && s.State == app.StepFailed && m.retriable(e) && b.Retry == nil {
			b.Retry = &b.Calls[i]
		}
	}
	if i := slices.IndexFunc(m.Validations, func(v app.QueueItem) bool { return v.StepKey == s.Key }); i >= 0 {
		b.Draft = &m.Validations[i]
	}
	return b
}

// callsInOrder are the calls of a step by their place. What is planned anew
// under a later approval stands for what was planned before.
func (m OperationPage) callsInOrder(s app.Step) []app.EffectStatus {
	at := map[int]app.EffectStatus{}
	for _, e := range m.Effects {
		if was, ok := at[e.Position]; e.StepID == s.ID && (!ok || was.State != app.EffectDone) {
			at[e.Position] = e
		}
	}
	var all []app.EffectStatus
	for _, e := range at {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b app.EffectStatus) int { return cmp.Compare(a.Position, b.Position) })
	return all
}

// stands tells whether it is broken off, and not just on its way.
func (b broken) stands() bool {
	if !b.Parts.Broken() {
		return false
	}
	next := b.next()
	switch b.Step.State {
	case app.StepFailed:
		return true
	case app.StepWaiting:
		return b.Draft != nil || next.State == app.EffectVoid || next.State == app.EffectIntent && next.Error != ""
	}
	return false
}

// next is the first call that is not out.
func (b broken) next() app.EffectStatus {
	i := slices.IndexFunc(b.Calls, func(e app.EffectStatus) bool { return e.State != app.EffectDone })
	return b.Calls[max(i, 0)]
}

func (b broken) id() string { return "broken-" + strings.ReplaceAll(b.Step.Key, ".", "-") }

// title says what happened in a word.
func (b broken) title() string {
	if b.Step.State == app.StepFailed || b.Draft != nil {
		return "Broken off"
	}
	return "Held up"
}

// why says which call did not go out.
func (b broken) why() string {
	e := b.next()
	name := strings.ToUpper(b.Parts.Noun()[:1]) + b.Parts.Noun()[1:]
	switch {
	case b.Draft != nil:
		return "The rest waits for a decision of its own in the queue. What is out can't be sent again."
	case e.State == app.EffectIntent && b.Step.State == app.StepWaiting:
		return fmt.Sprintf("%s %d waits, and goes on by itself when it can. The rest follows it.", name, e.Position+1)
	case e.State == app.EffectFailed:
		return fmt.Sprintf("%s %d failed. %s not sent, and won't be unless somebody says so here.", name, e.Position+1, b.behind())
	}
	return fmt.Sprintf("From %s %d on nothing is sent any more.", b.Parts.Noun(), e.Position+1)
}

// behind names the calls behind the one that failed.
func (b broken) behind() string {
	at := b.next().Position + 2
	if at > b.Parts.Total {
		return "It was"
	}
	return "It and " + b.from(at) + " behind it were"
}

// rest names the calls that are not out.
func (b broken) rest() string { return b.from(b.next().Position + 1) }

// from names the calls from a number on.
func (b broken) from(first int) string {
	switch last := b.Parts.Total; last - first {
	case 0:
		return fmt.Sprintf("%s %d", b.Parts.Noun(), first)
	case 1:
		return fmt.Sprintf("%ss %d and %d", b.Parts.Noun(), first, last)
	default:
		return fmt.Sprintf("%ss %d to %d", b.Parts.Noun(), first, last)
	}
}

func (b broken) retryWord() string {
	return fmt.Sprintf("Retry from %s %d", b.Parts.Noun(), b.Retry.Position+1)
}

// words is what a call would have said, so that the parts can be told apart.
func (b broken) words(e app.EffectStatus) string {
	_, said := sought(e)
	const most = 90
	if short := []rune(said); len(short) > most {
		return string(short[:most]) + "…"
	}
	return said
}

// word is where a call stands: one that is not sent never was.
func (b broken) word(e app.EffectStatus) string {
	if e.State == app.EffectIntent && b.Step.State == app.StepFailed || e.State == app.EffectVoid {
		return "not sent"
	}
	return effectWord(e.State)
}

func (b broken) heading() string { return b.title() + ": " + ui.StepTitle(b.Step.Key) }
