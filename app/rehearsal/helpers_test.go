package rehearsal_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/postgres"
	"vivra/app/rehearsal"
)

// ending is what a rehearsal left behind.
type ending struct {
	rehearsal.Summary
	op    app.Operation
	steps map[string]app.Step
	world *rehearsal.World
	store *postgres.Store
	dsn   string
}

// rehearse plays a plan on a database of the test's own, and fails the test
// when a promise did not hold.
func rehearse(t *testing.T, p rehearsal.Plan) ending {
	t.Helper()
	p.DatabaseURL = testdb.URL(t)
	store, err := postgres.Open(t.Context(), p.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	e := ending{steps: map[string]app.Step{}, store: store, dsn: p.DatabaseURL}
	p.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	p.World = func(w *rehearsal.World) { e.world = w }
	look := p.Finished
	p.Finished = func(ctx context.Context, a *boot.App, op app.Operation, base string) error {
		e.op = op
		if look != nil {
			return look(ctx, a, op, base)
		}
		return nil
	}
	if e.Summary, err = rehearsal.Rehearse(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	steps, err := e.store.Steps(t.Context(), e.op.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		e.steps[s.Key] = s
	}
	for _, a := range testop.Alerts(t, store, "unsafe_output") {
		if !p.Obey {
			t.Errorf("what an agent said by itself was refused: %s", a.Message)
		}
	}
	if len(e.Faults) > 0 {
		t.Errorf("promises that did not hold:\n%s", strings.Join(e.Faults, "\n"))
	}
	e.replays(t)
	return e
}

func script(t *testing.T, text string) *rehearsal.Script {
	t.Helper()
	s, err := rehearsal.ParseScript(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (e ending) state(key string) app.StepState { return e.steps[key].State }

// asked tells how many requests to the model were about a step.
func (e ending) asked(step string) (n int) {
	for _, r := range e.world.Model.Requests() {
		if len(r.Messages) > 1 && r.Messages[1].Content != nil && strings.Contains(*r.Messages[1].Content, `"step":"`+step+`"`) {
			n++
		}
	}
	return n
}
