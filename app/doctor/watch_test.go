package doctor

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testlog"
	"vivra/app/openai"
	"vivra/app/rehearsal/modelsim"
)

const sealedKey = "model-key-canary"

// bench is a model server and a watch over it.
type bench struct {
	model *modelsim.Server
	clock *clockwork.FakeClock
	log   *testlog.Lines
	known Catalogue
	Watch
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{model: modelsim.New(modelsim.Options{APIKey: sealedKey}), clock: clockwork.NewFakeClockAt(time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)), log: new(testlog.Lines)}
	b.known = Catalogue{Settings: app.DefaultSettings(), Prices: app.DefaultPrices(), Now: b.clock.Now(), Agents: []agent.Agent{
		{Name: "scanner", Model: "gpt-5-mini"}, {Name: "cm", Model: "gpt-5-mini", Fallback: "gpt-5-nano"}, {Name: "builder", Model: "unpriced"}}}
	s := httptest.NewServer(b.model)
	t.Cleanup(s.Close)
	b.Watch = Watch{Probes: testdb.New(t), BaseURL: s.URL + "/v1", Wall: b.clock, Log: slog.New(slog.NewTextHandler(b.log, nil)),
		Model: openai.New(openai.Config{BaseURL: s.URL + "/v1", APIKey: sealedKey}),
		Known: func(context.Context) (Catalogue, error) { return b.known, nil }}
	return b
}

// look asks what is due and returns which models were asked.
func (b *bench) look(t *testing.T) []string {
	t.Helper()
	before := len(b.model.Requests())
	if err := b.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, r := range b.model.Requests()[before:] {
		asked = append(asked, r.Model)
	}
	return asked
}

func (b *bench) notices(t *testing.T) string {
	t.Helper()
	notices, err := b.Notices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(notices, "\n")
}

// TestModelsAreTriedOnceADay by all processes together, restarts included.
func TestModelsAreTriedOnceADay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	want := []string{"gpt-5-mini", "gpt-5-nano"} // each once, and none that could not be paid
	if asked := b.look(t); !slices.Equal(asked, want) {
		t.Errorf("asked %v", asked)
	}
	if b.notices(t) != "" || strings.Contains(b.log.String(), "WARN") {
		t.Errorf("all is well, and it says %s\n%s", b.notices(t), b.log)
	}
	b.clock.Advance(23 * time.Hour)
	if asked := b.look(t); len(asked) != 0 {
		t.Errorf("asked again: %v", asked)
	}
	b.known.Settings.Models["scanner"] = "gpt-5"
	if asked := b.look(t); !slices.Equal(asked, []string{"gpt-5"}) {
		t.Errorf("another model was set, asked %v", asked)
	}
	b.clock.Advance(90 * time.Minute)
	if asked := b.look(t); !slices.Equal(asked, want) {
		t.Errorf("the next day, asked %v", asked)
	}
}

// TestModelWithoutTools is told to the team and refused to runs, until another
// one is set or it has learned.
func TestModelWithoutTools(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.model.SetMode(modelsim.Mode{NoTools: []string{"gpt-5-mini"}})
	b.look(t)
	const notice = "The model gpt-5-mini can't call tools, so scanner and cm can't work: set llm.model.scanner and llm.model.cm to another model."
	if got := b.notices(t); got != notice {
		t.Errorf("got %s", got)
	}
	if !strings.Contains(b.log.String(), "level=WARN") || !strings.Contains(b.log.String(), notice) {
		t.Errorf("the log says\n%s", b.log)
	}
	if err := b.Fit(t.Context(), "gpt-5-mini"); app.KindOf(err) != app.Invalid {
		t.Errorf("it is let run: %v", err)
	}
	if err := b.Fit(t.Context(), "gpt-5-nano"); err != nil {
		t.Error(err)
	}
	b.known.Settings.Models["scanner"], b.known.Settings.Models["cm"] = "gpt-5", "gpt-5"
	if got := b.notices(t); got != "" {
		t.Errorf("another is set, and it says %s", got)
	}
	b.known.Settings.Models = map[string]string{}
	b.model.SetMode(modelsim.Mode{})
	b.clock.Advance(25 * time.Hour)
	b.look(t)
	if err := b.Fit(t.Context(), "gpt-5-mini"); err != nil || b.notices(t) != "" {
		t.Errorf("it has learned: %v %s", err, b.notices(t))
	}
}

// TestModelThatCanNotBeReached says nothing of its tools: runs try, the team
// hears, and it is asked again soon.
func TestModelThatCanNotBeReached(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.model.Fail(modelsim.Fault{Status: 503, Times: 2})
	b.look(t)
	if got := b.notices(t); !strings.Contains(got, "The model gpt-5-mini, of scanner and cm, could not be tried: The model endpoint failed (503)") {
		t.Errorf("got %s", got)
	}
	if err := b.Fit(t.Context(), "gpt-5-mini"); err != nil {
		t.Errorf("a run is refused: %v", err)
	}
	b.clock.Advance(9 * time.Minute)
	if asked := b.look(t); len(asked) != 0 {
		t.Errorf("asked at once: %v", asked)
	}
	b.clock.Advance(2 * time.Minute)
	if asked := b.look(t); len(asked) != 2 || b.notices(t) != "" {
		t.Errorf("asked %v, says %s", asked, b.notices(t))
	}
}

func TestUses(t *testing.T) {
	t.Parallel()
	set := app.DefaultSettings()
	set.Models["cm"], set.Fallbacks["scanner"] = "b", "b"
	agents := []agent.Agent{{Name: "scanner", Model: "a"}, {Name: "designer", Model: "a"}, {Name: "webdev", Model: "a", Fallback: "c"}, {Name: "cm", Model: "a"}}
	for i, want := range []struct{ model, agents, change string }{
		{"a", "scanner, designer and webdev", "set their llm.model.<agent> to another model"},
		{"b", "cm and scanner", "set llm.model.cm and llm.fallback.scanner to another model"},
		{"c", "webdev", "set llm.fallback.webdev to another model"},
	} {
		got := Uses(agents, set)[i]
		if got.Model != want.model || got.agents() != want.agents || got.change() != want.change {
			t.Errorf("got %+v: %s; %s", got, got.agents(), got.change())
		}
	}
}

func TestProbeCost(t *testing.T) {
	t.Parallel()
	price := app.Price{Input: app.Dollar, Cached: app.Dollar, Output: app.Dollar}
	gateway := app.Nano(7)
	for name, tc := range map[string]struct {
		usage app.Usage
		err   error
		want  app.Nano
	}{
		"by usage":      {app.Usage{PromptTokens: 100, CompletionTokens: 20, TotalTokens: 120, Reported: true}, nil, 120_000},
		"by gateway":    {app.Usage{GatewayCost: &gateway}, nil, 7},
		"not told":      {app.Usage{}, nil, price.Bound(probeBytes, probeTokens)},
		"never reached": {app.Usage{}, &agent.ModelError{NotSent: true}, 0},
		"refused":       {app.Usage{}, &agent.ModelError{Status: 401}, 0},
		"lost":          {app.Usage{}, &agent.ModelError{Reason: "timeout"}, price.Bound(probeBytes, probeTokens)},
	} {
		if got := ProbeCost(price, tc.usage, tc.err); got != tc.want {
			t.Errorf("%s: got %d, want %d", name, got, tc.want)
		}
	}
}
