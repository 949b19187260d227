package runner_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
)

// dice are thrown by the bytes of a fuzzer, and by themselves when those end.
type dice struct {
	bytes []byte
	then  *rand.Rand
}

func newDice(data []byte) *dice {
	var seed [16]byte
	copy(seed[:], data)
	return &dice{data, rand.New(rand.NewPCG(binary.LittleEndian.Uint64(seed[:8]), binary.LittleEndian.Uint64(seed[8:])))}
}

// n is a number below most.
func (d *dice) n(most int) int {
	if len(d.bytes) == 0 {
		return d.then.IntN(most)
	}
	b := d.bytes[0]
	d.bytes = d.bytes[1:]
	return int(b) % most
}

func pick[T any](d *dice, all ...T) T { return all[d.n(len(all))] }

// noise is a text of any bytes.
func (d *dice) noise(most int) string {
	b := make([]byte, d.n(most))
	for i := range b {
		b[i] = byte(d.n(256))
	}
	return string(b)
}

// answers are what a model says that has lost its mind.
func (d *dice) answers() (all []modelsim.Answer) {
	for range 1 + d.n(4) {
		a := modelsim.Answer{Text: pick(d, "", "", "Hm.", "\x00\ufffe\u202e", d.noise(40)), FinishReason: pick(d, "", "", "", "length", "stop", "tool_calls")}
		for range pick(d, 0, 1, 1, 2, 3, d.n(6), d.n(31)) {
			a.Calls = append(a.Calls, d.call())
		}
		all = append(all, a)
	}
	return all
}

func (d *dice) call() modelsim.ToolCall {
	const known = 5
	names := []string{"read_file", "market_snapshot", "write_file", "alert", "finish", "x_post", "wallet_send", "", "Finish", "fin ish", "read.file", "market_snapshot\x00",
		"名前", strings.Repeat("n", 90), "</untrusted>", d.noise(80)}
	name := names[d.n(known)]
	if d.n(3) == 0 {
		name = pick(d, names...)
	}
	c := modelsim.NewCall(name, d.args(name))
	c.ID = pick(d, "", "call_1", "call_1", "call_2", "call_1_1", strings.Repeat("x", 41), strings.Repeat("x", 300), "ид", "a b\x00c", d.noise(50))
	return c
}

// args are arguments that fit, that nearly fit, and that are no JSON at all.
func (d *dice) args(tool string) any {
	if d.n(2) == 0 {
		switch tool {
		case "read_file":
			return map[string]string{"section": "scan"}
		case "write_file":
			return map[string]string{"content": pick(d, `{"tone":"calm"}`, `{"tone":"\u0000"}`, `{"tone":1e400}`, "{")}
		case "alert":
			return map[string]string{"kind": "no_data", "message": d.noise(30)}
		case "finish":
			return map[string]any{"output": pick[any](d, reading(), with(reading(), "note", "\x00\ud7ff"), with(reading(), "holders", -1), "done")}
		}
	}
	return pick(d, `{}`, `null`, ``, `[]`, `"scan"`, `7`, `{"section":`, `{"section":"\u0000"}`, `{"section":"\ud800"}`, `{"section":"\udc00\ud800"}`, "{\"section\":\"\x00\"}",
		`{"section":1e999}`, `{"output":{"note":1e200000}}`, `{"a":1,"a":2}`, `{"A":{"a":[]}}`, "\xff\xfe", `"{\"section\":\"scan\"}"`, "{\"b\": 1, \n \"a\": [ 2 ]}",
		strings.Repeat("[", 9999)+strings.Repeat("]", 9999), strings.Repeat("{\"a\":", 1200)+"1"+strings.Repeat("}", 1200), `"`+strings.Repeat("long ", 9000)+`"`, d.noise(60))
}

// talks is a stage for any number of conversations, each an operation of its own.
type talks struct {
	*stage
	next atomic.Uint32
}

func newTalks(t testing.TB) *talks {
	st := newStage(t, setting{spec: [2]string{"budget_max_usd: 2.00", "budget_max_usd: 800"}})
	said := sync.Map{} // what each conversation's model says, by the token's address
	st.sim.Script(func(req modelsim.Request) (modelsim.Answer, bool) {
		turn := 0
		for _, m := range req.Messages {
			if m.Role == "assistant" {
				turn++
			}
		}
		script, _ := said.Load(addressIn(*req.Messages[0].Content))
		answers, _ := script.([]modelsim.Answer)
		if turn >= len(answers) {
			return finish(reading()), true
		}
		a := answers[turn]
		a.Calls = append([]modelsim.ToolCall(nil), a.Calls...)
		return a, true
	})
	st.scripts = &said
	ctx := t.Context()
	go func() { // waits between tries are over soon
		for ctx.Err() == nil {
			st.wall.Advance(250 * time.Millisecond)
			time.Sleep(2 * time.Millisecond)
		}
	}()
	return &talks{stage: st}
}

// addressIn finds the official address in a system prompt.
func addressIn(prompt string) string {
	_, rest, _ := strings.Cut(prompt, "0x")
	return strings.ToLower(rest[:min(len(rest), 40)])
}

// hold plays a conversation and checks that whatever the model said, the run has
// come to an end of its own, and has answered each call once.
func (ts *talks) hold(t *testing.T, data []byte) {
	t.Helper()
	n := ts.next.Add(1)
	st := *ts.stage
	st.t = t
	token := testop.Token(1)
	binary.BigEndian.PutUint32(token.Ref.Address[8:], n)
	st.scripts.Store(strings.ToLower(fmt.Sprintf("%x", token.Ref.Address[:])), newDice(data).answers())
	st.op = testop.Of(t, st.store, app.NewOperation{Token: token, Slug: fmt.Sprintf("talk-%d", n), J0: testop.J0, Cap: 5000 * app.Dollar, Envelope: app.Dollar, XHandle: "dodo_back"},
		testop.Step("scanner", metrics, metrics, false))
	step, err := st.play(metrics)
	if (err == nil) != (step.State == app.StepDone) || step.State == app.StepRunning {
		t.Errorf("%x: the step is %s: %v", data, step.State, err)
	}
	if err != nil && !strings.Contains(err.Error(), "twice") && !strings.Contains(err.Error(), "no retry is left") && !strings.Contains(err.Error(), "empty answer") {
		t.Errorf("%x: the run has failed: %v", data, err)
	}
	run := st.run(metrics)
	for _, call := range run.Calls {
		if strings.Contains(call.Error, "(400)") || call.State == "reserved" {
			t.Errorf("%x: a call is %s: %s", data, call.State, call.Error)
		}
	}
	if err := answeredOnce(run); err != nil {
		t.Errorf("%x: %v", data, err)
	}
	testop.Balanced(t, st.store, st.op)
}

// answeredOnce checks that the calls of a transcript have ids of their own and
// one result each, right after them. Those of a run that has ended with its last
// answer may be open.
func answeredOnce(run app.RunTrace) error {
	seen, open := map[string]bool{}, map[string]bool{}
	for _, it := range run.Items {
		var content struct {
			CallID string `json:"call_id"`
			Calls  []struct {
				ID string `json:"id"`
			} `json:"calls"`
		}
		if err := json.Unmarshal(it.Content, &content); err != nil {
			return err
		}
		if it.Role == "tool" && !open[content.CallID] {
			return fmt.Errorf("item %d answers %q, which is not open", it.Seq, content.CallID)
		}
		delete(open, content.CallID)
		if it.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("item %d comes while %v are open", it.Seq, open)
		}
		for _, call := range content.Calls {
			if seen[call.ID] || call.ID == "" || len(call.ID) > 40 {
				return fmt.Errorf("item %d has a call with the id %q", it.Seq, call.ID)
			}
			seen[call.ID], open[call.ID] = true, true
		}
	}
	return nil
}

// TestAnythingAModelSays: the next request is valid for the API, whatever an
// answer held; the model server refuses what the real one refuses.
func TestAnythingAModelSays(t *testing.T) {
	t.Parallel()
	talks := newTalks(t)
	conversations := 200
	if testing.Short() {
		conversations = 40
	}
	const lanes = 4
	for lane := range lanes {
		t.Run(fmt.Sprint("lane ", lane), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(lane), 20))
			for range conversations / lanes {
				data := make([]byte, 16+rng.IntN(200))
				for i := range data {
					data[i] = byte(rng.Uint32())
				}
				talks.hold(t, data)
			}
		})
	}
}

// FuzzAssistantTurns looks for a conversation that ends in a request that the
// API refuses: go test ./app/runner -run '^$' -fuzz AssistantTurns -fuzztime 60s -fuzzminimizetime 1x
func FuzzAssistantTurns(f *testing.F) {
	talks := newTalks(f)
	for seed := range uint64(8) {
		f.Add(binary.LittleEndian.AppendUint64(make([]byte, 24), seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		talks.hold(t, data)
		for _, problem := range talks.strict.complaints() {
			t.Errorf("%x: %s", data, problem)
		}
	})
}
