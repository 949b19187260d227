package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vivra/app/agent"
	"vivra/app/openai"
	"vivra/app/rehearsal/modelsim"
)

// long is an answer of text and two calls.
func long(modelsim.Request) (modelsim.Answer, bool) {
	return modelsim.Answer{Text: "I look at the figures first: 1 < 2 — naturally.", Calls: []modelsim.ToolCall{
		modelsim.NewCall("look", map[string]any{"place": strings.Repeat("here ", 20), "near": nil, "tags": []string{"a"}}), modelsim.NewCall("rest", struct{}{})}}, true
}

// watched serves a model server with pieces of a size, and tells when the first request ends there.
func watched(t *testing.T, piece int, c openai.Config) (*modelsim.Server, *openai.Client, <-chan struct{}) {
	t.Helper()
	sim := modelsim.New(modelsim.Options{APIKey: key, Piece: piece})
	ended := make(chan struct{}, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			select {
			case ended <- struct{}{}:
			default: // nobody waits
			}
		}()
		sim.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	c.BaseURL, c.APIKey = web.URL+"/v1", key
	return sim, openai.New(c), ended
}

// TestStreamsCutAnywhere: what comes of an answer that is cut after any byte is
// the whole answer or a fault that may have been billed, never another answer.
func TestStreamsCutAnywhere(t *testing.T) {
	t.Parallel()
	sim, client, _ := watched(t, 9, openai.Config{})
	sim.Script(long)
	whole, err := client.Respond(t.Context(), request(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, clean := range []bool{false, true} {
		broken, uncounted := 0, 0
		for n := 1; ; n += 31 {
			fault := modelsim.Fault{CutAfter: n}
			if clean {
				fault = modelsim.Fault{EndAfter: n}
			}
			sim.Fail(fault)
			got, err := client.Respond(t.Context(), request(t), nil)
			var cause *agent.ModelError
			if err != nil && (!errors.As(err, &cause) || cause.Reason != "broken" || !cause.MayBeBilled() || !cause.Retryable() || cause.Usage != nil) {
				t.Fatalf("after %d bytes: %+v", n, err)
			}
			if err != nil {
				broken++
				continue
			}
			if cmp.Equal(whole, got) {
				break
			}
			uncounted++
			got.Usage = whole.Usage // its bound is what it cost
			if diff := cmp.Diff(whole, got); diff != "" {
				t.Fatalf("after %d bytes another answer came: %s", n, diff)
			}
		}
		if broken < 40 || uncounted == 0 {
			t.Errorf("%d broke off, %d came without usage", broken, uncounted)
		}
	}
}

// TestStreamsThatStandStill are given up: before the first word after the whole
// time of a call, in the middle much sooner.
func TestStreamsThatStandStill(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after       int
		total, idle time.Duration
		says        string
	}{
		"in the middle":     {2500, time.Minute, 50 * time.Millisecond, "stopped in the middle"},
		"before the answer": {100, 100 * time.Millisecond, time.Millisecond, "no answer in time"},
		"and time is up":    {2500, 100 * time.Millisecond, time.Minute, "no answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			sim, client, ended := watched(t, 9, openai.Config{Idle: c.idle, HTTP: &http.Client{Timeout: c.total}})
			sim.Script(long)
			sim.Fail(modelsim.Fault{StallAfter: c.after})
			_, err := client.Respond(t.Context(), request(t), nil)
			var got *agent.ModelError
			if !errors.As(err, &got) || got.Reason != "timeout" || !strings.Contains(got.Message, c.says) || !got.MayBeBilled() {
				t.Errorf("got %v", err)
			}
			<-ended // the connection was closed
			if got := sim.Count(); got != 1 {
				t.Errorf("it was asked %d times", got)
			}
		})
	}
}

// TestSlowStreamsAreHeardOut: the idle time is between two pieces, not of the
// whole, and what the listener does in between is not counted.
func TestSlowStreamsAreHeardOut(t *testing.T) {
	t.Parallel()
	client := openai.New(openai.Config{BaseURL: slow(t, 10, 20*time.Millisecond), Idle: 120 * time.Millisecond})
	slept := false
	r, err := client.Respond(t.Context(), request(t), func(string) {
		if !slept {
			time.Sleep(200 * time.Millisecond)
		}
		slept = true
	})
	if err != nil || r.Text != strings.Repeat("word ", 10) {
		t.Errorf("%q, %v", r.Text, err)
	}
}

func slow(t *testing.T, pieces int, pause time.Duration) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range pieces {
			time.Sleep(pause)
			_, _ = w.Write([]byte(text("word ")))
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = w.Write([]byte(ends("stop") + last + done))
	}))
	t.Cleanup(web.Close)
	return web.URL + "/v1"
}

// TestLeavingClosesTheConnection at once, wherever the answer is.
func TestLeavingClosesTheConnection(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]modelsim.Fault{"before the answer": {Hang: true}, "in the middle": {StallAfter: 2500}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, client, ended := watched(t, 9, openai.Config{})
			sim.Script(long)
			sim.Fail(fault)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			heard := func(draft string) {
				if strings.Contains(draft, "→ look(") {
					leave()
				}
			}
			if fault.Hang {
				time.AfterFunc(30*time.Millisecond, leave)
			}
			_, err := client.Respond(ctx, request(t), heard)
			left := time.Now()
			var fault *agent.ModelError
			if !errors.Is(err, context.Canceled) || errors.As(err, &fault) {
				t.Errorf("got %v, want that the caller left", err)
			}
			<-ended
			if waited := time.Since(left); waited > time.Second {
				t.Errorf("the server saw it after %s", waited)
			}
		})
	}
}

// TestDrafts grow to the whole answer, one call to a line.
func TestDrafts(t *testing.T) {
	t.Parallel()
	sim, client, _ := watched(t, 9, openai.Config{})
	sim.Script(long)
	var drafts []string
	r, err := client.Respond(t.Context(), request(t), func(draft string) { drafts = append(drafts, draft) })
	if err != nil {
		t.Fatal(err)
	}
	before := ""
	for _, draft := range drafts {
		if !strings.HasPrefix(draft, before) || draft == before {
			t.Fatalf("%q came after %q", draft, before)
		}
		before = draft
	}
	want := r.Text + "\n→ look(" + string(r.Calls[0].Args) + "\n→ rest({}"
	if before != want || len(drafts) < 20 {
		t.Errorf("%d drafts, the last:\n%s\nwant:\n%s", len(drafts), before, want)
	}
	sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		return modelsim.Answer{Calls: []modelsim.ToolCall{modelsim.NewCall("rest", "")}}, true
	})
	drafts = nil
	if _, err := client.Respond(t.Context(), request(t), func(draft string) { drafts = append(drafts, draft) }); err != nil || !cmp.Equal(drafts, []string{"→ rest("}) {
		t.Errorf("drafts %q, %v", drafts, err)
	}
}

// TestConnectionsAreUsedAgain after a streamed answer, so that the next need
// not wait for a new one.
func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	from := map[string]bool{}
	sim := modelsim.New(modelsim.Options{})
	sim.Script(long)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from[r.RemoteAddr] = true
		sim.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	client := openai.New(openai.Config{BaseURL: web.URL + "/v1", HTTP: web.Client()})
	for range 5 {
		if _, err := client.Respond(t.Context(), request(t), nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(from) != 1 {
		t.Errorf("5 calls took %d connections", len(from))
	}
}

// TestBigRefusalsAreBounded: an endpoint can't fill our memory with an error.
func TestBigRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	words, _ := json.Marshal(strings.Repeat("x", 1<<20))
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		for range 80 {
			if _, err := w.Write(words); err != nil {
				return
			}
		}
	})
	_, err := client.Respond(t.Context(), request(t), nil)
	var got *agent.ModelError
	if !errors.As(err, &got) || got.Status != 500 || len(got.Message) > 1000 {
		t.Errorf("got %.200v", err)
	}
}
