package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/internal/testop"
	"vivra/app/openai"
)

// instant is a model that answers at once, in process: a tool call in each
// turn, the output in the last one.
type instant struct {
	*openai.Client
	turns int
}

func (m *instant) Respond(_ context.Context, req agent.Request, _ func(string)) (agent.Response, error) {
	turn := 0
	for _, it := range req.Items {
		if it.Role == "assistant" {
			turn++
		}
	}
	call := agent.Call{ID: fmt.Sprintf("call_%d", turn), Tool: "market_snapshot", Args: json.RawMessage(`{}`)}
	if turn == m.turns-1 {
		call.Tool, call.Args = "finish", json.RawMessage(`{"output":`+output+`}`)
	}
	return agent.Response{Calls: []agent.Call{call}, Usage: app.Usage{PromptTokens: 9000, CompletionTokens: 60, TotalTokens: 9060, Reported: true}}, nil
}

const output = `{"at":"2027-01-11T09:00:00Z","price_usd":0.1,"mcap_usd":1,"liquidity_usd":1,"volume_24h_usd":1,"holders":1,"buyers_24h":1,"burned":0,"note":"Quiet."}`

// BenchmarkTurn measures what the runner adds to a turn of one tool call, its
// writes included, with a model that takes no time; beside it, in the same run,
// one plain HTTP round trip of such a request to the local model server.
func BenchmarkTurn(b *testing.B) {
	const turns = 20
	var steps []app.Step
	for n := range 400 {
		steps = append(steps, testop.Step("scanner", fmt.Sprintf("%s.d%03d", metrics, n), metrics, false))
	}
	st := newStage(b, setting{budget: 10_000 * app.Dollar, steps: steps})
	web := httptest.NewServer(st.sim)
	defer web.Close()
	client := openai.New(openai.Config{BaseURL: web.URL + "/v1", APIKey: modelKey})
	st.runner.Model = &instant{client, turns}
	st.start(steps[0].Key) // starts them all
	n := 0
	var own time.Duration
	for b.Loop() {
		s := st.step(steps[n%len(steps)].Key)
		began := time.Now()
		err := st.runner.Run(b.Context(), app.Claim{OperationID: st.op.ID, StepID: s.ID, Fence: s.Fence}, st.op, s)
		own += time.Since(began)
		if n++; err != nil || n > len(steps) {
			b.Fatal(n, err)
		}
	}
	b.StopTimer()
	turn := own / time.Duration(n*turns)
	trip := roundTrip(b, st, client)
	b.ReportMetric(float64(turn.Microseconds())/1000, "ms/turn")
	b.ReportMetric(float64(trip.Microseconds())/1000, "ms/roundtrip")
	b.ReportMetric(float64(turn)/float64(trip), "turn/roundtrip")
	b.ReportMetric(0, "ns/op")
}

// roundTrip is how long the same client takes for a request of the same size
// as a run's first, to a server that answers at once.
func roundTrip(b *testing.B, st *stage, client *openai.Client) time.Duration {
	b.Helper()
	st.script(finish(reading()))
	a, _ := st.runner.Catalogue.Agent("scanner")
	task, _ := st.runner.Catalogue.Task(metrics)
	req := agent.Request{Model: a.Model, System: a.System, MaxOutputTokens: a.MaxOutputTokens, Items: []agent.Item{{Role: "user", Text: "{}"}}}
	for _, tool := range a.Tools {
		req.Tools = append(req.Tools, tool.Spec())
	}
	req.Tools = append(req.Tools, task.Output.FinishSpec())
	const trips = 200
	began := time.Now()
	for range trips {
		if _, err := client.Respond(b.Context(), req, nil); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(began) / trips
}
