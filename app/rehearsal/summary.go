package rehearsal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vivra/app"
	"vivra/app/postgres"
)

// Summary is what a rehearsal came to.
type Summary struct {
	Slug        string                 `json:"slug"`
	State       app.OperationState     `json:"state"`
	Steps       map[string]int         `json:"steps"`
	Total       int                    `json:"steps_total"`
	Validations map[string]int         `json:"validations"`
	Published   map[string]int         `json:"publications"` // as the local servers saw them
	Cost        []postgres.CostByAgent `json:"cost_nusd"`
	Spent       app.Nano               `json:"spent_nusd"`
	Cap         app.Nano               `json:"cap_nusd"`
	LogEntries  int64                  `json:"log_entries"`
	LogCost     app.Nano               `json:"log_cost_nusd"`
	HeadHash    string                 `json:"head_hash"`
	Simulated   int64                  `json:"simulated_seconds"`
	WallMS      int64                  `json:"wall_ms"`
	ModelCalls  int                    `json:"model_calls"`
	Verdict     string                 `json:"verdict"`
	Buyback     bool                   `json:"buyback_requested"`
	// Faults are promises that did not hold; empty when all is well.
	Faults []string `json:"faults"`
}

func (r *rehearsal) summary(ctx context.Context) (Summary, error) {
	store := r.app.Store
	s := Summary{Slug: r.op.Slug, State: r.op.State, Steps: map[string]int{}, Validations: map[string]int{}, Spent: r.op.Spent, Cap: r.op.Cap,
		HeadHash: r.op.HeadHash, Simulated: int64(r.clock.Now().Sub(r.Start).Seconds()), ModelCalls: r.world.Model.Count(), Faults: []string{}}
	steps, err := store.Steps(ctx, r.op.ID)
	if err != nil {
		return s, err
	}
	s.Total = len(steps)
	for _, st := range steps {
		s.Steps[string(st.State)]++
		if st.State == app.StepFailed {
			s.Faults = append(s.Faults, st.Key+" failed: "+st.Error)
		}
	}
	counts, err := store.Counts(ctx, r.op.ID)
	if err != nil {
		return s, err
	}
	for state, n := range counts.Validations {
		s.Validations[string(state)] = n
	}
	if s.LogEntries, s.LogCost, err = store.LogTotals(ctx, r.op.ID); err != nil {
		return s, err
	}
	if s.Cost, err = store.LogCosts(ctx, r.op.ID); err != nil {
		return s, err
	}
	if s.Buyback, err = store.BuybackRequested(ctx, r.op.ID); err != nil {
		return s, err
	}
	ops, err := store.Operations(ctx)
	if err != nil {
		return s, err
	}
	s.Verdict = ops[0].Verdict
	return s, r.check(ctx, &s)
}

// check holds what the servers saw against what the database says was done.
func (r *rehearsal) check(ctx context.Context, s *Summary) error {
	effects, err := r.app.Store.Effects(ctx, r.op.ID)
	if err != nil {
		return err
	}
	done := map[string]int{}
	for _, e := range effects {
		if e.State == app.EffectDone {
			done[e.Kind]++
		}
	}
	s.Published = r.world.Published()
	for kind, want := range map[string]int{"x.post": done["x.post"], "tg.message": done["tg.message"], "tg.poll": done["tg.poll"], "deployment": done["site.deploy"] + done["utility.deploy"]} {
		if s.Published[kind] != want {
			s.Faults = append(s.Faults, fmt.Sprintf("%s: %d were approved and carried out, the local server saw %d", kind, want, s.Published[kind]))
		}
	}
	if twice := r.world.Twice(); len(twice) > 0 {
		s.Faults = append(s.Faults, "published twice: "+strings.Join(twice, "; "))
	}
	if s.LogCost != s.Spent {
		s.Faults = append(s.Faults, fmt.Sprintf("the log sums to %s, the operation to %s", s.LogCost, s.Spent))
	}
	if s.Spent > s.Cap {
		s.Faults = append(s.Faults, fmt.Sprintf("%s was spent under a cap of %s", s.Spent, s.Cap))
	}
	slices.Sort(s.Faults)
	return nil
}

// Published counts what the local servers were given, by kind.
func (w *World) Published() map[string]int {
	n := map[string]int{}
	for _, p := range w.X.Posts() {
		if p.Account == xAccountID {
			n["x.post"]++
		}
	}
	for _, p := range w.Telegram.Published() {
		if p.PollID != "" {
			n["tg.poll"]++
		} else {
			n["tg.message"]++
		}
	}
	n["deployment"] = len(w.Pages.Deployments())
	return n
}

// Twice names what the local servers were given more than once.
func (w *World) Twice() []string {
	seen, twice := map[string]bool{}, []string{}
	add := func(key string) {
		if seen[key] {
			twice = append(twice, key)
		}
		seen[key] = true
	}
	for _, p := range w.X.Posts() {
		if p.Account == xAccountID {
			add("x: " + p.Text)
		}
	}
	for _, p := range w.Telegram.Published() {
		add("telegram: " + p.Text)
	}
	for _, d := range w.Pages.Deployments() {
		add("deployment: " + d.Message)
	}
	return twice
}
