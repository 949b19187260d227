package replay_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/cassette"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
)

// TestRunsEndedFromOutsideReplay: what ends a run from outside its loop can't be
// played, but all before it is.
func TestRunsEndedFromOutsideReplay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end   func(*stage, context.CancelFunc) // while the model thinks about its second turn
		state string                           // of the run
		note  string
	}{
		"stopped": {func(st *stage, _ context.CancelFunc) {
			st.must(st.store.StopOperation(st.t.Context(), st.op.Slug, "enough", testop.Person, st.clock.Now()))
		}, "failed", "operation stopped"},
		"the process stops": {func(_ *stage, cancel context.CancelFunc) { cancel() }, "running", "It is not over"},
		"time is up":        {func(st *stage, _ context.CancelFunc) {}, "failed", "took longer than 3s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, 20*app.Dollar, scan())
			st.setting("run.max_time_s", "3")
			if name != "time is up" {
				st.setting("run.max_time_s", "60")
			}
			st.script(look())
			st.interrupt(c.end)
			report := st.identical()[0]
			if report.State != c.state || !strings.Contains(strings.Join(report.Notes, "\n"), c.note) || report.Results != 1 {
				t.Errorf("it says\n%s", text(report))
			}
			st.exports(report)
		})
	}
}

// interrupt runs the step by a real wall clock until the model hangs in its
// second turn, and does something then.
func (st *stage) interrupt(then func(*stage, context.CancelFunc)) {
	st.t.Helper()
	real := *st.runner
	real.Wall = clockwork.NewRealClock()
	claim, step := testop.Start(st.t, st.store, st.op, metrics, st.clock.Now(), real.Wall.Now().Add(lease))
	ctx, cancel := context.WithCancel(st.t.Context())
	defer cancel()
	over := make(chan struct{})
	hung := false
	real.Reached = func(point string) {
		switch {
		case point == "tool_done":
			st.sim.Fail(modelsim.Fault{Hang: true})
		case point == "reserved" && st.sim.Count() > 0 && !hung:
			hung = true
			go func() {
				time.Sleep(50 * time.Millisecond) // so that the request is under way, or nearly
				then(st, cancel)
			}()
		}
	}
	go func() {
		defer close(over)
		_ = real.Run(ctx, claim, st.op, step)
	}()
	select {
	case <-over:
	case <-time.After(20 * time.Second):
		st.t.Fatal("the run does not end")
	}
}

func (st *stage) must(err error) {
	st.t.Helper()
	if err != nil {
		st.t.Error(err)
	}
}

// TestTakenUpRunsReplay: a run that was put aside or cut off and goes on is one run.
func TestTakenUpRunsReplay(t *testing.T) {
	t.Parallel()
	for name, aside := range map[string]func(st *stage, cancel context.CancelFunc){
		"after a pause": func(st *stage, _ context.CancelFunc) {
			st.must(st.store.PauseOperation(st.t.Context(), st.op.Slug, testop.Person, st.clock.Now()))
		},
		"after its process stopped": func(_ *stage, cancel context.CancelFunc) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, 20*app.Dollar, scan())
			st.script(look(), look(), finish(reading()))
			claim, step := testop.Start(st.t, st.store, st.op, metrics, st.clock.Now(), st.wall.Now().Add(lease))
			ctx, cancel := context.WithCancel(t.Context())
			first := *st.runner
			first.Reached = func(point string) {
				if point == "settled" {
					aside(st, cancel)
				}
			}
			_ = first.Run(ctx, claim, st.op, step)
			if name == "after a pause" {
				st.must(st.store.ResumeOperation(t.Context(), st.op.Slug, testop.Person, st.clock.Now()))
			}
			if report := st.identical()[0]; report.State != "running" || len(report.Notes) != 1 {
				t.Errorf("put aside it says\n%s", text(report))
			}
			st.wall.Advance(2 * lease)
			st.must(st.store.TakeOverExpired(t.Context(), st.clock.Now(), st.wall.Now(), st.wall.Now().Add(lease)))
			step = testop.ByKey(t, st.store, st.op, metrics)
			claim.Fence = step.Fence
			if err := st.runner.Run(t.Context(), claim, st.op, step); err != nil {
				t.Fatal(err)
			}
			if report := st.identical()[0]; report.State != "succeeded" || len(report.Calls) != 3 || len(report.Notes) != 0 {
				t.Errorf("it says\n%s", text(report))
			}
		})
	}
}

// TestFallbackReplays: what was asked of another model then is so again,
// whatever is set now.
func TestFallbackReplays(t *testing.T) {
	t.Parallel()
	st := newStage(t, 20*app.Dollar, scan())
	st.setting("llm.fallback.scanner", `"gpt-5-nano"`)
	st.sim.Fail(modelsim.Fault{Status: 404, Body: `{"error":{"message":"The model does not exist"}}`})
	answers(look(), finish(reading()))(st)
	st.setting("llm.fallback.scanner", `"gpt-5-mini"`)
	st.setting("llm.model.scanner", `"gpt-5-mini"`)
	st.must(st.store.SetSetting(t.Context(), "run.retries", []byte("0"), "ada", st.clock.Now().Add(time.Hour)))
	report := st.identical()[0]
	if len(report.Calls) != 3 || report.Calls[0].Model != "gpt-5" || report.Calls[1].Model != "gpt-5-nano" || report.State != "succeeded" {
		t.Errorf("it says\n%s", text(report))
	}
	st.exports(report)
}

// TestPicturesAreCounted: what a tool paid for is part of the sum.
func TestPicturesAreCounted(t *testing.T) {
	t.Parallel()
	st := newStage(t, 20*app.Dollar, testop.Step("designer", boards, boards, true))
	st.script(modelsim.Do("image_generate", map[string]any{"prompt": "A bird", "count": 2, "size": "1024x1024"}))
	st.play(boards)
	report := st.identical()[0]
	if report.Spent < 84_000_000 || report.State != "failed" || len(report.Calls) != 4 {
		t.Errorf("it says\n%s", text(report))
	}
	const restored = `cost_nusd = 84000000, reserved_nusd = 84000000, cost_source = 'price_list'`
	for _, change := range []string{`cost_nusd = 83999999`, `cost_nusd = 84000001`, `cost_source = 'bound', reserved_nusd = 85000000`} {
		st.exec(`UPDATE llm_calls SET ` + change + ` WHERE kind = 'image'`)
		if report := st.replay(report.Run); report.Identical || report.Differences[0].What != "cost" {
			t.Errorf("%s: it says\n%s", change, text(report))
		}
		st.exec(`UPDATE llm_calls SET ` + restored + ` WHERE kind = 'image'`)
		st.identical()
	}
}

// TestEvidenceReplays: what an output cited is judged as it stood then.
func TestEvidenceReplays(t *testing.T) {
	t.Parallel()
	st := newStage(t, 20*app.Dollar, testop.Step("cm", post, post, true))
	propose := func(text string) modelsim.Answer {
		return modelsim.Do("x_post", map[string]any{"text": text, "assets": []string{}, "alt": []string{}})
	}
	cite := func(id string) modelsim.Answer {
		return finish(map[string]any{"text": "Day 3. Still here.", "media": []string{}, "validation_id": id})
	}
	st.sim.Script(func(req modelsim.Request) (modelsim.Answer, bool) {
		var ids []string
		turn := 0
		for _, m := range req.Messages {
			var said struct {
				ID string `json:"validation_id"`
			}
			if m.Role == "assistant" {
				turn++
			}
			if m.Role == "tool" && json.Unmarshal([]byte(*m.Content), &said) == nil && said.ID != "" {
				ids = append(ids, said.ID)
			}
		}
		switch turn {
		case 0:
			return propose("Day 3."), true
		case 1:
			return propose("Day 3. Still here."), true
		case 2:
			return cite(ids[0]), true // void by now
		}
		return cite(ids[len(ids)-1]), true
	})
	if step := st.play(post); step.State != app.StepWaiting {
		t.Fatalf("the step is %s: %s", step.State, step.Error)
	}
	st.evident("is not the open proposal")
	st.must(st.store.StopOperation(t.Context(), st.op.Slug, "enough", testop.Person, st.clock.Now()))
	st.evident("is not the open proposal")
	st.exec(`DELETE FROM validations WHERE draft_no = 2`)
	if report := st.replay(st.runs()[0]); report.Identical {
		t.Errorf("a proposal that is gone is not missed:\n%s", text(report))
	}
}

func (st *stage) evident(objection string) {
	st.t.Helper()
	report := st.identical()[0]
	if report.State != "succeeded" || len(report.Calls) != 4 || report.Results != 3 {
		st.t.Errorf("it says\n%s", text(report))
	}
	trace, err := st.store.Run(st.t.Context(), report.Run)
	if err != nil || !strings.Contains(string(trace.Items[6].Content), objection) {
		st.t.Errorf("the output was not sent back: %s %v", trace.Items[6].Content, err)
	}
}

// TestChangedProgramIsSaidFirst: the prompt that was stored is played; that the
// program's is another one is said, and is no difference.
func TestChangedProgramIsSaidFirst(t *testing.T) {
	t.Parallel()
	st := newStage(t, 20*app.Dollar, scan())
	answers(look(), finish(reading()))(st)
	id := st.runs()[0]
	st.exec(`UPDATE agent_runs SET prompt_sha256 = repeat('0', 64)`)
	if report := st.replay(id); !report.Identical || len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "prompt of scanner has changed") {
		t.Errorf("it says\n%s", text(report))
	}
	r := st.replayer()
	r.Encoder = other{r.Encoder}
	report, err := r.Play(t.Context(), id)
	if err != nil || report.Identical || report.Astray != 2 || !strings.Contains(text(report), "writes requests otherwise") {
		t.Errorf("it says\n%s%v", text(report), err)
	}
	for _, d := range report.Differences {
		if d.What != "request" {
			t.Errorf("also %s differs: %s", d.What, d.Sentence)
		}
	}
}

// other writes requests otherwise.
type other struct{ cassette.Encoder }

// RequestBytes implements cassette.Encoder.
func (o other) RequestBytes(req agent.Request) ([]byte, error) {
	raw, err := o.Encoder.RequestBytes(req)
	return append(raw, 32), err
}
