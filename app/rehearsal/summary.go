package rehearsal

import (
	"context"
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
	Decisions   map[string]int         `json:"decisions"`    // of people, as the audit has them
	Published   map[string]int         `json:"publications"` // as the local servers saw them
	Matched     map[string]int         `json:"matched"`      // calls that arrived as they were approved, to the byte
	Cost        []postgres.CostByAgent `json:"cost_nusd"`
	Spent       app.Nano               `json:"spent_nusd"`
	Cap         app.Nano               `json:"cap_nusd"`
	LogEntries  int64                  `json:"log_entries"`
	LogCost     app.Nano               `json:"log_cost_nusd"`
	HeadHash    string                 `json:"head_hash"`
	Simulated   int64                  `json:"simulated_seconds"`
	WallMS      int64                  `json:"wall_ms"`
	// OutsideMS is the part of it in which Chromium or the local chain was at
	// work; those of other processes are not counted.
	OutsideMS   int64  `json:"outside_ms"`
	ModelCalls  int    `json:"model_calls"`
	LostAnswers int    `json:"lost_answers"` // of a process that died; each is booked at its bound
	Verdict     string `json:"verdict"`
	Buyback     bool   `json:"buyback_requested"`
	// X is what it was paid.
	X XMoney `json:"x"`
	// Attacks is what came of a poisoned world; nil when it was none.
	Attacks *Attacks `json:"attacks,omitempty"`
	// Faults are promises that did not hold; empty when all is well.
	Faults []string `json:"faults"`
}

func (r *rehearsal) summary(ctx context.Context) (Summary, error) {
	store := r.app.Store
	s := Summary{Slug: r.op.Slug, State: r.op.State, Steps: map[string]int{}, Validations: map[string]int{}, Spent: r.op.Spent, Cap: r.op.Cap,
		HeadHash: r.op.HeadHash, Simulated: int64(r.clock.Now().Sub(r.Start).Seconds()), ModelCalls: r.world.Model.Count(), Faults: []string{}}
	steps, beside, err := r.steps(ctx)
	if err != nil {
		return s, err
	}
	s.Total = len(steps)
	for _, st := range steps {
		s.Steps[string(st.State)]++
	}
	for _, st := range append(steps, beside...) {
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
	if s.Decisions, err = r.decisions(ctx); err != nil {
		return s, err
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
	if err := r.attacked(ctx, &s); err != nil {
		return s, err
	}
	return s, r.prove(ctx, &s)
}

// decisions counts what people did in the queue by what it was.
func (r *rehearsal) decisions(ctx context.Context) (map[string]int, error) {
	rows, err := r.app.Store.Audit(ctx, 10_000)
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, row := range rows {
		if what, ok := strings.CutPrefix(row.Action, "validation."); ok {
			count[what]++
		}
	}
	return count, nil
}
