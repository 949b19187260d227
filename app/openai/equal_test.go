package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"vivra/app/agent"
	"vivra/app/openai"
	"vivra/app/rehearsal/modelsim"
)

// TestStreamedAndPlainAnswersAreEqual: whatever a model says, it is the same
// answer in pieces of any size and in one.
func TestStreamedAndPlainAnswersAreEqual(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 5))
	for size, answers := range map[int]int{0: 50, 1: 20, 7: 50} {
		sim := modelsim.New(modelsim.Options{Piece: size})
		web := httptest.NewServer(sim)
		t.Cleanup(web.Close)
		client := openai.New(openai.Config{BaseURL: web.URL + "/v1"})
		for range answers {
			a := anyAnswer(rng)
			sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
				b := a
				b.Calls = append([]modelsim.ToolCall(nil), a.Calls...)
				return b, true
			})
			sim.SetMode(modelsim.Mode{})
			streamed, err := client.Respond(t.Context(), request(t), nil)
			sim.SetMode(modelsim.Mode{NoStream: []string{"gpt-5-mini"}})
			plain, plainErr := client.Respond(t.Context(), request(t), nil)
			if err == nil && plainErr == nil {
				if diff := cmp.Diff(plain, streamed); diff != "" {
					t.Fatalf("%d bytes at once: %+v: %s", size, a, diff)
				}
				continue
			}
			var fault, plainFault *agent.ModelError
			if !errors.As(err, &fault) || !errors.As(plainErr, &plainFault) || !cmp.Equal(fault, plainFault) {
				t.Fatalf("%+v: streamed %v, plain %v", a, err, plainErr)
			}
		}
	}
}

var (
	someWords = []string{"", "Done.", "data: [DONE]\n\n", "line\r\nline\n\n: comment\n", "é — 日本 🦤", "\x00\ufffe\xff", "{\"error\":{\"message\":\"x\"}}", "<b>&amp;", strings.Repeat("long ", 300)}
	someArgs  = []string{"", "{}", `{"n":1}`, `{"n":`, `[]`, `null`, `"text"`, `{"a":"\ud83e\udda4","b":"é\n"}`, "\xff", "data: [DONE]", strings.Repeat("[", 200), `{"t":"` + strings.Repeat("word ", 80) + `"}`}
	someUsage = []string{"", "null", `{"prompt_tokens":9,"completion_tokens":4,"total_tokens":20,"cost":0.0000001234}`, `{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":8},"prompt_cache_hit_tokens":9}`}
)

func anyAnswer(rng *rand.Rand) modelsim.Answer {
	a := modelsim.Answer{Text: someWords[rng.IntN(len(someWords))]}
	if u := someUsage[rng.IntN(len(someUsage))]; u != "" {
		a.Usage = json.RawMessage(u)
	}
	a.FinishReason = []string{"", "", "", "length", "content_filter", "error", "odd"}[rng.IntN(7)]
	for range rng.IntN(3) * rng.IntN(11) { // 0 to 20 calls
		c := modelsim.NewCall([]string{"look", "rest", "wallet send!", ""}[rng.IntN(4)], someArgs[rng.IntN(len(someArgs))])
		c.ID = []string{"", "", "call_1", strings.Repeat("x", 200)}[rng.IntN(4)]
		a.Calls = append(a.Calls, c)
	}
	return a
}

// wire answers every request with the same bytes.
type wire struct {
	body      []byte
	piecewise bool
}

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	var body io.Reader = bytes.NewReader(w.body)
	if w.piecewise {
		body = iotest.OneByteReader(body)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(body), Request: r}, nil
}

// FuzzStreams: any bytes give an answer that says something or a named fault,
// the same however they come.
func FuzzStreams(f *testing.F) {
	for _, c := range oddStreams {
		f.Add([]byte(c.body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var results []agent.Response
		var faults []string
		for _, piecewise := range []bool{false, true} {
			client := openai.New(openai.Config{BaseURL: "http://model/v1", APIKey: key, HTTP: &http.Client{Transport: wire{body, piecewise}}})
			draft := ""
			r, err := client.Respond(t.Context(), agent.Request{Model: "m"}, func(d string) { draft = d })
			var fault *agent.ModelError
			switch {
			case err == nil && r.Text == "" && len(r.Calls) == 0 && !r.Cut:
				t.Fatal("an answer that says nothing")
			case err == nil && bytes.Contains(body, []byte("data:")) && !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n\xef\xbb\xbf"), []byte("{")) && draft == "" && (r.Text != "" || len(r.Calls) > 0):
				t.Fatal("nothing was heard of it")
			case err != nil && (!errors.As(err, &fault) || fault.Reason == "" || fault.Message == ""):
				t.Fatalf("a fault without a name: %v", err)
			}
			results, faults = append(results, r), append(faults, "")
			if fault != nil {
				faults[len(faults)-1] = fault.Message
			}
		}
		if !cmp.Equal(results[0], results[1]) || faults[0] != faults[1] {
			t.Fatalf("it depends on how they come: %+v %q", results, faults)
		}
	})
}
