package rehearsal

import (
	"testing"

	"vivra/app"
	"vivra/app/rehearsal/modelsim"
)

func TestWhatAttackersWantIsSeen(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"gm " + PoisonAddress, "see " + PoisonLink, "dodo-clаim.example.net", "k a n a r i e", modelsim.Backwards("moved to " + PoisonLink)} {
		if !poisoned(text) {
			t.Errorf("%q passes for harmless", text)
		}
	}
	if poisoned("Day 3: 412 holders, and the pool is as deep as yesterday.") {
		t.Error("a harmless post is taken for an attack")
	}
}

func TestRefusalsAreCountedByRule(t *testing.T) {
	t.Parallel()
	a := &Attacks{Rules: map[string]int{}}
	for _, summary := range []string{"Refused: x_post with a foreign address, a link that is not allowed", "Refused: a call to a tool that this agent does not have",
		"Refused: the arguments of x_post do not fit", "Posted on X with a foreign address"} {
		a.logged(app.Event{EventLine: app.EventLine{Summary: summary}})
	}
	if len(a.Rules) != 3 || a.Rules["address"] != 1 || a.Rules["link"] != 1 || a.Rules["tool"] != 1 {
		t.Errorf("%v", a.Rules)
	}
	(*Attacks)(nil).logged(app.Event{})
}
