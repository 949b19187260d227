package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

// batches are outputs that wait, by the keys of their steps.
func batches(t *testing.T) (*world, map[string]app.Validation) {
	payloads := map[string]any{"designer.kit": app.OutputPayload{Step: "designer.kit", Output: json.RawMessage(`{}`)}, "cto.dossier": app.DossierPayload{Venue: "form"}}
	kinds := map[string]app.ValidationKind{"designer.kit": app.KindKit, "cto.dossier": app.KindDossier}
	risks := map[string]app.Risk{"cm.risky": {Problems: []string{"It promises a price."}}}
	keys := []string{"cm.a", "cm.b", "cm.c", "cm.risky", "cm.tainted", "designer.kit", "cto.dossier"}
	var steps []app.Step
	for _, key := range keys {
		agent, _, _ := strings.Cut(key, ".")
		steps = append(steps, step(key, agent, validates))
	}
	w := newWorld(t, app.Dollar, steps...)
	w.start("cm.a")
	out := make(map[string]app.Validation)
	for i, key := range keys {
		now := j0.Add(time.Duration(i) * time.Second)
		c := w.stepClaim(key)
		run := w.run(c, 1_000)
		w.must(w.store.AnswerCall(w.ctx, c, postgres.Answer{RunID: run.ID, Turn: 1, CallID: "c", Item: json.RawMessage(`{}`), Tainted: key == "cm.tainted"}, now))
		p := postgres.Proposal{RunID: run.ID, CallID: key, Kind: app.KindPost, Payload: post(key), Risk: risks[key]}
		if payload, ok := payloads[key]; ok {
			p.Kind, p.Payload = kinds[key], payload
		}
		id, err := w.store.Propose(w.ctx, c, p, now)
		w.must(err)
		w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{RunID: run.ID, Output: json.RawMessage(`{}`)}, now))
		out[key] = w.now(app.Validation{ID: id})
	}
	return w, out
}

func TestWhatCanBeApprovedTogether(t *testing.T) {
	t.Parallel()
	w, _ := batches(t)
	if got, err := w.store.Batches(w.ctx); err != nil || len(got) != 2 || got[app.KindPost] != 4 || got[app.KindKit] != 1 {
		t.Errorf("together can be approved %v, %v", got, err)
	}
	for _, tt := range []struct {
		kind  app.ValidationKind
		limit int
		want  string
	}{{app.KindPost, 9, "cm.a cm.b cm.c cm.tainted"}, {app.KindPost, 2, "cm.a cm.b"}, {app.KindKit, 9, "designer.kit"}, {app.KindDossier, 9, ""}, {app.KindSite, 9, ""}} {
		got, err := w.store.Batch(w.ctx, tt.kind, tt.limit)
		w.must(err)
		var keys []string
		for _, v := range got {
			keys = append(keys, v.StepKey)
		}
		if strings.Join(keys, " ") != tt.want {
			t.Errorf("%d of %s are %q", tt.limit, tt.kind, keys)
		}
	}
}

func TestApproveBatch(t *testing.T) {
	t.Parallel()
	w, v := batches(t)
	// One was decided meanwhile, one sets off something else by now.
	_, err := w.store.RejectValidation(w.ctx, v["cm.b"].Choice(), bob, "no", j0)
	w.must(err)
	w.exec(`ALTER TABLE validations DISABLE TRIGGER validations_frozen`)
	w.exec(`UPDATE validations SET frozen = f.text, frozen_sha256 = sha256(convert_to(f.text, 'UTF8')) FROM (SELECT id, replace(frozen, 'ember-1.example', 'old.example') AS text FROM validations) f
WHERE f.id = validations.id AND f.id = $1`, v["cm.c"].ID)
	w.exec(`ALTER TABLE validations ENABLE TRIGGER validations_frozen`)
	v["cm.c"] = w.now(v["cm.c"])

	var all []app.Choice
	for _, key := range []string{"cm.a", "cm.b", "cm.c", "cm.risky", "cm.tainted", "designer.kit", "cto.dossier", "cm.a"} {
		all = append(all, v[key].Choice())
	}
	all = append(all, app.Choice{ID: "00000000-0000-4000-8000-000000000000"})
	rows := w.count("admin_audit")
	got, err := w.store.ApproveBatch(w.ctx, app.KindPost, all, ada, j0)
	w.must(err)
	want := []struct {
		says  string
		state app.ValidationState
	}{
		{"", app.ValidationApproved}, {"already rejected by bob", app.ValidationRejected}, {"a new draft waits", app.ValidationVoid},
		{"risk marks", app.ValidationPending}, {"", app.ValidationApproved}, {"another kind", app.ValidationPending}, {"another kind", app.ValidationPending},
		{"already approved by ada", app.ValidationApproved}, {"no such output", ""},
	}
	for i, d := range got {
		if d.Choice != all[i] || d.Validation.State != want[i].state || (d.Err == nil) != (want[i].says == "") || d.Err != nil && !strings.Contains(d.Err.Error(), want[i].says) {
			t.Errorf("%d, %s: it is %s: %v", i, d.Validation.StepKey, d.Validation.State, d.Err)
		}
	}
	if added := w.count("admin_audit") - rows; added != 2 {
		t.Errorf("%d audit rows were added", added)
	}
	w.apply(j0)
	if len(w.effects(v["cm.a"])) != 1 || w.count("effects") != 2 {
		t.Errorf("%d effects", w.count("effects"))
	}
	for _, kind := range []app.ValidationKind{app.KindDossier, app.KindGoNoGo, app.KindHandover} {
		if _, err := w.store.ApproveBatch(w.ctx, kind, []app.Choice{v["cto.dossier"].Choice()}, ada, j0); !isKind(err, app.Invalid) {
			t.Errorf("a batch of %s: %v", kind, err)
		}
	}
}

// TestBatchOfManyHands: several people approve the same page at once.
func TestBatchOfManyHands(t *testing.T) {
	t.Parallel()
	w, v := batches(t)
	all := []app.Choice{v["cm.a"].Choice(), v["cm.b"].Choice(), v["cm.c"].Choice()}
	won := make([]int, 8)
	for _, err := range together(len(won), func(i int) error {
		done, err := w.store.ApproveBatch(w.ctx, app.KindPost, all, []app.User{ada, bob}[i%2], j0)
		for _, d := range done {
			if d.Err == nil {
				won[i]++
			} else if !isKind(d.Err, app.Conflict) {
				return d.Err
			}
		}
		return err
	}) {
		w.must(err)
	}
	sum := 0
	for _, n := range won {
		sum += n
	}
	w.apply(j0)
	if n := w.count("admin_audit WHERE action = 'validation.approved'"); sum != 3 || n != 3 || w.count("effects") != 3 {
		t.Errorf("%d were approved, %d audit rows, %d effects", sum, n, w.count("effects"))
	}
}
