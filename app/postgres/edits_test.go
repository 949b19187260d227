package postgres_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
	"vivra/app/preflight"
)

// written is a post that a run which has read outside text proposed.
func written(t *testing.T) (*world, app.Validation) {
	t.Helper()
	w := newWorld(t, app.Dollar, step("cm.daily_post.d03", "cm", validates, func(s *app.Step) { s.Task = "cm.daily_post" }))
	c := w.start("cm.daily_post.d03")
	run := w.run(c, app.Dollar)
	id, err := w.store.Propose(w.ctx, c, postgres.Proposal{RunID: run.ID, CallID: "c1", Kind: app.KindPost, Payload: post("The agent's words."), Risk: app.Risk{Effect: "Posts it."}}, j0)
	w.must(err)
	w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{RunID: run.ID, Output: json.RawMessage(`{"text":"The agent's words.","media":[],"validation_id":"` + id + `"}`), Summary: "Finished"}, j0))
	w.exec(`UPDATE agent_runs SET tainted = true, sources = '{"posts on X"}', spent_nusd = 7 WHERE id = $1`, run.ID)
	return w, w.now(app.Validation{ID: id})
}

func (w *world) edit(v app.Validation, text string, by app.User, now time.Time) app.Validation {
	w.t.Helper()
	edited, err := w.store.SaveEdit(w.ctx, v.Choice(), post(text), app.Risk{Effect: "Posts it as edited.", PublishPrice: 3}, by, now)
	w.must(err)
	return edited
}

func TestEditIsANewDraft(t *testing.T) {
	t.Parallel()
	w, v := written(t)
	later := j0.Add(time.Hour)
	got := w.edit(v, "A person's words.", bob, later)
	old := w.now(v)
	if old.State != app.ValidationVoid || old.VoidReason != "edited by bob" || string(old.Payload) != string(v.Payload) {
		t.Errorf("the draft before is %s, %q: %s", old.State, old.VoidReason, old.Payload)
	}
	if got.State != app.ValidationPending || got.DraftNo != 2 || got.EditedBy != "bob" || got.Replaces != v.ID || got.Nonce == v.Nonce || got.FrozenSHA256 == v.FrozenSHA256 {
		t.Errorf("the new draft is %+v", got)
	}
	// What the run has read and cost is not washed off, and nobody waits anew.
	if got.RunID != v.RunID || !got.Risk.Tainted || len(got.Risk.Sources) != 1 || got.RunCost != 7 || !got.CreatedAt.Equal(v.CreatedAt) {
		t.Errorf("run %q, risk %+v, cost %s, waits since %s", got.RunID, got.Risk, got.RunCost, got.CreatedAt)
	}
	if got.Risk.Effect != "Posts it as edited." || got.Risk.PublishPrice != preflight.PricePost || got.Risk.Marks() != 0 {
		t.Errorf("risk %+v", got.Risk)
	}
	if says := w.summaries("cm.daily_post.d03"); says[len(says)-1] != "Edited by a person: draft 1 is now draft 2" {
		t.Errorf("the log says %q", says)
	}
	again := w.edit(got, "Another person's words.", ada, later)
	if again.DraftNo != 3 || again.EditedBy != "ada" || again.Replaces != got.ID || again.RunID != v.RunID || !again.CreatedAt.Equal(v.CreatedAt) {
		t.Errorf("edited again it is %+v", again)
	}
	if n := w.count("validations WHERE state = 'pending'"); n != 1 {
		t.Errorf("%d drafts wait", n)
	}
}

func TestEditIsAudited(t *testing.T) {
	t.Parallel()
	w, v := written(t)
	rows := w.count("admin_audit")
	got := w.edit(v, "A person's words.", bob, j0.Add(time.Hour))
	audit, err := w.store.Audit(w.ctx, 1)
	w.must(err)
	if n := w.count("admin_audit"); n != rows+1 || audit[0].User != "bob" || audit[0].Action != "validation.edited" || !strings.HasSuffix(audit[0].Subject, "cm.daily_post.d03 "+got.ID) {
		t.Errorf("%d rows, %+v", n-rows, audit[0])
	}
	for text, holds := range map[string][]string{string(audit[0].Before): {v.ID, v.PayloadSHA256, v.FrozenSHA256}, string(audit[0].After): {got.ID, got.PayloadSHA256, got.FrozenSHA256, `"Text"`}} {
		for _, want := range holds {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not hold %s", text, want)
			}
		}
	}
}

// TestDroppedPostsAreAudited beside those that were written anew.
func TestDroppedPostsAreAudited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.thread", "cm", validates))
	v := w.waiting("cm.thread", app.KindThread, thread4())
	fewer := thread4()
	fewer.Posts = fewer.Posts[:2]
	fewer.Posts[0].Text = "One."
	_, err := w.store.SaveEdit(w.ctx, v.Choice(), fewer, app.Risk{}, bob, j0)
	w.must(err)
	audit, err := w.store.Audit(w.ctx, 1)
	w.must(err)
	if got := string(audit[0].After); !strings.Contains(got, `"fields": ["Post 1", "Post 3 (dropped)", "Post 4 (dropped)"]`) {
		t.Errorf("the audit says %s", got)
	}
}

// What goes out and what lands in the token file are a person's words.
func TestEditedWordsGoOut(t *testing.T) {
	t.Parallel()
	w, v := written(t)
	got := w.edit(v, "A person's <words>.", bob, j0)
	now := w.approve(got, j0)
	e, ok := w.attempt(w.effects(got)[0], now)
	if !ok || !strings.Contains(string(e.Request), `"text":"A person's <words>."`) || len(w.effects(v)) > 0 {
		t.Fatalf("attempted %v: %s", ok, e.Request)
	}
	w.must(w.store.EffectDone(w.ctx, e, sent("77"), now))
	file, _, err := w.store.TokenFile(w.ctx, w.op.Token.ID, "x")
	w.must(err)
	var says map[string]struct{ Text string }
	w.must(json.Unmarshal(file, &says))
	if says["cm.daily_post"].Text != "A person's <words>." {
		t.Errorf("the token file says %s", file)
	}
	var own string
	w.scan([]any{&own}, `SELECT output->>'text' FROM agent_runs WHERE id = $1`, v.RunID)
	if own != "The agent's words." {
		t.Errorf("the run's own output became %q", own)
	}
}

func TestEditsThatAreRefused(t *testing.T) {
	t.Parallel()
	w, v := written(t)
	save := func(c app.Choice, payload any) error {
		_, err := w.store.SaveEdit(w.ctx, c, payload, app.Risk{}, ada, j0)
		return err
	}
	seen := v.Choice()
	w.conflict(save(app.Choice{ID: v.ID, FrozenSHA256: strings.Repeat("0", 64), Nonce: v.Nonce}, post("x")), "not the one you saw")
	w.conflict(save(app.Choice{ID: v.ID, FrozenSHA256: v.FrozenSHA256}, post("x")), "not the one you saw")
	for _, id := range []string{"00000000-0000-4000-8000-000000000000", "'; drop table users"} {
		if err := save(app.Choice{ID: id}, post("x")); !isKind(err, app.NotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if err := save(seen, post("The agent's words.")); !isKind(err, app.Invalid) || !strings.Contains(err.Error(), "Nothing was changed") {
		t.Errorf("the same words: %v", err)
	}
	edited := w.edit(v, "A person's words.", bob, j0)
	w.conflict(save(seen, post("x")), "edited by bob")
	if _, err := w.store.Editable(w.ctx, seen, ada); !isKind(err, app.Conflict) || !strings.Contains(err.Error(), "edited by bob") {
		t.Errorf("still editable: %v", err)
	}
	if got, err := w.store.Editable(w.ctx, edited.Choice(), ada); err != nil || got.ID != edited.ID {
		t.Errorf("not editable: %v", err)
	}
	w.approve(edited, j0)
	w.conflict(save(edited.Choice(), post("x")), "already approved by ada")
	if n := w.count("validations"); n != 2 {
		t.Errorf("%d drafts", n)
	}
}

// A run that goes on has not finished its draft: there is nothing to edit yet.
func TestDraftsOfARunThatGoesOnAreNotEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.daily_post.d03", "cm", validates))
	id, err := w.store.Propose(w.ctx, w.start("cm.daily_post.d03"), postgres.Proposal{Kind: app.KindPost, Payload: post("x")}, j0)
	w.must(err)
	_, err = w.store.SaveEdit(w.ctx, w.now(app.Validation{ID: id}).Choice(), post("y"), app.Risk{}, ada, j0)
	w.conflict(err, "nothing to decide yet")
}

// Whoever comes first wins, an editor or one who decides; the others are told,
// and nothing of theirs is half written.
func TestOneEditOrDecisionWins(t *testing.T) {
	t.Parallel()
	const people = 24
	w, v := written(t)
	rows := w.count("admin_audit")
	errs := together(people, func(i int) (err error) {
		who := []app.User{ada, bob}[i%2]
		switch i % 4 {
		case 0:
			_, err = w.store.ApproveValidation(w.ctx, v.Choice(), who, nil, j0)
		case 1:
			_, err = w.store.RejectValidation(w.ctx, v.Choice(), who, "not yet", j0)
		default:
			_, err = w.store.SaveEdit(w.ctx, v.Choice(), post(fmt.Sprint("Words of ", i)), app.Risk{}, who, j0)
		}
		return err
	})
	winner := slices.Index(errs, nil)
	for i, err := range errs {
		if i != winner {
			w.conflict(err, "")
		}
	}
	old, edited := w.now(v), winner%4 > 1
	if winner < 0 || (old.State == app.ValidationVoid) != edited || w.count("admin_audit") != rows+1 {
		t.Fatalf("%d won, the draft is %s, %d audit rows", winner, old.State, w.count("admin_audit")-rows)
	}
	want := "The agent's words."
	if edited {
		want = fmt.Sprint("Words of ", winner)
	}
	if st := w.step("cm.daily_post.d03"); !strings.Contains(string(st.Output), `"`+want+`"`) || w.count("validations") != 1+map[bool]int{true: 1}[edited] {
		t.Errorf("%d won, the output says %s in %d drafts", winner, st.Output, w.count("validations"))
	}
}

// The alert of an output that waits too long comes once, whoever edits it.
func TestEditsDoNotRestartTheWait(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Hour
	overdue := func(w *world, at time.Time) []string {
		w.must(w.store.RaiseOverdue(w.ctx, at.Add(-limit), at))
		return w.alerts("validation_overdue")
	}
	w, v := written(t)
	late := w.edit(v, "A person's words.", bob, j0.Add(limit-time.Minute))
	if next, err := w.store.NextInstant(w.ctx, j0.Add(limit-time.Minute)); err != nil || next == nil || !next.Equal(j0.Add(limit)) {
		t.Errorf("the next instant is %v, %v", next, err)
	}
	if got := overdue(w, j0.Add(limit)); len(got) != 1 || got[0] != late.ID {
		t.Errorf("alerts of %v, want of %s", got, late.ID)
	}
	later := w.edit(late, "Better words.", ada, j0.Add(limit+time.Minute))
	if got := overdue(w, j0.Add(3*limit)); len(got) != 1 || got[0] != later.ID {
		t.Errorf("alerts of %v, want of %s", got, later.ID)
	}
}

// What was different when a draft came back to wait is seen after an edit as well;
// what was wrong with its words is gone with them.
func TestEditsKeepWhatHasChanged(t *testing.T) {
	t.Parallel()
	w, v := written(t)
	other := w.edit(v, "Ours is 0xde709f2102306220921060314715629080e2fb77.", bob, j0)
	if !slices.ContainsFunc(other.Risk.Problems, func(p string) bool { return strings.Contains(p, "is not the token's address") }) {
		t.Fatalf("problems %q", other.Risk.Problems)
	}
	w.exec(`UPDATE operations SET site_host = 'elsewhere.example' WHERE id = $1`, w.op.ID)
	mended := w.edit(other, "Nothing but words.", bob, j0)
	if len(mended.Risk.Problems) != 1 || !strings.Contains(mended.Risk.Problems[0], "elsewhere.example") {
		t.Errorf("problems %q", mended.Risk.Problems)
	}
	again := w.edit(mended, "Other words.", bob, j0)
	if !slices.Equal(again.Risk.Problems, mended.Risk.Problems) || w.count("validations WHERE state = 'pending' AND marks = 1") != 1 {
		t.Errorf("problems %q", again.Risk.Problems)
	}
}

func TestDossierIsFilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cto.dossier", "system", validates))
	form := app.DossierPayload{Venue: "form", Fields: []app.DossierField{{Label: "Website", Source: "not published yet"}}}
	w.must(w.store.AwaitPerson(w.ctx, w.start("cto.dossier"), postgres.Proposal{Kind: app.KindDossier, Payload: form}, j0))
	var id string
	w.scan([]any{&id}, `SELECT id::text FROM validations`)
	form.Fields = []app.DossierField{{Label: "Website", Value: "https://ember-1.example", Source: "entered by the team"}}
	got, err := w.store.SaveEdit(w.ctx, w.now(app.Validation{ID: id}).Choice(), form, app.Risk{}, ada, j0)
	w.must(err)
	if _, err := w.store.ApproveValidation(w.ctx, got.Choice(), bob, []app.Receipt{{Venue: "form", Link: "https://form.example/receipt"}}, j0); err != nil || got.RunID != "" {
		t.Errorf("run %q, %v", got.RunID, err)
	}
	if w.apply(j0); w.step("cto.dossier").State != app.StepDone {
		t.Errorf("the step is %s", w.step("cto.dossier").State)
	}
}
