package cassette_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/cassette"
	"vivra/app/openai"
	"vivra/app/rehearsal/modelsim"
)

// plain encodes a request as its JSON.
type plain struct{}

func (plain) RequestBytes(req agent.Request) ([]byte, error) { return json.Marshal(req) }

// counter answers each request with how many there were, every third with a fault.
type counter struct {
	plain
	n int
}

func (c *counter) Respond(_ context.Context, _ agent.Request, heard func(string)) (agent.Response, error) {
	c.n++
	if c.n%3 == 0 {
		return agent.Response{}, &agent.ModelError{Status: 429, Reason: "rate_limited", Message: "Slow down.", RetryAfter: 7, Usage: &app.Usage{PromptTokens: 3, Reported: true}}
	}
	if heard != nil {
		heard("so far")
	}
	cost := app.Nano(c.n)
	return agent.Response{Text: fmt.Sprint("answer <", c.n, ">"), Calls: []agent.Call{{ID: "a", Tool: "look", Args: json.RawMessage(`{"b": 1,  "a":2}`)}},
		Usage: app.Usage{PromptTokens: 1, GatewayCost: &cost}, Served: "served", Cut: true}, nil
}

func request(texts ...string) agent.Request {
	req := agent.Request{Model: "gpt-5-mini", System: "You are a <test>.", MaxOutputTokens: 100, Tools: []agent.ToolSpec{{Name: "look", Description: "Look.", Schema: json.RawMessage(`{"type":"object"}`)}}}
	for _, text := range texts {
		req.Items = append(req.Items, agent.Item{Role: "user", Text: text})
	}
	return req
}

// record asks the counter these requests and returns the cassette.
func record(t *testing.T, requests ...agent.Request) []byte {
	t.Helper()
	var tape bytes.Buffer
	model := cassette.NewRecorder(&counter{}, &tape)
	for _, req := range requests {
		var fault *agent.ModelError
		if _, err := model.Respond(t.Context(), req, nil); err != nil && !errors.As(err, &fault) {
			t.Fatal(err)
		}
	}
	return tape.Bytes()
}

func open(t *testing.T, tape []byte) *cassette.Player {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tape.jsonl")
	if err := os.WriteFile(name, tape, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := cassette.Open(plain{}, name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlayedAsRecorded(t *testing.T) {
	t.Parallel()
	asked := []agent.Request{request("one"), request("two"), request("one"), request("one"), request("one", "more")}
	tape := record(t, asked...)
	if got := bytes.Count(tape, []byte("\n")); got != len(asked) {
		t.Fatalf("%d lines for %d exchanges", got, len(asked))
	}
	player, model := open(t, tape), &counter{}
	for i, req := range asked {
		want, wantErr := model.Respond(t.Context(), req, nil)
		got, err := player.Respond(t.Context(), req, nil)
		if encode(t, got) != encode(t, want) || encode(t, err) != encode(t, wantErr) {
			t.Errorf("exchange %d: %s %v, want %s %v", i+1, encode(t, got), err, encode(t, want), wantErr)
		}
	}
	if rest := player.Unused(); len(rest) != 0 {
		t.Errorf("%d exchanges were not used", len(rest))
	}
}

func TestOrderAmongRequestsIsFree(t *testing.T) {
	t.Parallel()
	player := open(t, record(t, request("one"), request("two"), request("one")))
	for _, want := range []struct{ ask, answer string }{{"two", "answer <2>"}, {"one", "answer <1>"}} {
		if got, err := player.Respond(t.Context(), request(want.ask), nil); err != nil || got.Text != want.answer {
			t.Errorf("%s: %q %v, want %q", want.ask, got.Text, err, want.answer)
		}
	}
	if rest := player.Unused(); len(rest) != 1 || rest[0].Request.Items[0].Text != "one" || rest[0].Answer.Fault == nil {
		t.Errorf("not used: %+v", rest)
	}
}

func TestMissShowsTheNearest(t *testing.T) {
	t.Parallel()
	player := open(t, record(t, request("one"), request("one", "two", strings.Repeat("long ", 100)+"end")))
	_, err := player.Respond(t.Context(), request("one", "two", strings.Repeat("long ", 100)+"End"), nil)
	var miss *cassette.Miss
	if !errors.As(err, &miss) || miss.Nearest != 2 {
		t.Fatalf("a miss gives %v", err)
	}
	head := "--- recorded\n+++ made\n@@ -12,7 +12,7 @@\n     },\n     {\n       \"role\": \"user\",\n-…"
	if !strings.HasPrefix(miss.Diff, head) || !strings.Contains(miss.Diff, `long end"`) || !strings.Contains(miss.Diff, `long End"`) || len(miss.Diff) > 800 {
		t.Errorf("the difference is shown as\n%s", miss.Diff)
	}
	if rest := player.Unused(); len(rest) != 2 {
		t.Errorf("a miss used %d exchanges", 2-len(rest))
	}
}

func TestMissOfAnAnswerTooMany(t *testing.T) {
	t.Parallel()
	player := open(t, record(t, request("one")))
	if _, err := player.Respond(t.Context(), request("one"), nil); err != nil {
		t.Fatal(err)
	}
	_, err := player.Respond(t.Context(), request("one"), nil)
	var miss *cassette.Miss
	if !errors.As(err, &miss) || miss.Diff != "" || !strings.Contains(err.Error(), "no further answer") {
		t.Errorf("the second time gives %v", err)
	}
	empty := open(t, nil)
	if _, err := empty.Respond(t.Context(), request("one"), nil); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("an empty cassette gives %v", err)
	}
}

func TestFaultyCassettesAreRefused(t *testing.T) {
	t.Parallel()
	good := string(record(t, request("one")))
	for name, c := range map[string]struct{ tape, want string }{
		"no JSON":          {good + "{oops\n", "line 2"},
		"unknown field":    {`{"request_sha256":"","extra":1}` + "\n", "unknown field"},
		"no answer":        {`{"request_sha256":"x","request":{},"answer":{}}` + "\n", "either a response or a fault"},
		"edited request":   {strings.Replace(good, `"text":"one"`, `"text":"two"`, 1), "exchange 1"},
		"edited, last one": {good + strings.Replace(good, `You are`, `You were`, 1), "exchange 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exchanges, err := cassette.Read(strings.NewReader(c.tape))
			if err == nil {
				_, err = cassette.NewPlayer(plain{}, exchanges)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it gives %v, want %q", err, c.want)
			}
		})
	}
}

// gone is a model whose caller has left.
type gone struct{ plain }

func (gone) Respond(context.Context, agent.Request, func(string)) (agent.Response, error) {
	return agent.Response{}, context.Canceled
}

func TestCallsGivenUpAreNotRecorded(t *testing.T) {
	t.Parallel()
	var tape bytes.Buffer
	if _, err := cassette.NewRecorder(gone{}, &tape).Respond(t.Context(), request("one"), nil); !errors.Is(err, context.Canceled) || tape.Len() != 0 {
		t.Errorf("it gives %v and records %q", err, tape.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	player := open(t, record(t, request("one")))
	if _, err := player.Respond(ctx, request("one"), nil); !errors.Is(err, context.Canceled) || len(player.Unused()) != 1 {
		t.Errorf("a player whose caller has left gives %v", err)
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestRecordedFaultsHoldNoKey: an endpoint that repeats our key does not put it
// on a tape, and what was recorded of the real client is found again.
func TestRecordedFaultsHoldNoKey(t *testing.T) {
	t.Parallel()
	const key = "sk-canary"
	sim := modelsim.New(modelsim.Options{APIKey: key})
	sim.Script(func(modelsim.Request) (modelsim.Answer, bool) { return modelsim.Answer{Text: "Hello."}, true })
	sim.Fail(modelsim.Fault{Status: 400, Body: `{"error":{"message":"Your key ` + key + ` is not welcome."}}`})
	web := httptest.NewServer(sim)
	t.Cleanup(web.Close)
	client := openai.New(openai.Config{BaseURL: web.URL + "/v1", APIKey: key})
	var tape bytes.Buffer
	model := cassette.NewRecorder(client, &tape)
	req := request("one")
	req.Tools = nil
	for range 2 {
		var fault *agent.ModelError
		if _, err := model.Respond(t.Context(), req, nil); err != nil && !errors.As(err, &fault) {
			t.Fatal(err)
		}
	}
	if bytes.Contains(tape.Bytes(), []byte(key)) || !bytes.Contains(tape.Bytes(), []byte("is not welcome")) {
		t.Errorf("the tape is %s", tape.Bytes())
	}
	exchanges, err := cassette.Read(&tape)
	if err != nil {
		t.Fatal(err)
	}
	player, err := cassette.NewPlayer(openai.New(openai.Config{}), exchanges)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := player.Respond(t.Context(), req, nil); err == nil {
		t.Error("the fault is not played")
	}
	if got, err := player.Respond(t.Context(), req, nil); err != nil || got.Text != "Hello." {
		t.Errorf("played is %q %v", got.Text, err)
	}
}
