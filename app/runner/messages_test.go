package runner_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
)

// TestOddAnswersKeepTheMessagesValid: any number of calls, ids that come twice
// in a turn or again in a later one, arguments that are no JSON, characters
// that a database can't hold. The model server refuses a list of messages that
// the real API would refuse.
func TestOddAnswersKeepTheMessagesValid(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{budget: 900 * app.Dollar, spec: [2]string{"budget_max_usd: 2.00", "budget_max_usd: 800"}})
	rng := rand.New(rand.NewPCG(7, 7))
	args := []string{`{"section":"scan"}`, `{"section":`, ``, `null`, `[]`, `"scan"`, `{"section":"\u0000"}`, `{"section":"\ud800"}`, "{\"section\":\"\x00\"}", `7`, "\xff\xfe", `{"section":"\\u0000"}`,
		`{"section":1e999}`, strings.Repeat("[", 9000) + strings.Repeat("]", 9000)}
	var answers []modelsim.Answer
	for n := range 21 { // 0 to 20 calls
		a := modelsim.Answer{Text: fmt.Sprintf("turn %d \x00 \ufffe", n)}
		for range n {
			c := modelsim.NewCall([]string{"read_file", "wallet_send", "market_snapshot"}[rng.IntN(3)], args[rng.IntN(len(args))])
			c.ID = []string{"call_1", "call_2", "call_1_1", strings.Repeat("x", 200)}[rng.IntN(4)]
			a.Calls = append(a.Calls, c)
		}
		answers = append(answers, a)
	}
	st.script(append(answers, finish(reading()))...)
	step, err := st.play(metrics)
	if err != nil || step.State != app.StepDone || st.sim.Count() != len(answers)+1 {
		t.Fatalf("%s after %d requests: %v", step.State, st.sim.Count(), err)
	}
	calls := 0
	seen := map[string]bool{}
	for _, m := range st.lastRequest().Messages {
		for _, c := range m.ToolCalls {
			calls++
			if seen[c.ID] {
				t.Fatalf("the id %q names two calls of the run: tools are idempotent by it", c.ID)
			}
			seen[c.ID] = true
		}
	}
	if calls != 210 {
		t.Errorf("%d calls were kept, want 210", calls)
	}
	testop.Balanced(t, st.store, st.op)
}

// TestIDsThatComeAgainAreOtherCalls: a model that counts its calls anew in each
// turn still proposes what it wrote last.
func TestIDsThatComeAgainAreOtherCalls(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{steps: []app.Step{testop.Step("cm", post, post, true)}})
	propose := func(text string) modelsim.Answer {
		a := modelsim.Do("x_post", map[string]any{"text": text, "assets": []string{}, "alt": []string{}})
		a.Calls[0].ID = "call_0"
		return a
	}
	st.sim.Script(func(req modelsim.Request) (modelsim.Answer, bool) {
		switch told := answered(req); len(told) {
		case 0:
			return propose("First draft."), true
		case 1:
			return propose("Second draft."), true
		default:
			return finish(map[string]any{"text": "Second draft.", "media": []string{}, "validation_id": told[1]["validation_id"]}), true
		}
	})
	if step, err := st.play(post); err != nil || step.State != app.StepWaiting {
		t.Fatalf("%s: %v", step.State, err)
	}
	pending, err := st.store.PendingValidations(t.Context())
	if err != nil || len(pending) != 1 || !strings.Contains(string(pending[0].Payload), "Second draft.") {
		t.Errorf("what waits: %v %v", pending, err)
	}
}

// answered are the results of the tool calls so far, in order.
func answered(req modelsim.Request) (out []map[string]any) {
	for _, m := range req.Messages {
		if m.Role == "tool" {
			var v map[string]any
			_ = json.Unmarshal([]byte(*m.Content), &v) // a fenced result stays nil
			out = append(out, v)
		}
	}
	return out
}
