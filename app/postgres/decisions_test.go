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
)

func TestOneDecisionWins(t *testing.T) {
	t.Parallel()
	const deciders = 50
	w := newWorld(t, app.Dollar, step("designer.kit", "designer", validates))
	v := w.waiting("designer.kit", app.KindKit, app.OutputPayload{Step: "designer.kit", Output: json.RawMessage(`{}`)})
	rows := w.count("admin_audit")
	errs := together(deciders, func(i int) error {
		who := []app.User{ada, bob}[i%2]
		if i%4 < 2 {
			_, err := w.store.ApproveValidation(w.ctx, v.Choice(), who, nil, j0.Add(time.Hour))
			return err
		}
		_, err := w.store.RejectValidation(w.ctx, v.Choice(), who, "not yet", j0.Add(time.Hour))
		return err
	})
	for _, err := range together(8, func(int) error { return w.store.ApplyDecisions(w.ctx, j0.Add(time.Hour+undo)) }) {
		w.must(err)
	}
	got, err := w.store.Validation(w.ctx, v.ID)
	w.must(err)
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
			if who := []string{"ada", "bob"}[i%2]; got.DecidedBy != who || (got.State == app.ValidationApproved) != (i%4 < 2) {
				t.Errorf("%d won for %s, stored is %s by %s", i, who, got.State, got.DecidedBy)
			}
			continue
		}
		if !isKind(err, app.Conflict) || !strings.Contains(err.Error(), string(got.State)+" by "+got.DecidedBy+" at 2027-03-10 10:17:00 UTC") {
			t.Errorf("a loser was told %q", err)
		}
	}
	if won != 1 {
		t.Errorf("%d decisions won", won)
	}
	if added := w.count("admin_audit") - rows; added != 1 {
		t.Errorf("%d audit rows were added", added)
	}
	audit, err := w.store.Audit(w.ctx, 1)
	w.must(err)
	if audit[0].User != got.DecidedBy || audit[0].Action != "validation."+string(got.State) || !strings.HasSuffix(audit[0].Subject, "designer.kit "+v.ID) ||
		!strings.Contains(string(audit[0].After), v.PayloadSHA256) || !strings.Contains(string(audit[0].After), v.FrozenSHA256) {
		t.Errorf("the audit says %+v", audit[0])
	}
	want := map[app.ValidationState]app.StepState{app.ValidationApproved: app.StepDone, app.ValidationRejected: app.StepPending}[got.State]
	if s := w.step("designer.kit"); s.State != want {
		t.Errorf("the output is %s and its step %s", got.State, s.State)
	}
}

func TestDecisionsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("designer.kit", "designer", validates), step("cto.dossier", "system", validates), step("cm.daily_post.d03", "cm", validates))
	kit := w.waiting("designer.kit", app.KindKit, app.OutputPayload{Step: "designer.kit", Output: json.RawMessage(`{}`)})
	dossier := w.stepClaim("cto.dossier")
	w.must(w.store.AwaitPerson(w.ctx, dossier, postgres.Proposal{Kind: app.KindDossier, Payload: app.DossierPayload{Venue: "form"}}, j0))
	queue, err := w.store.PendingValidations(w.ctx)
	w.must(err)
	at := slices.IndexFunc(queue, func(v app.Validation) bool { return v.Kind == app.KindDossier })
	if len(queue) != 2 || at < 0 {
		t.Fatalf("%d outputs wait", len(queue))
	}
	early := w.stepClaim("cm.daily_post.d03")
	draft, err := w.store.Propose(w.ctx, early, postgres.Proposal{Kind: app.KindPost, Payload: app.PostPayload{Text: "x"}}, j0)
	w.must(err)
	unfinished, err := w.store.Validation(w.ctx, draft)
	w.must(err)

	tests := map[string]struct {
		decide func() error
		kind   app.Kind
		says   string
	}{
		"another payload": {func() error {
			_, err := w.store.ApproveValidation(w.ctx, app.Choice{ID: kit.ID, FrozenSHA256: strings.Repeat("0", 64), Nonce: kit.Nonce}, ada, nil, j0)
			return err
		}, app.Conflict, "not the one you saw"},
		"another payload, rejected": {func() error {
			_, err := w.store.RejectValidation(w.ctx, app.Choice{ID: kit.ID}, ada, "bad", j0)
			return err
		}, app.Conflict, "not the one you saw"},
		"no reason": {func() error {
			_, err := w.store.RejectValidation(w.ctx, kit.Choice(), ada, "", j0)
			return err
		}, app.Invalid, "Say what is wrong"},
		"no such output": {func() error {
			_, err := w.store.ApproveValidation(w.ctx, app.Choice{ID: "00000000-0000-4000-8000-000000000000"}, ada, nil, j0)
			return err
		}, app.NotFound, "no such output"},
		"no id at all": {func() error {
			_, err := w.store.ApproveValidation(w.ctx, app.Choice{ID: "'; drop table users"}, ada, nil, j0)
			return err
		}, app.NotFound, "no such output"},
		"a dossier that was not submitted": {func() error {
			_, err := w.store.ApproveValidation(w.ctx, queue[at].Choice(), ada, nil, j0)
			return err
		}, app.Invalid, "receipt"},
		"a run that goes on": {func() error {
			_, err := w.store.ApproveValidation(w.ctx, unfinished.Choice(), ada, nil, j0)
			return err
		}, app.Conflict, "nothing to decide yet"},
	}
	for name, tt := range tests {
		if err := tt.decide(); !isKind(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := w.count("validations WHERE state <> 'pending'"); n != 0 {
		t.Errorf("%d outputs were decided all the same", n)
	}
	if n := w.count("admin_audit WHERE action LIKE 'validation%'"); n != 0 {
		t.Errorf("%d audit rows of decisions that were refused", n)
	}
}

func (w *world) stepClaim(key string) app.Claim { return claimOf(w.step(key)) }

func TestValidationsAreFrozen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("designer.kit", "designer", validates))
	v := w.waiting("designer.kit", app.KindKit, app.OutputPayload{Step: "designer.kit", Output: json.RawMessage(`{"a":1}`)})
	w.refused("payload changed", `UPDATE validations SET payload = '{}'`)
	w.refused("payload changed with its hash", `UPDATE validations SET payload = '{}', payload_sha256 = sha256('{}')`)
	w.refused("kind changed", `UPDATE validations SET kind = 'post'`)
	w.refused("approved by nobody, never", `UPDATE validations SET state = 'approved'`)
	w.refused("what it binds to changed", `UPDATE validations SET frozen = '{}', frozen_sha256 = sha256('{}')`)
	w.approve(v, j0)
	w.refused("taken back", `UPDATE validations SET state = 'pending', decided_at = NULL, applied_at = NULL`)
	w.refused("applied once more", `UPDATE validations SET applied_at = NULL`)
	w.refused("turned around", `UPDATE validations SET state = 'rejected'`)
	if app.SHA256Hex(v.Payload) != v.PayloadSHA256 || string(v.Payload) != `{"output":{"a":1},"step":"designer.kit"}` {
		t.Errorf("frozen is %s under %s", v.Payload, v.PayloadSHA256)
	}
}

func TestDraftsThatWereReplacedAreVoid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.daily_post.d03", "cm", validates))
	c := w.start("cm.daily_post.d03")
	run := w.run(c, app.Dollar)
	propose := func(call, text string) app.Validation {
		id, err := w.store.Propose(w.ctx, c, postgres.Proposal{RunID: run.ID, CallID: call, Kind: app.KindPost, Payload: post(text)}, j0)
		w.must(err)
		v, err := w.store.Validation(w.ctx, id)
		w.must(err)
		return v
	}
	first, again := propose("c1", "one"), propose("c1", "one, said differently")
	if first.ID != again.ID || string(again.Payload) != string(first.Payload) {
		t.Errorf("one call made two drafts: %+v, %+v", first, again)
	}
	second := propose("c2", "two")
	if first, _ = w.store.Validation(w.ctx, first.ID); first.State != app.ValidationVoid || second.State != app.ValidationPending || second.DraftNo != 2 {
		t.Errorf("the first draft is %s, the second %s no. %d", first.State, second.State, second.DraftNo)
	}
	w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{RunID: run.ID, Output: json.RawMessage(`{}`)}, j0))
	if _, err := w.store.ApproveValidation(w.ctx, first.Choice(), ada, nil, j0); !isKind(err, app.Conflict) || !strings.Contains(err.Error(), "replaced or withdrawn") {
		t.Errorf("the void draft: %v", err)
	}
	w.approve(second, j0)

	op := w.operation(2, app.Dollar, step("cm.daily_post.d03", "cm", validates))
	v := w.waitingIn(op.ID, "cm.daily_post.d03", app.KindPost, post("x"), j0)
	w.must(w.store.StopOperation(w.ctx, op.Slug, "enough", ada, j0))
	if _, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, nil, j0); !isKind(err, app.Conflict) {
		t.Errorf("an output of a stopped operation: %v", err)
	}
}

func TestRejections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.daily_post.d03", "cm", validates))
	now := j0
	reject := func(reason string) app.Step {
		t.Helper()
		v := w.waitingIn(w.op.ID, "cm.daily_post.d03", app.KindPost, post("because of "+reason), now)
		w.reject(v, reason, now)
		w.must(w.store.ApplyDecisions(w.ctx, now.Add(time.Hour))) // it counts once
		return w.step("cm.daily_post.d03")
	}
	for i, reason := range []string{"too long", "too loud"} {
		s := reject(reason)
		if s.State != app.StepPending || s.Rejections != i+1 || s.Attempt != 0 || string(s.Input) != fmt.Sprintf(`{"rejection_reason": %q}`, reason) {
			t.Errorf("after rejection %d: %+v", i+1, s)
		}
	}
	if n := len(w.alerts("rejected")); n != 0 {
		t.Errorf("%d alerts before the third rejection", n)
	}
	s := reject("too late")
	if s.State != app.StepFailed || !strings.Contains(s.Error, "too late") || len(w.alerts("rejected")) != 1 {
		t.Errorf("after the third rejection: %s %q, %d alerts", s.State, s.Error, len(w.alerts("rejected")))
	}
	if _, err := w.store.AdvanceSteps(w.ctx, w.op.ID, now, wall); err != nil || w.step("cm.daily_post.d03").State != app.StepFailed {
		t.Errorf("it does not wait for a person: %v", err)
	}
	if n := w.count("effects"); n != 0 {
		t.Errorf("rejections have %d effects", n)
	}

	// A person may have it tried again, and is told again when that comes to nothing.
	w.must(w.store.RetryStep(w.ctx, s.ID, "once more", ada, now))
	for range 3 {
		s = reject("no")
	}
	if s.State != app.StepFailed || len(w.alerts("rejected")) != 2 {
		t.Errorf("after three more: %s, %d alerts", s.State, len(w.alerts("rejected")))
	}
	v := w.count("validations WHERE state = 'rejected' AND decided_by = 'bob'")
	if v != 6 {
		t.Errorf("%d drafts are kept as rejected", v)
	}
}

// goNoGo is an operation where the decision to go on is due, with work around it.
func goNoGo(t *testing.T) *world {
	return newWorld(t, app.Dollar, step("scanner.go_nogo", "scanner", validates), step("tg.setup", "tg_bot", validates),
		step("cm.account_setup", "cm"), step("buyback.start", "system", dependsOn("scanner.go_nogo")),
		step("designer.kit", "designer", dueAt(j0.Add(30*time.Hour))))
}

func (w *world) goNoGoOutput(decision string) app.Validation {
	w.t.Helper()
	c := w.start("scanner.go_nogo")
	output := json.RawMessage(fmt.Sprintf(`{"decision": %q}`, decision))
	w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{RunID: w.run(c, app.Dollar).ID, Output: output, Policy: true}, j0))
	queue, err := w.store.PendingValidations(w.ctx)
	w.must(err)
	if len(queue) != 1 || queue[0].Kind != app.KindGoNoGo {
		w.t.Fatalf("a go/no-go must wait for a person whatever the policy: %+v", queue)
	}
	return queue[0]
}

func TestEveryNoStopsTheOperation(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*world){
		"rejected": func(w *world) {
			v := w.goNoGoOutput("go")
			w.reject(v, "not this one", j0)
		},
		"answered no-go": func(w *world) { w.approve(w.goNoGoOutput("no_go"), j0) },
		"blocked by the checks": func(w *world) {
			w.must(w.store.StopByCheck(w.ctx, w.start("scanner.go_nogo"), json.RawMessage(`{"decision": "no_go"}`), "the checks block it: sell_tax", j0))
		},
	}
	for name, no := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := goNoGo(t)
			w.start("scanner.go_nogo")
			// Around it: a call under way, an output that waits, a publication that is approved.
			c := w.stepClaim("cm.account_setup")
			run := w.run(c, app.Dollar)
			_, err := w.reserve(c, run, 300)
			w.must(err)
			setup := w.stepClaim("tg.setup")
			_, err = w.store.Propose(w.ctx, setup, postgres.Proposal{Kind: app.KindTelegram, Payload: app.TelegramSetupPayload{Chat: -1, Title: "t"}}, j0)
			w.must(err)
			no(w)

			op, err := w.store.Operation(w.ctx, w.op.ID)
			w.must(err)
			if op.State != app.OperationStopped || op.StopReason == "" || op.Envelope != 500*app.Dollar {
				t.Errorf("the operation is %s because of %q, envelope %s", op.State, op.StopReason, op.Envelope)
			}
			if n := w.count("operation_steps WHERE state IN ('pending', 'running', 'waiting_validation')"); n != 0 {
				t.Errorf("%d steps are open", n)
			}
			for _, key := range []string{"tg.setup", "cm.account_setup", "buyback.start", "designer.kit"} {
				if s := w.step(key); s.State != app.StepCancelled {
					t.Errorf("%s is %s", key, s.State)
				}
			}
			if requested, err := w.store.BuybackRequested(w.ctx, w.op.ID); err != nil || requested || w.count("buyback_requests") != 0 {
				t.Errorf("the buyback was requested: %t, %v", requested, err)
			}
			if n := w.count("validations WHERE state = 'pending'"); n != 0 {
				t.Errorf("%d outputs still wait", n)
			}
			if n := w.count("agent_runs WHERE state = 'running'"); n != 0 {
				t.Errorf("%d runs go on", n)
			}
			if op.Spent != 300 || op.Reserved != 0 {
				t.Errorf("the call under way leaves %s spent, %s reserved", op.Spent, op.Reserved)
			}
			if _, err := w.store.AdvanceSteps(w.ctx, w.op.ID, j0.Add(100*time.Hour), wall); err != nil || w.count("operation_steps WHERE state = 'running'") != 0 {
				t.Errorf("something starts after the stop: %v", err)
			}
			if err := w.store.RequestBuyback(w.ctx, w.stepClaim("buyback.start"), j0); err != postgres.ErrLost {
				t.Errorf("a late buyback: %v", err)
			}
			if problem := chainProblem(t, w); problem != "" {
				t.Error(problem)
			}
		})
	}
}

func TestNoGoOfTheChecksIsKept(t *testing.T) {
	t.Parallel()
	w := goNoGo(t)
	w.must(w.store.StopByCheck(w.ctx, w.start("scanner.go_nogo"), json.RawMessage(`{"decision": "no_go"}`), "the checks block it: sell_tax", j0))
	if s := w.step("scanner.go_nogo"); s.State != app.StepDone || string(s.Output) != `{"decision": "no_go"}` {
		t.Errorf("the step is %s with %s", s.State, s.Output)
	}
	if file, _, err := w.store.TokenFile(w.ctx, w.op.Token.ID, "scan"); err != nil || !strings.Contains(string(file), "no_go") {
		t.Errorf("the token file says %s, %v", file, err)
	}
	if op, _ := w.store.Operation(w.ctx, w.op.ID); op.StopReason != "the checks block it: sell_tax" {
		t.Errorf("stopped because of %q", op.StopReason)
	}
}

func TestGoStartsTheBuyback(t *testing.T) {
	t.Parallel()
	w := goNoGo(t)
	v := w.goNoGoOutput("go")
	if _, err := w.store.AdvanceSteps(w.ctx, w.op.ID, j0.Add(time.Hour), wall); err != nil || w.step("buyback.start").State != app.StepPending {
		t.Errorf("the buyback did not wait for the decision: %v", err)
	}
	applied := w.approve(v, j0.Add(time.Hour))
	c := w.startAt(w.op.ID, "buyback.start", applied)
	w.must(w.store.RequestBuyback(w.ctx, c, applied))
	var amount app.Nano
	w.scan([]any{&amount}, `SELECT amount_nusd FROM buyback_requests WHERE operation_id = $1`, w.op.ID)
	if amount != 500*app.Dollar || w.step("buyback.start").State != app.StepDone {
		t.Errorf("requested %s, the step is %s", amount, w.step("buyback.start").State)
	}
	if file, _, err := w.store.TokenFile(w.ctx, w.op.Token.ID, "scan"); err != nil || !strings.Contains(string(file), `"scanner.go_nogo": {"decision": "go"}`) {
		t.Errorf("the token file says %s, %v", file, err)
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("designer.kit", "designer", validates), step("designer.directions", "designer", validates))
	w.start("designer.kit")
	for key, tainted := range map[string]bool{"designer.kit": false, "designer.directions": true} {
		c := w.stepClaim(key)
		run := w.run(c, app.Dollar)
		w.must(w.store.AnswerCall(w.ctx, c, postgres.Answer{RunID: run.ID, Turn: 1, CallID: "c", Item: json.RawMessage(`{}`), Tainted: tainted, Source: "x.com/ember"}, j0))
		w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{RunID: run.ID, Output: json.RawMessage(`{}`), Policy: true}, j0))
	}
	if s := w.step("designer.kit"); s.State != app.StepDone {
		t.Errorf("clean, by policy: %s", s.State)
	}
	if s := w.step("designer.directions"); s.State != app.StepWaiting {
		t.Errorf("tainted, by policy: %s", s.State)
	}
	queue, err := w.store.PendingValidations(w.ctx)
	w.must(err)
	if len(queue) != 1 || !queue[0].Risk.Tainted || strings.Join(queue[0].Risk.Sources, " ") != "x.com/ember" {
		t.Errorf("the queue shows %+v", queue)
	}
	if n := w.count("validations WHERE state = 'approved' AND decided_by = 'policy' AND applied_at = decided_at"); n != 1 {
		t.Errorf("%d approvals by policy are recorded", n)
	}
	if n := w.count("admin_audit WHERE action LIKE 'validation%'"); n != 0 {
		t.Errorf("%d audit rows say that a person decided", n)
	}
}

// TestPolicyLeavesWhatCodeFoundToAPerson: it would be approved on purpose only.
func TestPolicyLeavesWhatCodeFoundToAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.post_0", "cm", validates), step("cm.post_1", "cm", validates), step("cm.post_2", "cm", validates))
	w.start("cm.post_0")
	for key, p := range map[string]postgres.Proposal{
		"cm.post_0": {Payload: post("gm")},
		"cm.post_1": {Payload: post("to the moon"), Risk: app.Risk{Problems: []string{"It promises a price."}}},
		"cm.post_2": {Payload: app.PostPayload{Account: "somebody", Text: "gm"}},
	} {
		c := w.stepClaim(key)
		p.Kind = app.KindPost
		_, err := w.store.Propose(w.ctx, c, p, j0)
		w.must(err)
		w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{Output: json.RawMessage(`{}`), Policy: true}, j0))
	}
	queue, err := w.store.PendingValidations(w.ctx)
	w.must(err)
	for _, v := range queue {
		if v.StepKey == "cm.post_0" {
			t.Error("a post without a mark waits")
		}
	}
	if len(queue) != 2 || w.count("effects") != 1 {
		t.Errorf("%d wait, %d effects", len(queue), w.count("effects"))
	}
}

func TestHandoverCompletes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("handover", "system", validates), step("cm.utility_post", "cm", validates), step("a.a", "cm"), step("a.b", "cm", dependsOn("a.a")))
	c := w.start("handover")
	late := w.stepClaim("cm.utility_post")
	_, err := w.store.Propose(w.ctx, late, postgres.Proposal{Kind: app.KindPost, Payload: post("too late")}, j0)
	w.must(err)
	_, err = w.reserve(w.stepClaim("a.a"), w.run(w.stepClaim("a.a"), app.Dollar), 40)
	w.must(err)
	w.must(w.store.AwaitPerson(w.ctx, c, postgres.Proposal{Kind: app.KindHandover, Payload: app.HandoverPayload{Items: []string{"a"}}}, j0))
	queue, err := w.store.PendingValidations(w.ctx)
	w.must(err)
	w.must(w.store.PauseOperation(w.ctx, w.op.Slug, ada, j0))
	if _, err := w.store.ApproveValidation(w.ctx, queue[0].Choice(), ada, nil, j0); !isKind(err, app.Conflict) {
		t.Errorf("signed off while paused: %v", err)
	}
	w.must(w.store.ResumeOperation(w.ctx, w.op.Slug, ada, j0))
	w.approve(queue[0], j0)
	if got := w.state(); got != app.OperationCompleted {
		t.Errorf("the operation is %s", got)
	}
	// "Nothing more is started or published": nothing is left open either.
	for key, want := range map[string]app.StepState{"handover": app.StepDone, "cm.utility_post": app.StepCancelled, "a.a": app.StepCancelled, "a.b": app.StepCancelled} {
		if s := w.step(key); s.State != want {
			t.Errorf("%s is %s", key, s.State)
		}
	}
	spent, reserved, _ := w.money()
	if n := w.count("validations WHERE state = 'pending'"); n != 0 || spent != 40 || reserved != 0 {
		t.Errorf("%d outputs wait, %s spent, %s reserved", n, spent, reserved)
	}
	if err := w.store.StopOperation(w.ctx, w.op.Slug, "late", ada, j0); !isKind(err, app.Conflict) {
		t.Errorf("stopped after completion: %v", err)
	}
}

func TestOverdueOutputsAlertOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("designer.kit", "designer", validates))
	v := w.waiting("designer.kit", app.KindKit, app.OutputPayload{Step: "designer.kit", Output: json.RawMessage(`{}`)})
	const limit = 2 * time.Hour
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{limit - time.Second, 0}, {limit, 1}, {limit + time.Minute, 1}, {3 * limit, 1}} {
		now := j0.Add(tt.after)
		w.must(w.store.RaiseOverdue(w.ctx, now.Add(-limit), now))
		if got := w.alerts("validation_overdue"); len(got) != tt.want {
			t.Errorf("after %s: alerts %v", tt.after, got)
		}
	}
	if next, err := w.store.NextInstant(w.ctx, j0); err != nil || next == nil || !next.Equal(j0.Add(limit)) {
		t.Errorf("the next instant is %v, %v", next, err)
	}
	waiting, err := w.store.WaitingFor(w.ctx, w.op.ID)
	if err != nil || waiting.Count != 1 || !waiting.Oldest.Equal(v.CreatedAt) {
		t.Errorf("waiting: %+v, %v", waiting, err)
	}
}
