package openai_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"vivra/app/agent"
	"vivra/app/rehearsal/modelsim"
)

// TestProbe: what one small question tells of a model, and how often it is asked.
func TestProbe(t *testing.T) {
	t.Parallel()
	thinks := func(req modelsim.Request) (modelsim.Answer, bool) { // it needs room before it can answer
		return modelsim.Answer{FinishReason: "length"}, req.MaxTokens < 500
	}
	priced := modelsim.Do("ready", `{"ready":true}`)
	priced.Usage = json.RawMessage(`{"prompt_tokens":80,"completion_tokens":9,"total_tokens":89,"cost":0.0001}`)
	for name, c := range map[string]struct {
		mode                  modelsim.Mode
		script                func(modelsim.Request) (modelsim.Answer, bool)
		faults                []modelsim.Fault
		tools, streams, usage bool
		why, err              string
		asked                 int
	}{
		"all well":         {tools: true, streams: true, usage: true, asked: 1},
		"its cost":         {script: func(modelsim.Request) (modelsim.Answer, bool) { return priced, true }, tools: true, streams: true, usage: true, asked: 1},
		"one piece":        {mode: modelsim.Mode{NoStream: []string{"gpt-5"}}, tools: true, usage: true, asked: 1},
		"no usage":         {mode: modelsim.Mode{NoUsage: []string{"gpt-5"}}, tools: true, streams: true, asked: 1},
		"no tools":         {mode: modelsim.Mode{NoTools: []string{"gpt-5"}}, why: "(400): gpt-5 does not support tools"},
		"text instead":     {script: say("Ready."), streams: true, usage: true, why: "in text", asked: 1},
		"another tool":     {script: func(modelsim.Request) (modelsim.Answer, bool) { return modelsim.Do("steady", struct{}{}), true }, streams: true, usage: true, why: "does not exist", asked: 1},
		"no arguments":     {script: func(modelsim.Request) (modelsim.Answer, bool) { return modelsim.Do("ready", `{"re`), true }, streams: true, usage: true, why: "not JSON", asked: 1},
		"thinks first":     {script: thinks, tools: true, streams: true, usage: true, asked: 2},
		"never done":       {script: func(modelsim.Request) (modelsim.Answer, bool) { return modelsim.Answer{FinishReason: "length"}, true }, streams: true, usage: true, why: "output limit", asked: 3},
		"limit refused":    {faults: []modelsim.Fault{{Status: 400, Body: `{"error":{"message":"Could not finish the message because max_tokens or model output limit was reached."}}`}}, tools: true, streams: true, usage: true, asked: 1},
		"nothing forced":   {faults: []modelsim.Fault{{Status: 400, Body: `{"error":{"message":"fable does not support this tool_choice"}}`, Times: 2}}, script: func(modelsim.Request) (modelsim.Answer, bool) { return priced, true }, tools: true, streams: true, usage: true, asked: 1},
		"wrong key":        {faults: []modelsim.Fault{{Status: 401}}, err: "did not accept our key"},
		"no such model":    {faults: []modelsim.Fault{{Status: 404}}, err: "no such model"},
		"refused for good": {faults: []modelsim.Fault{{Status: 400, Times: 3}}, err: "refused the request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, client := start(t)
			sim.SetMode(c.mode)
			sim.Script(c.script)
			for _, f := range c.faults {
				sim.Fail(f)
			}
			got, err := client.Probe(t.Context(), "gpt-5")
			if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if got.Tools != c.tools || got.Streams != c.streams || got.Usage.Reported != c.usage || !strings.Contains(got.Why, c.why) || (got.Why == "") != (c.tools || c.err != "") || sim.Count() != c.asked {
				t.Errorf("got %+v after %d requests", got, sim.Count())
			}
			var fault *agent.ModelError
			if err != nil && !errors.As(err, &fault) {
				t.Errorf("a fault without a name: %v", err)
			}
			if asked := sim.Requests(); len(asked) > 0 && c.faults == nil && asked[0].MaxTokens > 64 {
				t.Errorf("the first question may take %d tokens", asked[0].MaxTokens)
			}
			if name == "its cost" && (got.Usage.GatewayCost == nil || *got.Usage.GatewayCost != 100_000 || got.Served != "gpt-5") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestProbeCountsAllItsQuestions: an answer that met its limit cost something, too.
func TestProbeCountsAllItsQuestions(t *testing.T) {
	t.Parallel()
	sim, client := start(t)
	sim.Script(func(req modelsim.Request) (modelsim.Answer, bool) {
		a := modelsim.Do("ready", struct{}{})
		if req.MaxTokens < 500 {
			a = modelsim.Answer{FinishReason: "length"}
		}
		a.Usage = json.RawMessage(`{"prompt_tokens":80,"completion_tokens":64,"total_tokens":144,"cost":0.001}`)
		return a, true
	})
	got, err := client.Probe(t.Context(), "gpt-5")
	if err != nil || got.Usage.PromptTokens != 160 || got.Usage.CompletionTokens != 128 || got.Usage.TotalTokens != 288 || *got.Usage.GatewayCost != 2_000_000 {
		t.Errorf("got %+v, %v", got.Usage, err)
	}
}
