package boot_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vivra/app/boot"
	"vivra/app/internal/testdb"
	"vivra/app/rehearsal/modelsim"
)

const modelKey = "model-key-canary"

// modelServer is where the models are, and what points the application at it.
func modelServer(t *testing.T) (*modelsim.Server, func(*boot.Config)) {
	t.Helper()
	sim := modelsim.New(modelsim.Options{APIKey: modelKey})
	s := httptest.NewServer(sim)
	t.Cleanup(s.Close)
	return sim, func(c *boot.Config) {
		c.ProbeModels, c.SurplusBaseURL, c.SurplusAPIKey = true, s.URL+"/v1", modelKey
	}
}

// TestModelsAreTriedBehindTheFirstPage: it does not wait for them, and neither
// does the end of the program.
func TestModelsAreTriedBehindTheFirstPage(t *testing.T) {
	t.Parallel()
	sim, at := modelServer(t)
	sim.Fail(modelsim.Fault{Hang: true, Times: 100})
	p := serve(t, testdb.URL(t), at)
	p.app()
	if res, _ := p.get("/"); res.StatusCode != http.StatusOK {
		t.Errorf("%s", res.Status)
	}
	p.end()
}

// TestModelsInUseAreTriedAtTheStart: one without tools is told in the log, to
// the team and to runs; the next start does not pay for knowing it again.
func TestModelsInUseAreTriedAtTheStart(t *testing.T) {
	t.Parallel()
	sim, at := modelServer(t)
	sim.SetMode(modelsim.Mode{NoTools: []string{"gpt-5-mini"}})
	dsn := testdb.URL(t)
	first := serve(t, dsn, at)
	a := first.app()
	first.logged("can't call tools")
	first.logged("model=gpt-5 ")
	notices, err := a.Web.Notices.Notices(t.Context())
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "The model gpt-5-mini can't call tools, so ") {
		t.Errorf("got %q, %v", notices, err)
	}
	if err := a.Orchestrator.Runner.Fit(t.Context(), "gpt-5-mini"); err == nil {
		t.Error("a run may use it")
	}
	first.end()
	if strings.Contains(first.log.String(), modelKey) {
		t.Errorf("the log tells the key:\n%s", first.log)
	}

	asked := sim.Count()
	second := serve(t, dsn, at)
	again, err := second.app().Web.Notices.Notices(t.Context())
	second.end()
	if err != nil || len(again) != 1 || sim.Count() != asked {
		t.Errorf("%d requests more, notices %q, %v", sim.Count()-asked, again, err)
	}
}

// TestNoModelIsTriedUnasked: rehearsals and tests pay for nothing of the kind.
func TestNoModelIsTriedUnasked(t *testing.T) {
	t.Parallel()
	sim, at := modelServer(t)
	p := serve(t, testdb.URL(t), at, func(c *boot.Config) { c.ProbeModels = false })
	if a := p.app(); a.Web.Notices != nil || a.Orchestrator.Runner.Fit != nil {
		t.Error("somebody watches")
	}
	p.end()
	if sim.Count() != 0 {
		t.Errorf("%d requests", sim.Count())
	}
}
