package rehearsal_test

import (
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/rehearsal"
)

func TestNothingIsPublishedUnapproved(t *testing.T) {
	t.Parallel()
	e := rehearse(t, rehearsal.Plan{Seed: 1, Days: 2, Script: script(t, "none")})
	if e.state("scanner.go_nogo") != app.StepWaiting || e.State != app.OperationRunning {
		t.Errorf("go/no-go is %s, the operation %s", e.state("scanner.go_nogo"), e.State)
	}
	if len(e.Published) != 0 || e.Buyback || e.Validations["pending"] != 1 {
		t.Errorf("published %v, buyback %t, outputs %v", e.Published, e.Buyback, e.Validations)
	}
	alerts, err := e.store.Alerts(t.Context())
	if err != nil || len(alerts) != 1 || alerts[0].Kind != "validation_overdue" {
		t.Errorf("two days of silence raised %+v, %v", alerts, err)
	}
}

func TestGoNoGoRejected(t *testing.T) {
	t.Parallel()
	e := rehearse(t, rehearsal.Plan{Seed: 1, Script: script(t, `{"decisions":[{"step":"scanner.go_nogo","decide":"reject","reason":"The deployer is back."}]}`)})
	e.stopped(t)
	if e.asked("scanner.go_nogo") == 0 {
		t.Error("the model was not asked")
	}
}

// stopped checks that a takeover ended at the go/no-go and left nothing.
func (e ending) stopped(t *testing.T) {
	t.Helper()
	if e.State != app.OperationStopped || e.Buyback || len(e.Published) != 0 {
		t.Errorf("it is %s, buyback %t, published %v", e.State, e.Buyback, e.Published)
	}
	for key, s := range e.steps {
		if s.State != app.StepCancelled && key != "scanner.full_report" && key != "scanner.go_nogo" {
			t.Errorf("%s is %s", key, s.State)
		}
		if !s.State.Final() {
			t.Errorf("%s is open", key)
		}
	}
}

func TestPreCheckStopsWithoutTheModel(t *testing.T) {
	t.Parallel()
	e := rehearse(t, rehearsal.Plan{Seed: 1, DeployerShare: 0.08})
	e.stopped(t)
	if e.asked("scanner.full_report") == 0 || e.asked("scanner.go_nogo") != 0 {
		t.Errorf("the model was asked %d times for the report, %d times for go/no-go", e.asked("scanner.full_report"), e.asked("scanner.go_nogo"))
	}
	if out := string(e.steps["scanner.go_nogo"].Output); !strings.Contains(out, "no_go") || !strings.Contains(out, "deployer") {
		t.Errorf("the pre-check answered %s", out)
	}
}

func TestRejectedDraftIsWrittenAnew(t *testing.T) {
	t.Parallel()
	const reason = "It names no figure."
	e := rehearse(t, rehearsal.Plan{Seed: 1, Days: 4, Script: script(t, `{"decisions":[{"step":"cm.daily_post.*","decide":"reject","reason":"`+reason+`","times":1}]}`)})
	step := e.steps["cm.daily_post.d03"]
	if step.State != app.StepDone || step.Rejections != 1 || !strings.Contains(string(step.Input), reason) {
		t.Errorf("the step is %s after %d rejections, with input %s", step.State, step.Rejections, step.Input)
	}
	effects, err := e.store.Effects(t.Context(), e.op.ID)
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for _, each := range effects {
		if each.StepKey != step.Key {
			continue
		}
		sent++
		approved, err := e.store.Validation(t.Context(), each.ValidationID)
		if err != nil {
			t.Fatal(err)
		}
		before, err := e.store.PreviousDraft(t.Context(), approved.ID)
		if err != nil || before == nil {
			t.Fatalf("no draft before the approved one: %v", err)
		}
		if approved.DraftNo != 2 || before.State != app.ValidationRejected || before.Reason != reason || before.PayloadSHA256 == approved.PayloadSHA256 {
			t.Errorf("draft %d was sent after a %s one (%q), the same: %t", approved.DraftNo, before.State, before.Reason, before.PayloadSHA256 == approved.PayloadSHA256)
		}
	}
	if sent != 1 {
		t.Errorf("%d posts were sent", sent)
	}
}

func TestDaysBoundTheRehearsal(t *testing.T) {
	t.Parallel()
	e := rehearse(t, rehearsal.Plan{Seed: 1, Days: 1})
	if e.Simulated > 86400 || e.state("scanner.daily_metrics.d01") != app.StepDone || e.state("designer.kit") != app.StepPending {
		t.Errorf("after %d seconds metrics are %s and the kit is %s", e.Simulated, e.state("scanner.daily_metrics.d01"), e.state("designer.kit"))
	}
}

func TestScripts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"everything":            "read script",
		`{"decisions":[{}]}`:    "no pattern",
		`{"decision":[]}`:       "unknown field",
		`{"decisions":[]} more`: "after",
		`{"decisions":[{"step":"[","decide":"approve"}]}`:                        "no pattern",
		`{"decisions":[{"step":"*","decide":"ponder"}]}`:                         "not \"ponder\"",
		`{"decisions":[{"step":"*","decide":"reject"}]}`:                         "needs a reason",
		`{"decisions":[{"step":"*","decide":"undo"}]}`:                           "needs times",
		`{"decisions":[{"step":"*","decide":"edit","text":"And?"}]}`:             "needs times",
		`{"decisions":[{"step":"*","decide":"edit","times":1}]}`:                 "needs a text",
		`{"decisions":[{"step":"*","decide":"leave","times":-1}]}`:               "times",
		`{"decisions":[{"step":"scanner.*","decide":"reject","reason":"  "}]}`:   "needs a reason",
		`{"decisions":[{"step":"*","decide":"approve","reason":"none needed"}]}`: "",
	} {
		_, err := rehearsal.ParseScript(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want …%s…", text, err, want)
		}
	}
}
