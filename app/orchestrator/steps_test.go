package orchestrator_test

import (
	"context"
	"encoding/json"
	"errors"
	"image/color"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
)

func step(key string, due time.Duration, depends, after []string) app.Step {
	s := testop.Step("scanner", key, key, false)
	s.DueAt = testop.J0.Add(due)
	s.DependsOn, s.After = append(s.DependsOn, depends...), append(s.After, after...)
	return s
}

// started returns the keys of the steps that jobs were made for, in order.
func (o *office) started() (keys []string) {
	o.t.Helper()
	for _, job := range o.taken() {
		s, err := o.store.Step(o.t.Context(), job.ID)
		if err != nil || job.Kind != app.JobStep || job.Fence != s.Fence {
			o.t.Fatalf("a job for %+v at fence %d: %v", job, s.Fence, err)
		}
		keys = append(keys, s.Key)
	}
	return keys
}

func (o *office) finish(key string) {
	o.t.Helper()
	s := o.step(key)
	claim := app.Claim{OperationID: o.op.ID, StepID: s.ID, Fence: s.Fence}
	if err := o.store.FinishStep(o.t.Context(), claim, []byte(`{}`), "Done", o.clock.Now()); err != nil {
		o.t.Fatal(err)
	}
}

// TestTickStartsWhatMayStart: due steps by due time, dependencies done, what
// only comes after ended, each once.
func TestTickStartsWhatMayStart(t *testing.T) {
	t.Parallel()
	o := newOffice(t, step("late", 30*time.Minute, nil, nil), step("second", 0, []string{"first"}, nil), step("first", 0, nil, nil), step("soon", time.Minute, nil, nil),
		step("third", 0, []string{"second"}, []string{"soon"}), step("given_up", 0, nil, nil), step("orphan", 0, []string{"given_up"}, nil))
	expect := func(want ...string) {
		t.Helper()
		o.tick()
		o.tick() // a second look, as of another process, starts nothing twice
		if got := o.started(); !slices.Equal(got, want) {
			t.Fatalf("started %v, want %v", got, want)
		}
	}
	if err := o.store.SkipStep(t.Context(), o.step("given_up").ID, "not needed", testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	expect("first")
	if got := o.step("orphan"); got.State != app.StepSkipped || !strings.Contains(got.Error, "given_up") {
		t.Errorf("what depends on a skipped step is %s: %s", got.State, got.Error)
	}
	o.finish("first")
	expect("second")
	o.finish("second")
	expect()
	o.clock.Advance(time.Hour)
	expect("soon", "late")
	o.finish("soon")
	expect("third")
}

// TestOperationsBegin at their J0, not before.
func TestOperationsBegin(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := app.NewOperation{Token: app.Token{Ref: testop.Token(1).Ref}, J0: testop.J0.Add(time.Hour), Cap: app.Dollar, XHandle: "@" + handle}
	op, err := o.StartOperation(t.Context(), in, testop.Person)
	if err != nil || op.State != app.OperationScheduled || op.XHandle != handle || op.SiteHost != "dodo.vivra.example" {
		t.Fatalf("%+v: %v", op, err)
	}
	o.op = op
	if steps, err := o.store.Steps(t.Context(), op.ID); err != nil || len(steps) != 82 {
		t.Errorf("%d steps: %v", len(steps), err)
	}
	o.clock.Advance(time.Hour - time.Second)
	if o.tick(); len(o.started()) != 0 {
		t.Error("it has begun too early")
	}
	o.clock.Advance(time.Second)
	if o.tick(); !slices.Equal(o.started(), []string{"scanner.full_report"}) {
		t.Error("it has not begun with the report")
	}
}

// TestOneFaultyOperationHoldsUpNobody: the others go on.
func TestOneFaultyOperationHoldsUpNobody(t *testing.T) {
	t.Parallel()
	o := newOffice(t, step("mine", 0, nil, nil))
	other := testop.New(t, o.store, 2, app.Dollar, step("other", 0, nil, nil))
	broken := o.step("mine").ID
	enqueue := o.store.Enqueue
	o.store.Enqueue = func(ctx context.Context, tx pgx.Tx, job app.Job) error {
		if job.ID == broken {
			return errors.New("no room")
		}
		return enqueue(ctx, tx, job)
	}
	if err := o.Tick(t.Context()); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("the fault was not told: %v", err)
	}
	if got := testop.ByKey(t, o.store, other, "other").State; got != app.StepRunning || o.step("mine").State != app.StepPending {
		t.Errorf("the other operation's step is %s, the broken one's %s", got, o.step("mine").State)
	}
}

// decision is the row of a takeover that everything hangs on.
func decision() []app.Step {
	return []app.Step{testop.Step("scanner", "scanner.go_nogo", "scanner.go_nogo", true), {Key: "buyback.start", Task: "buyback.start", Agent: "system", DueAt: testop.J0,
		DependsOn: []string{"scanner.go_nogo"}, After: []string{}}, step("later", 24*time.Hour, nil, nil)}
}

// TestPreCheckDecidesBeforeAnyModel: what blocks stops the operation at once.
func TestPreCheckDecidesBeforeAnyModel(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *world){
		"deployer_share": func(w *world) { w.holders.DeployerShare = 0.2 },
		"top10":          func(w *world) { w.holders.Top10Share = 0.6 },
		"tax":            func(w *world) { w.trade.SellTax = 0.2 },
		"sell":           func(w *world) { w.trade.CanSell = false },
		"mint":           func(w *world) { w.token.Dangerous = []string{"mint"}; w.token.Owner = official },
		"holders":        func(w *world) { w.holders.Count = 12 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, decision()...)
			o.world.set(func() { change(o.world) })
			if err := o.work(); err != nil {
				t.Fatal(err)
			}
			o.assertStopped()
			var output struct {
				Decision string
				Blocking []string
			}
			if err := json.Unmarshal(o.step("scanner.go_nogo").Output, &output); err != nil || output.Decision != "no_go" || len(output.Blocking) == 0 {
				t.Errorf("output %+v: %v", output, err)
			}
			if o.model.Count() != 0 {
				t.Error("a model was asked")
			}
		})
	}
}

func (o *office) assertStopped() {
	o.t.Helper()
	op, err := o.store.Operation(o.t.Context(), o.op.ID)
	if err != nil || op.State != app.OperationStopped || op.StopReason == "" {
		o.t.Errorf("the operation is %s (%s): %v", op.State, op.StopReason, err)
	}
	requested, err := o.store.BuybackRequested(o.t.Context(), o.op.ID)
	if err != nil || requested {
		o.t.Errorf("buyback requested: %v %v", requested, err)
	}
	for _, key := range []string{"buyback.start", "later"} {
		if got := o.step(key).State; got != app.StepCancelled {
			o.t.Errorf("%s is %s", key, got)
		}
	}
	if err := o.later(48 * time.Hour); err != nil || len(o.taken()) != 0 {
		o.t.Errorf("it went on: %v", err)
	}
}

// TestGoNoGo: the scanner's answer waits for a person; approved, the buyback is
// requested; rejected or no-go, the operation is stopped.
func TestGoNoGo(t *testing.T) {
	t.Parallel()
	answer := func(decision string) func(modelsim.Request) (modelsim.Answer, bool) {
		return func(modelsim.Request) (modelsim.Answer, bool) {
			return modelsim.Do("finish", map[string]any{"output": map[string]any{"decision": decision, "reasons": []string{"400 holders have stayed."}, "blocking": []string{}}}), true
		}
	}
	begin := func(t *testing.T, says string) (*office, app.Validation) {
		t.Helper()
		o := newOffice(t, decision()...)
		o.model.Script(answer(says))
		if err := o.store.SetSetting(t.Context(), "validation_required.scanner", []byte("false"), "ada", testop.J0); err != nil {
			t.Fatal(err)
		}
		if err := o.work(); err != nil {
			t.Fatal(err)
		}
		return o, o.waiting("scanner.go_nogo") // whatever the settings
	}
	t.Run("approved", func(t *testing.T) {
		t.Parallel()
		o, v := begin(t, "go")
		o.approve(v)
		if err := o.work(); err != nil {
			t.Fatal(err)
		}
		if requested, err := o.store.BuybackRequested(t.Context(), o.op.ID); err != nil || !requested || o.step("buyback.start").State != app.StepDone {
			t.Errorf("buyback requested: %v, its step is %s: %v", requested, o.step("buyback.start").State, err)
		}
	})
	t.Run("rejected", func(t *testing.T) {
		t.Parallel()
		o, v := begin(t, "go")
		o.reject(v, "I doubt it.")
		o.assertStopped()
	})
	t.Run("no-go", func(t *testing.T) {
		t.Parallel()
		o, v := begin(t, "no_go")
		o.approve(v)
		o.assertStopped()
	})
}

// TestSourcesThatAreDown: a report needs its figures, so its step is tried
// again; a check without data is unknown and a person decides.
func TestSourcesThatAreDown(t *testing.T) {
	t.Parallel()
	o := newOffice(t, append(decision(), testop.Step("scanner", "scanner.full_report", "scanner.full_report", false))...)
	o.world.set(func() { o.world.down = app.Errorf(app.Unavailable, "The RPC endpoint answered 502 Bad Gateway.") })
	o.model.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		return modelsim.Do("finish", map[string]any{"output": map[string]any{"decision": "no_go", "reasons": []string{"Nothing is known of it."}, "blocking": []string{}}}), true
	})
	err := o.work()
	if s := o.step("scanner.full_report"); err == nil || s.State != app.StepPending || !strings.Contains(s.Error, "502 Bad Gateway") || !s.NotBefore.Equal(testop.J0.Add(time.Minute)) {
		t.Errorf("the report is %s, again at %v: %s", s.State, s.NotBefore, s.Error)
	}
	o.waiting("scanner.go_nogo")
	var input struct {
		Checks []struct{ ID, Status string }
	}
	if err := json.Unmarshal(o.step("scanner.go_nogo").Input, &input); err != nil || len(input.Checks) == 0 {
		t.Fatalf("checks %v: %v", input, err)
	}
	for _, c := range input.Checks {
		if c.Status != "unknown" {
			t.Errorf("%s is %s without data", c.ID, c.Status)
		}
	}
}

// TestSlowSourcesKeepTheClaim: while a step's figures are read its lease is
// renewed, so nobody starts it a second time.
func TestSlowSourcesKeepTheClaim(t *testing.T) {
	t.Parallel()
	o := newOffice(t, decision()...)
	reading, goOn := make(chan struct{}), make(chan struct{})
	first := true
	o.world.set(func() {
		o.world.asked = func() {
			if first {
				first = false
				close(reading)
				<-goOn
			}
		}
	})
	o.world.set(func() { o.world.holders.Count = 1 }) // blocks: no model is needed
	o.tick()
	jobs := o.taken()
	ended := make(chan error, 1)
	go func() { ended <- o.Do(t.Context(), jobs[0]) }()
	<-reading
	for range 6 { // one and a half leases
		if err := o.wall.BlockUntilContext(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		o.wall.Advance(lease / 4)
		for until := o.step("scanner.go_nogo").LeaseUntil; until.Before(o.wall.Now().Add(lease)); until = o.step("scanner.go_nogo").LeaseUntil {
			if t.Context().Err() != nil {
				t.Fatal("the lease was not renewed")
			}
		}
		if o.tick(); len(o.taken()) != 0 {
			t.Fatal("a step in hand was given to another worker")
		}
	}
	close(goOn)
	if err := <-ended; err != nil || o.step("scanner.go_nogo").State != app.StepDone {
		t.Errorf("the step is %s: %v", o.step("scanner.go_nogo").State, err)
	}
}

// TestLostClaimIsNoFailure: a job that comes too late, or whose step another
// worker took meanwhile, does nothing and is no error.
func TestLostClaimIsNoFailure(t *testing.T) {
	t.Parallel()
	o := newOffice(t, decision()...)
	o.world.set(func() { o.world.holders.Count = 1 })
	o.tick()
	old := o.taken()[0]
	o.wall.Advance(2 * lease)
	o.tick()
	again := o.taken()
	if len(again) != 1 || again[0].ID != old.ID || again[0].Fence != old.Fence+1 {
		t.Fatalf("after the lease: %+v, was %+v", again, old)
	}
	if err := o.Do(t.Context(), old); err != nil || o.step("scanner.go_nogo").State != app.StepRunning {
		t.Errorf("the old job has left the step %s: %v", o.step("scanner.go_nogo").State, err)
	}
	for range 2 { // the second comes too late
		if err := o.Do(t.Context(), again[0]); err != nil || o.step("scanner.go_nogo").State != app.StepDone {
			t.Errorf("the step is %s: %v", o.step("scanner.go_nogo").State, err)
		}
	}
	if err := o.Do(t.Context(), app.Job{Kind: "dance", ID: 1}); err == nil {
		t.Error("an unknown job was done")
	}
}

// TestPausedRunIsNoFailure: a run whose operation is paused is put aside, nobody
// takes it up, and it goes on once the operation does.
func TestPausedRunIsNoFailure(t *testing.T) {
	t.Parallel()
	const key = "scanner.daily_metrics"
	o := newOffice(t, testop.Step("scanner", key, key, false))
	pause := sync.OnceValue(func() error {
		return o.store.PauseOperation(t.Context(), o.op.Slug, testop.Person, o.clock.Now())
	})
	o.model.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		if err := pause(); err != nil {
			t.Error(err)
		}
		return modelsim.Answer{}, false
	})
	if err := o.work(); err != nil || o.step(key).State != app.StepRunning || o.step(key).Attempt != 1 || o.model.Count() != 1 {
		t.Fatalf("the step is %s at attempt %d after %d requests: %v", o.step(key).State, o.step(key).Attempt, o.model.Count(), err)
	}
	o.wall.Advance(2 * lease)
	if o.tick(); len(o.taken()) != 0 {
		t.Error("a paused run was taken up")
	}
	if err := o.store.ResumeOperation(t.Context(), o.op.Slug, testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if err := o.work(); err != nil || o.step(key).State != app.StepDone {
		t.Errorf("the step is %s: %s: %v", o.step(key).State, o.step(key).Error, err)
	}
	testop.Balanced(t, o.store, o.op)
}

// TestRejections: a rejected draft is written anew with the reason; the third
// rejection leaves the step to a person, with one alert.
func TestRejections(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	for n := 1; n <= 3; n++ {
		v := o.await("a", app.KindPost, aPost("gm"))
		if v.DraftNo != n {
			t.Errorf("draft %d, want %d", v.DraftNo, n)
		}
		o.reject(v, "Too loud.")
		if n < 3 {
			if s := o.step("a"); s.State != app.StepPending || s.Rejections != n || !strings.Contains(string(s.Input), "Too loud.") {
				t.Fatalf("after %d rejections the step is %s: %s", n, s.State, s.Input)
			}
		}
	}
	if s := o.step("a"); s.State != app.StepFailed || len(testop.Alerts(t, o.store, "rejected")) != 1 {
		t.Errorf("the step is %s", s.State)
	}
	if err := o.work(); err != nil || len(o.x.Posts()) != 0 {
		t.Errorf("%d posts: %v", len(o.x.Posts()), err)
	}
}

// TestWaitingTooLong raises one alert, not one a minute.
func TestWaitingTooLong(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	o.await("a", app.KindPost, aPost("gm"))
	for range 5 {
		o.clock.Advance(time.Hour)
		o.tick()
	}
	if n := len(testop.Alerts(t, o.store, "validation_overdue")); n != 1 {
		t.Errorf("%d alerts, want 1", n)
	}
}

// TestProfileIsReadBack: the step is done once the account shows what was
// approved, and not before a person has entered it.
func TestProfileIsReadBack(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	blue := o.picture("a", color.RGBA{B: 255, A: 255})
	if err := o.publish("a", app.KindProfile, app.ProfilePayload{Account: handle, Name: "Dodo", Bio: "We hold & build.", Picture: blue}); err != nil {
		t.Fatal(err)
	}
	blueBytes, err := o.desk.Blobs.Get(t.Context(), blue.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what  string
		apply func() error
		says  []string
	}{
		{"nothing", func() error { return nil }, []string{"Name: enter “Dodo”.", "Bio: enter “We hold & build.”.", "Picture: upload the one of the checklist"}},
		{"the name", func() error { return o.x.ApplyProfile(userID, "Dodo", "", "", nil) }, []string{"Bio: enter", "Picture: upload"}},
		{"another picture", func() error { return o.x.ApplyProfile(userID, "Dodo", "We hold & build.", "", plain(t, color.White)) }, []string{"Picture: upload"}},
	} {
		if err := c.apply(); err != nil {
			t.Fatal(err)
		}
		if err := o.later(5 * time.Minute); err != nil || o.step("a").State != app.StepWaiting || o.effects()[0].State != app.EffectIntent {
			t.Fatalf("after %s the step is %s: %v", c.what, o.step("a").State, err)
		}
		told := o.effects()[0].Error
		for _, says := range []string{"Name: enter", "Bio: enter", "Picture: upload"} {
			if wanted := slices.ContainsFunc(c.says, func(w string) bool { return strings.HasPrefix(w, says) }); strings.Contains(told, says) != wanted {
				t.Errorf("after %s it says %s", c.what, told)
			}
		}
		for _, says := range c.says {
			if !strings.Contains(told, says) {
				t.Errorf("after %s it does not say %q: %s", c.what, says, told)
			}
		}
	}
	for range 24 {
		if err := o.later(5 * time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if told := testop.Alerts(t, o.store, "not_applied"); len(told) != 1 || !strings.Contains(told[0].Message, "Picture: upload") {
		t.Errorf("after two hours the team is told %+v", told)
	}
	if err := o.x.ApplyProfile(userID, "Dodo", "We hold & build.", "", blueBytes); err != nil {
		t.Fatal(err)
	}
	if err := o.later(5 * time.Minute); err != nil || o.step("a").State != app.StepDone {
		t.Errorf("the step is %s: %s: %v", o.step("a").State, o.effects()[0].Error, err)
	}
}

// TestSystemSteps: the handover completes the operation; a task that nobody
// knows fails.
func TestSystemSteps(t *testing.T) {
	t.Parallel()
	o := newOffice(t, system("handover"), system("no.such.task"))
	for _, key := range []string{"handover", "no.such.task"} {
		if err := o.carryOut(key); (err != nil) != (key == "no.such.task") {
			t.Fatalf("%s: %v", key, err)
		}
	}
	o.approve(o.waiting("handover"))
	if op, err := o.store.Operation(t.Context(), o.op.ID); err != nil || op.State != app.OperationCompleted {
		t.Errorf("the operation is %s: %v", op.State, err)
	}
}

// TestInputs: each step gets what code owns, and the verification's code can't
// be guessed from another installation.
func TestInputs(t *testing.T) {
	t.Parallel()
	codes := map[string]bool{}
	for _, secret := range []string{"one", "two"} {
		o := newOffice(t, testop.Step("cm", "cm.verification_post", "cm.verification_post", true))
		o.Secret = []byte(secret)
		o.model.Script(func(modelsim.Request) (modelsim.Answer, bool) { return modelsim.Answer{Text: "Hm."}, true })
		_ = o.work() // the run fails: what counts is what it was given
		var input struct {
			Code    string
			Address string `json:"official_address"`
			Page    string `json:"live_page"`
		}
		if err := json.Unmarshal(o.step("cm.verification_post").Input, &input); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^V-[A-Z2-7]{8}$`).MatchString(input.Code) || input.Address != official || input.Page != "https://vivra.example/o/dodo-b" {
			t.Errorf("input %+v", input)
		}
		codes[input.Code] = true
	}
	if len(codes) != 2 {
		t.Error("two installations have the same code")
	}
}

// TestDraftBecomesAPost: from the model's call to the public post, with nothing
// public before a person said so.
func TestDraftBecomesAPost(t *testing.T) {
	t.Parallel()
	const key = "cm.verification_post"
	o := newOffice(t, testop.Step("cm", key, key, true))
	if err := o.work(); err != nil {
		t.Fatal(err)
	}
	v := o.waiting(key)
	if len(o.x.Posts()) != 0 || v.State != app.ValidationPending || !strings.Contains(string(o.step(key).Input), "V-") {
		t.Fatalf("%d posts before the approval", len(o.x.Posts()))
	}
	o.approve(v)
	if err := o.work(); err != nil || o.step(key).State != app.StepDone || len(o.x.Posts()) != 1 {
		t.Fatalf("the step is %s after %d posts: %v", o.step(key).State, len(o.x.Posts()), err)
	}
	var payload app.PostPayload
	if err := json.Unmarshal(v.Payload, &payload); err != nil || o.x.Posts()[0].Text != payload.Text {
		t.Errorf("posted %q, approved %q: %v", o.x.Posts()[0].Text, payload.Text, err)
	}
	testop.Balanced(t, o.store, o.op)
}

// TestNothingFitToPublish: a builder whose every template fails ends with no
// proposal; its step is skipped, the team hears of it, and the takeover goes on.
func TestNothingFitToPublish(t *testing.T) {
	t.Parallel()
	const key = "builder.utility"
	o := newOffice(t, testop.Step("builder", key, key, true), step("cm.utility_post", time.Hour, []string{key}, nil))
	o.model.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		return modelsim.Do("finish", map[string]any{"output": map[string]any{"template": "web-minigame", "config": "{}", "build_id": nil,
			"tests": map[string]int{"passed": 1, "failed": 3}, "validation_id": nil}}), true
	})
	if err := o.work(); err != nil {
		t.Fatal(err)
	}
	if s := o.step(key); s.State != app.StepSkipped || s.Attempt != 1 || !strings.Contains(string(s.Output), "web-minigame") {
		t.Errorf("the step is %s after %d attempts: %s", s.State, s.Attempt, s.Error)
	}
	if n := len(testop.Alerts(t, o.store, "nothing_to_publish")); n != 1 {
		t.Errorf("%d alerts, want 1", n)
	}
	if pending, err := o.store.PendingValidations(t.Context()); err != nil || len(pending) != 0 {
		t.Errorf("%d drafts wait: %v", len(pending), err)
	}
	if err := o.later(time.Hour); err != nil || o.step("cm.utility_post").State != app.StepSkipped {
		t.Errorf("the post about it is %s: %v", o.step("cm.utility_post").State, err)
	}
	testop.Balanced(t, o.store, o.op)
}
