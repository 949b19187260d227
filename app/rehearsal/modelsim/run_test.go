package modelsim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/agents"
	"vivra/app/openai"
	"vivra/app/rehearsal/modelsim"
	"vivra/app/untrusted"
	"vivra/prompts"
	"vivra/specs"
)

const key = "sk-local"

// theatre is where the agents play: the real catalogue and tools, asked over HTTP.
type theatre struct {
	t       *testing.T
	sim     *modelsim.Server
	client  *openai.Client
	world   *world
	actors  *agents.Catalogue
	address app.Address
}

func open(t *testing.T, seed int64) *theatre {
	t.Helper()
	th := &theatre{t: t, world: newWorld(), sim: modelsim.New(modelsim.Options{APIKey: key, Seed: seed})}
	web := httptest.NewServer(th.sim)
	t.Cleanup(web.Close)
	th.client = openai.New(openai.Config{BaseURL: web.URL + "/v1", APIKey: key})
	var err error
	if th.actors, err = agents.Load(specs.FS, prompts.FS, th.world.tools(), func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if th.address, err = app.ParseAddress(official); err != nil {
		t.Fatal(err)
	}
	return th
}

// step is one run's place and input.
type step struct {
	key    string
	day    int
	input  string
	reject string // reason of a rejection
}

func (s step) task() string {
	parts := strings.SplitN(s.key, ".", 3)
	return strings.Join(parts[:2], ".")
}

// run is what came of a step.
type run struct {
	output   json.RawMessage
	turns    int
	refusals []string // of tools
	problems []string // of finishes
	usage    []app.Usage
}

var errGaveUp = errors.New("no output")

// play runs a step as the engine does, and lands its output in the token file.
func (th *theatre) play(s step) (r run, err error) {
	task, ok := th.actors.Task(s.task())
	if !ok {
		return r, fmt.Errorf("no task %s", s.task())
	}
	actor, _ := th.actors.Agent(task.Agent)
	actor = task.Limited(actor)
	req := agent.Request{Model: actor.Model, MaxOutputTokens: actor.MaxOutputTokens,
		System: th.actors.Fill(actor, agents.PreambleFields{Slug: "dodo", ChainID: 8453, Address: official, J0: start, Now: start, LivePage: "http://127.0.0.1:8080/o/dodo"}),
		Items:  []agent.Item{{Role: "user", Text: th.opening(s, task)}}}
	for _, tool := range actor.Tools {
		req.Tools = append(req.Tools, tool.Spec())
	}
	req.Tools = append(req.Tools, task.Output.FinishSpec())
	scope := agent.Scope{OperationID: 1, Slug: "dodo", StepKey: s.key, Task: task.Name, RunID: s.key, XHandle: "dodo", TelegramChat: -100,
		SiteHost: "dodo.example.com", J0: start, Now: start, Token: app.Token{ID: 1, Ref: app.TokenRef{ChainID: 8453, Address: th.address}, Name: "Dodo", Symbol: "DODO"}}
	for r.turns < 25 {
		answer, err := th.client.Respond(th.t.Context(), req, nil)
		if err != nil {
			return r, err
		}
		r.turns++
		r.usage = append(r.usage, answer.Usage)
		req.Items = append(req.Items, agent.Item{Role: "assistant", Text: answer.Text, Calls: answer.Calls})
		if len(answer.Calls) == 0 {
			return r, fmt.Errorf("%w: %s", errGaveUp, answer.Text)
		}
		for _, call := range answer.Calls {
			if call.Tool == agent.FinishTool {
				output, problems := task.Output.Parse(call.Args)
				if len(problems) == 0 {
					problems = task.Altered(json.RawMessage(s.input), output)
				}
				if len(problems) == 0 {
					r.output = output
					th.world.land(task.Writes, map[string]json.RawMessage{task.Name: output})
					return r, nil
				}
				r.problems = append(r.problems, problems...)
				req.Items = append(req.Items, agent.Item{Role: "tool", CallID: call.ID, Text: `{"error":"it does not fit"}`})
				continue
			}
			out := actor.Perform(th.t.Context(), scope, call)
			if !out.OK {
				r.refusals = append(r.refusals, call.Tool+": "+out.Text)
			}
			req.Items = append(req.Items, agent.Item{Role: "tool", CallID: call.ID, Text: out.Text})
		}
		if len(r.problems) > 0 {
			req.Items = append(req.Items, agent.Item{Role: "user", Text: "Your output was refused: " + strings.Join(r.problems, "; ")})
		}
	}
	return r, errGaveUp
}

// opening is the first user message as the engine writes it.
func (th *theatre) opening(s step, task agents.Task) string {
	file := map[string]map[string]json.RawMessage{}
	for _, section := range task.Sections {
		file[section] = th.world.sections[section]
	}
	input, err := task.Fenced(json.RawMessage(s.input))
	if err != nil {
		th.t.Fatal(err)
	}
	token := map[string]any{"name": "Dodo", "symbol": "DODO", "address": official, "chain_id": 8453}
	message := map[string]any{"step": s.key, "task": task.Name, "day": s.day, "instructions": task.Instructions, "input": input,
		"token": untrusted.Wrap("token", encode(th.t, token)), "token_file": untrusted.Wrap("token_file", encode(th.t, file)),
		"operation": map[string]any{"slug": "dodo", "x_handle": "dodo", "site_host": "dodo.example.com", "live_page": "http://127.0.0.1:8080/o/dodo", "telegram_chat": -100}}
	if s.reject != "" {
		message["rejection_reason"] = s.reject
	}
	return encode(th.t, message)
}

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
