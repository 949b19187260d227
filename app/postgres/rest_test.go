package postgres_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

func (w *world) rest(v app.Validation, now time.Time) (app.Validation, error) {
	w.t.Helper()
	id, err := w.store.DraftRest(w.ctx, v.StepID, "the label is on now", ada, now)
	if err != nil {
		return v, err
	}
	return w.again(app.Validation{ID: id}), nil
}

// TestOneRestIsDrafted: of many who ask for it at once, one gets it; what is out
// is in it to the byte, and no call of the old approval can be made any more.
func TestOneRestIsDrafted(t *testing.T) {
	t.Parallel()
	w, v := broken(t)
	errs := together(8, func(int) error { _, err := w.rest(v, j0.Add(expires)); return err })
	if won := len(errs) - len(slices.DeleteFunc(errs, func(err error) bool { return err == nil })); won != 1 {
		t.Errorf("%d were drafted", won)
	}
	for _, err := range errs {
		if err != nil && !isKind(err, app.Conflict) {
			t.Error(err)
		}
	}
	next := w.waits()
	var f app.Frozen
	w.must(json.Unmarshal(next.Frozen, &f))
	if len(f.Out) != 2 || len(f.Calls) != 2 || f.Out[1].ProviderID != "101" || f.Out[1].Link != "https://x.com/ember/status/101" || next.Replaces != v.ID || string(next.Payload) != string(v.Payload) {
		t.Errorf("the rest is %s", next.Frozen)
	}
	if w.states(v) != "done done void void" || w.step("cm.post").State != app.StepWaiting || w.again(v).State != app.ValidationApproved {
		t.Errorf("what was approved before is %s", w.states(v))
	}
	if !slices.Contains(w.summaries("cm.post"), "2 of 4 posts are out; the rest waits for a decision of its own") || w.count(`admin_audit WHERE action = 'step.rest'`) != 1 {
		t.Errorf("the log says %q", w.summaries("cm.post"))
	}
	w.approve(next, j0.Add(expires))
	if got := w.effects(next); len(got) != 2 || got[0].Position != 2 || got[0].Key != next.ID+"/2" {
		t.Fatalf("its calls are %+v", got)
	}
	for i, e := range w.effects(next) {
		now := j0.Add(expires + time.Minute)
		got, ok := w.attempt(e, now)
		if !ok {
			t.Fatalf("post %d is not attempted", 3+i)
		}
		w.must(w.store.EffectDone(w.ctx, got, sent(string(rune('8'+i))), now))
	}
	if s := w.step("cm.post"); s.State != app.StepDone {
		t.Errorf("the step is %s", s.State)
	}
	pubs, err := w.store.Publications(w.ctx, w.op.ID)
	w.must(err)
	if len(pubs) != 1 || len(pubs[0].Links) != 4 || pubs[0].Parts != (app.Parts{Out: 4, Total: 4, Posts: true}) {
		t.Errorf("published %+v", pubs)
	}
	if problem := chainProblem(t, w); problem != "" {
		t.Error(problem)
	}
}

// TestTheRestCanBeEdited, but not what is out.
func TestTheRestCanBeEdited(t *testing.T) {
	t.Parallel()
	w, v := broken(t)
	next, err := w.rest(v, t0)
	w.must(err)
	change := func(i int) app.ThreadPayload {
		p := thread4()
		p.Posts = slices.Clone(p.Posts)
		p.Posts[i].Text = "other"
		return p
	}
	if _, err := w.store.SaveEdit(w.ctx, next.Choice(), change(1), app.Risk{}, ada, t0); !isKind(err, app.Invalid) || !strings.Contains(err.Error(), "Post 2 is out already") {
		t.Errorf("what is out was edited: %v", err)
	}
	edited, err := w.store.SaveEdit(w.ctx, next.Choice(), change(3), app.Risk{Effect: "all of it", PublishPrice: 99}, ada, t0)
	w.must(err)
	var f app.Frozen
	w.must(json.Unmarshal(edited.Frozen, &f))
	if len(f.Out) != 2 || len(f.Calls) != 2 || !strings.Contains(string(f.Calls[1].Request), "other") || strings.Contains(edited.Risk.Effect, "all of it") {
		t.Errorf("the edited rest is %s with %+v", edited.Frozen, edited.Risk)
	}
}

// TestTheApprovalOfTheRestRunsOutToo: nothing of it out, it waits again, with the
// same posts out.
func TestTheApprovalOfTheRestRunsOutToo(t *testing.T) {
	t.Parallel()
	w, v := broken(t)
	next, err := w.rest(v, t0)
	w.must(err)
	w.approve(next, t0)
	w.must(w.store.ExpireApprovals(w.ctx, t0.Add(expires)))
	again := w.waits()
	var f app.Frozen
	w.must(json.Unmarshal(again.Frozen, &f))
	if again.Replaces != next.ID || len(f.Out) != 2 || w.states(next) != "void void" {
		t.Errorf("it waits as %s after %s", again.Frozen, w.states(next))
	}
}

func TestRestsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(*world, app.Validation)
		says   string
	}{
		"it goes on": {func(w *world, v app.Validation) { w.must(w.retry(v, 2, t0)) }, "waiting_validation"},
		"in doubt": {func(w *world, v app.Validation) {
			w.exec(`UPDATE effects SET state = 'unknown' WHERE position = 2`)
		}, "must be known first"},
		"nothing is out": {func(w *world, _ app.Validation) { w.exec(`UPDATE effects SET state = 'void'`) }, "no rest of it"},
		"finished":       {func(w *world, v app.Validation) { w.must(w.store.FinishPartly(w.ctx, v.StepID, "enough", ada, t0)) }, "done"},
		"skipped":        {func(w *world, v app.Validation) { w.must(w.store.SkipStep(w.ctx, v.StepID, "enough", ada, t0)) }, "skipped"},
		"stopped":        {func(w *world, _ app.Validation) { w.must(w.store.StopOperation(w.ctx, w.op.Slug, "enough", ada, t0)) }, "stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := broken(t)
			c.before(w, v)
			if _, err := w.rest(v, t0); !isKind(err, app.Conflict) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("drafted: %v", err)
			}
			if w.count(`validations WHERE state = 'pending'`) != 0 {
				t.Error("a draft waits all the same")
			}
		})
	}
	w, v := broken(t)
	if _, err := w.store.DraftRest(w.ctx, v.StepID, "", ada, t0); !isKind(err, app.Invalid) {
		t.Errorf("without a reason: %v", err)
	}
	w.past(`UPDATE validations SET frozen = replace(frozen, 'three', 'other'), frozen_sha256 = sha256(convert_to(replace(frozen, 'three', 'other'), 'UTF8'))`)
	next, err := w.rest(v, t0)
	w.must(err)
	if next.Risk.Marks() == 0 {
		t.Error("what an approval bound to was changed, and nobody is told")
	}
}

// TestAPollIsNotFinishedWithoutAPoll: what counts its votes would find none.
func TestAPollIsNotFinishedWithoutAPoll(t *testing.T) {
	t.Parallel()
	w, v := ready(t, app.KindPoll, app.PollPayload{Account: "ember", Intro: app.PostPayload{Text: "Choose."}, Question: "Which?", Options: []string{"A", "B"}, DurationMinutes: 60, Channels: []string{"x"}})
	w.approve(v, j0)
	e, ok := w.attempt(w.effects(v)[0], t0)
	if !ok {
		t.Fatal("the intro is not attempted")
	}
	w.must(w.store.EffectDone(w.ctx, e, sent("100"), t0))
	w.fail(v, 1, t0)
	if err := w.store.FinishPartly(w.ctx, v.StepID, "enough", ada, t0); !isKind(err, app.Conflict) || !strings.Contains(err.Error(), "no votes to count") {
		t.Errorf("finished: %v", err)
	}
	next, err := w.rest(v, t0)
	w.must(err)
	w.approve(next, t0)
	if got := w.effects(next); len(got) != 1 || got[0].Position != 1 {
		t.Errorf("the rest of the poll is %+v", got)
	}
}

// TestWhatIsFinishedLandsAsItIsOut: the token file does not say what was never
// posted.
func TestWhatIsFinishedLandsAsItIsOut(t *testing.T) {
	t.Parallel()
	w, v := broken(t)
	w.exec(`UPDATE operation_steps SET output = '{"posts":[{"text":"one"},{"text":"two"},{"text":"three"},{"text":"four"}]}'`)
	w.must(w.store.FinishPartly(w.ctx, v.StepID, "enough", ada, t0))
	if out := string(w.step("cm.post").Output); !strings.Contains(out, "two") || strings.Contains(out, "three") {
		t.Errorf("the output is %s", out)
	}
	if !slices.Contains(w.summaries("cm.post"), "Finished by the team: 2 of 4 posts are out, the rest is not published") {
		t.Errorf("the log says %q", w.summaries("cm.post"))
	}
}

// TestTheRestIsWhatTheStepSays: an edit that was rejected is not what goes out,
// nor what later steps read.
func TestTheRestIsWhatTheStepSays(t *testing.T) {
	t.Parallel()
	w, v := broken(t)
	w.exec(`UPDATE operation_steps SET output = '{"posts":[{"text":"one"},{"text":"two"},{"text":"three"},{"text":"four"}]}'`)
	next, err := w.rest(v, t0)
	w.must(err)
	p := thread4()
	p.Posts[2].Text = "drei"
	edited, err := w.store.SaveEdit(w.ctx, next.Choice(), p, app.Risk{}, ada, t0)
	w.must(err)
	w.reject(edited, "no", t0)
	again, err := w.rest(v, t0.Add(time.Hour))
	w.must(err)
	if said := string(w.step("cm.post").Output); !strings.Contains(string(again.Payload), "three") || !strings.Contains(said, "three") || strings.Contains(said, "drei") {
		t.Errorf("drafted is %s, the step says %s", again.Payload, said)
	}
}

// TestAnOldSuccessLiftsNoHold: what was sent before X wanted to be paid is no
// sign that it was paid since.
func TestAnOldSuccessLiftsNoHold(t *testing.T) {
	t.Parallel()
	w, v := begun(t)
	e, _ := w.attempt(w.effects(v)[2], t0)
	w.must(w.store.EffectUnknown(w.ctx, e, "timed out", t0, t0))
	w.exec(`INSERT INTO x_holds (account, held_until) VALUES ('ember', $1)`, t0.Add(time.Hour))
	w.must(w.store.EffectDone(w.ctx, e, sent("102"), t0.Add(time.Minute)))
	if w.count("x_holds") != 1 {
		t.Error("the hold is gone")
	}
}

// TestWhoGoesOnHasSeenToCredits: the rest of what X refused for want of credits
// waits no more for them once it is approved, like a publication tried again.
func TestWhoGoesOnHasSeenToCredits(t *testing.T) {
	t.Parallel()
	for name, goOn := range map[string]func(*world, app.Validation){
		"tried again": func(w *world, v app.Validation) { w.must(w.retry(v, 2, t0)) },
		"its rest approved": func(w *world, v app.Validation) {
			next, err := w.rest(v, t0)
			w.must(err)
			w.approve(next, t0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := begun(t)
			e, _ := w.attempt(w.effects(v)[2], t0)
			w.must(w.store.EffectUnpaid(w.ctx, e, errors.New("402"), t0.Add(time.Hour), t0))
			if w.count("x_holds") != 1 {
				t.Fatal("nothing is held")
			}
			goOn(w, v)
			var id int64
			w.scan([]any{&id}, `SELECT id FROM effects WHERE position = 2 AND state = 'intent'`)
			e, err := w.store.Effect(w.ctx, id)
			w.must(err)
			if _, ok := w.attempt(e, t0.Add(undo)); !ok {
				t.Error("it waits for credits still")
			}
		})
	}
}

// TestFinishedAsItIsOut: an edit of the rest that was rejected is not what the
// step says when a person finishes with what is out.
func TestFinishedAsItIsOut(t *testing.T) {
	t.Parallel()
	const official = "0x0100000000000000000000000000000000000000"
	group := app.TelegramSetupPayload{Chat: -100, Title: "Dodo", Description: "Back", Rules: "Be kind", Pinned: official, OfficialAddress: official}
	w, v := ready(t, app.KindTelegram, group)
	w.exec(`UPDATE operation_steps SET output = '{"title":"Dodo","description":"Back"}'`)
	w.approve(v, j0)
	e, ok := w.attempt(w.effects(v)[0], t0)
	if !ok {
		t.Fatal("the title is not attempted")
	}
	w.must(w.store.EffectDone(w.ctx, e, sent("100"), t0))
	w.fail(v, 1, t0)
	next, err := w.rest(v, t0)
	w.must(err)
	group.Description = "Other"
	edited, err := w.store.SaveEdit(w.ctx, next.Choice(), group, app.Risk{}, ada, t0)
	w.must(err)
	w.reject(edited, "no", t0)
	w.must(w.store.FinishPartly(w.ctx, v.StepID, "enough", ada, t0))
	if out := string(w.step("cm.post").Output); !strings.Contains(out, "Back") || strings.Contains(out, "Other") {
		t.Errorf("the step says %s", out)
	}
}

// TestWhatWasOnceInDoubt marks each later draft of its step, however its call
// ended, until a person has looked.
func TestWhatWasOnceInDoubt(t *testing.T) {
	t.Parallel()
	const mark = "Post 3 of an earlier draft was in doubt on 10 March, 09:17 UTC and was not found"
	for name, c := range map[string]struct {
		happens func(*world, app.Validation, app.Effect) app.Validation // what then waits
		marked  bool
	}{
		"refused, the rest approved anew": {func(w *world, v app.Validation, e app.Effect) app.Validation {
			w.must(w.store.EffectFailed(w.ctx, e, errors.New("403"), t0))
			next, err := w.rest(v, t0)
			w.must(err)
			return next
		}, true},
		"and edited": {func(w *world, v app.Validation, e app.Effect) app.Validation {
			w.must(w.store.EffectFailed(w.ctx, e, errors.New("403"), t0))
			next, err := w.rest(v, t0)
			w.must(err)
			p := thread4()
			p.Posts[2].Text = "other"
			edited, err := w.store.SaveEdit(w.ctx, next.Choice(), p, app.Risk{}, ada, t0)
			w.must(err)
			return edited
		}, true},
		"there was no money for it": {func(w *world, v app.Validation, e app.Effect) app.Validation {
			w.must(w.store.EffectLater(w.ctx, e, "busy", t0, t0))
			w.exec(`UPDATE operations SET cap_nusd = spent_nusd + reserved_nusd`)
			if _, ok := w.attempt(e, t0); ok {
				w.t.Fatal("it is attempted")
			}
			next, err := w.rest(v, t0)
			w.must(err)
			return next
		}, true},
		"the world changed": {func(w *world, v app.Validation, e app.Effect) app.Validation {
			w.must(w.store.EffectLater(w.ctx, e, "busy", t0, t0))
			w.exec(`UPDATE operations SET site_host = 'ash.example'`)
			if _, ok := w.attempt(e, t0); ok {
				w.t.Fatal("it is attempted")
			}
			next, err := w.rest(v, t0)
			w.must(err)
			return next
		}, true},
		"a person has looked": {func(w *world, v app.Validation, e app.Effect) app.Validation {
			w.must(w.store.EffectUnknown(w.ctx, e, "timed out", t0, t0))
			w.must(w.store.SettleEffect(w.ctx, app.Settlement{EffectID: e.ID, Fence: e.Fence}, ada, t0))
			w.fail(v, 2, t0)
			next, err := w.rest(v, t0)
			w.must(err)
			return next
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := begun(t)
			e, _ := w.attempt(w.effects(v)[2], t0)
			w.must(w.store.EffectUnknown(w.ctx, e, "timed out", t0, t0))
			w.must(w.store.EffectLater(w.ctx, e, "it had not gone out", t0, t0))
			e, ok := w.attempt(w.effects(v)[2], t0)
			if !ok {
				t.Fatal("it is not attempted once more")
			}
			next := c.happens(w, v, e)
			if is := strings.Contains(strings.Join(next.Risk.Problems, "\n"), mark); is != c.marked {
				t.Errorf("it is marked %q", next.Risk.Problems)
			}
		})
	}
}

// TestAStepRunAgainAfterADoubt: what it writes anew says so too.
func TestAStepRunAgainAfterADoubt(t *testing.T) {
	t.Parallel()
	w, vs := posts(t, 1, app.Dollar)
	t1 := w.approve(vs[0], j0)
	e, _ := w.attempt(w.effects(vs[0])[0], t1)
	w.must(w.store.EffectUnknown(w.ctx, e, "timed out", t1, t1))
	w.must(w.store.EffectLater(w.ctx, e, "it had not gone out", t1, t1))
	w.fail(vs[0], 0, t1)
	w.must(w.store.RetryStep(w.ctx, vs[0].StepID, "anew", ada, t1))
	next := w.waiting("cm.post_0", app.KindPost, post("in other words"))
	if len(next.Risk.Problems) != 1 || !strings.Contains(next.Risk.Problems[0], "Post 1 of an earlier draft was in doubt") || next.Risk.Marks() != 1 {
		t.Errorf("it is marked %q", next.Risk.Problems)
	}
}

// TestARestOfSomethingElseSaysNothingOfCredits: what broke off for another reason
// leaves the account held.
func TestARestOfSomethingElseSaysNothingOfCredits(t *testing.T) {
	t.Parallel()
	w, v := broken(t)
	w.exec(`INSERT INTO x_holds (account, held_until) VALUES ('ember', $1)`, t0.Add(time.Hour))
	_, err := w.rest(v, t0)
	w.must(err)
	if w.count("x_holds") != 1 {
		t.Error("the hold is lifted, and nobody has said that anything was paid")
	}
}

// TestADoubtThatIsOver is not told of any more: its post is out, or a person has
// looked for the same call under a later approval.
func TestADoubtThatIsOver(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(*world, app.Effect, time.Time){
		"out": func(w *world, e app.Effect, now time.Time) { w.must(w.store.EffectDone(w.ctx, e, sent("102"), now)) },
		"looked for": func(w *world, e app.Effect, now time.Time) {
			w.must(w.store.EffectUnknown(w.ctx, e, "timed out", now, now))
			w.must(w.store.SettleEffect(w.ctx, app.Settlement{EffectID: e.ID, Fence: e.Fence}, ada, now))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := begun(t)
			e, _ := w.attempt(w.effects(v)[2], t0)
			w.must(w.store.EffectUnknown(w.ctx, e, "timed out", t0, t0))
			w.must(w.store.EffectLater(w.ctx, e, "it had not gone out", t0, t0))
			w.fail(v, 2, t0)
			next, err := w.rest(v, t0)
			w.must(err)
			if next.Risk.Marks() == 0 {
				t.Fatal("the doubt is forgotten")
			}
			t1 := w.approve(next, t0)
			e, ok := w.attempt(w.effects(next)[0], t1)
			if !ok {
				t.Fatal("the rest does not go on")
			}
			ends(w, e, t1)
			i := slices.IndexFunc(w.effects(next), func(e app.Effect) bool { return e.State == app.EffectIntent })
			w.fail(next, i, t1)
			last, err := w.rest(next, t1)
			w.must(err)
			if last.Risk.Marks() != 0 {
				t.Errorf("it is marked %q", last.Risk.Problems)
			}
		})
	}
}
