package runner_test

import (
	"encoding/json"
	"io/fs"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/internal/testprocess"
	"vivra/app/postgres"
	"vivra/app/rehearsal/modelsim"
	"vivra/app/runner"
	"vivra/app/tools"
	"vivra/specs"
)

// TestMain runs the tests, or is one of the workers that they kill.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == workerArg {
		os.Exit(testprocess.Be[workerSpec](os.Args[2]))
	}
	testdb.Main(m)
}

const (
	modelKey = "sk-secret-of-the-model"
	lease    = time.Minute
	metrics  = "scanner.daily_metrics"
	post     = "cm.daily_post"
)

// stage is where one agent plays: a database, a model behind HTTP, two clocks.
type stage struct {
	t           testing.TB
	store       *postgres.Store
	database    string
	sim         *modelsim.Server
	strict      *strict
	modelURL    string
	scripts     *sync.Map
	clock, wall *clockwork.FakeClock
	runner      *runner.Runner
	op          app.Operation
	ahead       time.Duration
}

// setting is what may differ between stages.
type setting struct {
	budget  app.Nano // the operation's cap, 0: $20
	timeout time.Duration
	spec    [2]string // in every agent's spec, the first becomes the second
	set     map[string]string
	token   app.Token
	steps   []app.Step
	market  tools.Market
	model   modelsim.Options
	// refusals tells that the server may refuse a request as the real API does.
	refusals bool
}

func (s setting) sim() modelsim.Options {
	s.model.APIKey = modelKey
	return s.model
}

func newStage(t testing.TB, s setting) *stage {
	t.Helper()
	st := &stage{t: t, database: testdb.URL(t), sim: modelsim.New(s.sim()),
		clock: clockwork.NewFakeClockAt(testop.J0), wall: clockwork.NewFakeClockAt(testop.J0.Add(time.Hour))}
	st.strict = &strict{Handler: st.sim, refusals: s.refusals}
	var err error
	if st.store, err = postgres.Open(t.Context(), st.database); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.store.Close)
	web := httptest.NewServer(st.strict)
	st.modelURL = web.URL
	t.Cleanup(func() {
		web.Close()
		for _, problem := range st.strict.complaints() {
			t.Error(problem)
		}
	})
	if s.timeout == 0 {
		s.timeout = 20 * time.Second
	}
	st.runner = st.newRunner(s, modelAt(web.URL, s.timeout))
	if s.budget == 0 {
		s.budget = 20 * app.Dollar
	}
	for key, value := range s.set {
		st.setting(key, value)
	}
	if s.steps == nil {
		s.steps = []app.Step{testop.Step("scanner", metrics, metrics, false)}
	}
	in := app.NewOperation{Token: testop.Token(1), Slug: "dodo", J0: testop.J0, Cap: s.budget, Envelope: app.Dollar, XHandle: "dodo_back"}
	if s.token.Name != "" {
		in.Token = s.token
	}
	st.op = testop.Of(t, st.store, in, s.steps...)
	return st
}

func (st *stage) setting(key, value string) {
	st.t.Helper()
	if err := st.store.SetSetting(st.t.Context(), key, []byte(value), "ada", testop.J0); err != nil {
		st.t.Fatal(err)
	}
}

func (st *stage) newRunner(s setting, model runner.Model) *runner.Runner {
	st.t.Helper()
	r, release, err := company{store: st.store, clock: st.clock, wall: st.wall, model: model, market: s.market, spec: s.spec}.runner(st.t.Context())
	if err != nil {
		st.t.Fatal(err)
	}
	st.t.Cleanup(release)
	return r
}

// changed copies the specs with one change.
func changed(change [2]string) (fs.FS, error) {
	if change[0] == "" {
		return specs.FS, nil
	}
	out := fstest.MapFS{}
	names, err := fs.Glob(specs.FS, "*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		raw, err := fs.ReadFile(specs.FS, name)
		if err != nil {
			return nil, err
		}
		out[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(raw), change[0], change[1]))}
	}
	return out, nil
}

// start claims a step.
func (st *stage) start(key string) (app.Claim, app.Step) {
	st.t.Helper()
	return testop.Start(st.t, st.store, st.op, key, st.clock.Now(), st.wall.Now().Add(lease))
}

// play starts the step and runs it to its end.
func (st *stage) play(key string) (app.Step, error) {
	st.t.Helper()
	claim, step := st.start(key)
	err := st.runner.Run(st.t.Context(), claim, st.op, step)
	return st.step(key), err
}

func (st *stage) step(key string) app.Step { return testop.ByKey(st.t, st.store, st.op, key) }

// takeOver gives the step to another worker, as the tick of another process
// does once the lease has run out there, and returns its claim.
func (st *stage) takeOver(key string) (app.Claim, app.Step) {
	st.t.Helper()
	st.ahead += 2 * lease // of this process's clock, so that the old worker notices nothing
	wall := st.wall.Now().Add(st.ahead)
	if err := st.store.TakeOverExpired(st.t.Context(), st.clock.Now(), wall, wall.Add(lease)); err != nil {
		st.t.Fatal(err)
	}
	s := st.step(key)
	return app.Claim{OperationID: st.op.ID, StepID: s.ID, Fence: s.Fence}, s
}

// script has the model answer its n-th turn with the n-th answer. It follows
// from the request alone, so a run can be taken up again anywhere.
func (st *stage) script(answers ...modelsim.Answer) { st.sim.Script(modelsim.InTurn(answers...)) }

// run returns the trace of the newest run of a step.
func (st *stage) run(key string) app.RunTrace {
	st.t.Helper()
	runs, err := st.store.RunsOfStep(st.t.Context(), st.step(key).ID)
	if err != nil || len(runs) == 0 {
		st.t.Fatalf("%d runs of %s: %v", len(runs), key, err)
	}
	trace, err := st.store.Run(st.t.Context(), runs[len(runs)-1].ID)
	if err != nil {
		st.t.Fatal(err)
	}
	return trace
}

// results are what the model was told of its tool calls, by call id.
func results(req modelsim.Request) map[string]string {
	out := map[string]string{}
	for _, m := range req.Messages {
		if m.Role == "tool" {
			out[m.ToolCallID] = *m.Content
		}
	}
	return out
}

// lastRequest is the newest request that the model server took.
func (st *stage) lastRequest() modelsim.Request {
	st.t.Helper()
	all := st.sim.Requests()
	if len(all) == 0 {
		st.t.Fatal("the model was not asked")
	}
	return all[len(all)-1]
}

// called are the log lines of calls, in order.
func (st *stage) called() (summaries []string) {
	for _, e := range testop.Log(st.t, st.store, st.op) {
		if e.Kind == "model_call" || e.Kind == "tool_call" {
			summaries = append(summaries, e.Summary)
		}
	}
	return summaries
}

func finish(output any) modelsim.Answer {
	return modelsim.Do("finish", map[string]any{"output": output})
}

// reading is a good output of scanner.daily_metrics.
func reading() map[string]any {
	return map[string]any{"at": "2027-01-11T09:00:00Z", "price_usd": 4.2e-7, "mcap_usd": 420, "liquidity_usd": 12340.5,
		"volume_24h_usd": 99.5, "holders": 412, "buyers_24h": 4, "burned": 0, "note": "Quiet."}
}

func with(base map[string]any, field string, value any) map[string]any {
	out := map[string]any{}
	for k, v := range base {
		out[k] = v
	}
	out[field] = value
	return out
}

func look() modelsim.Answer { return modelsim.Do("market_snapshot", struct{}{}) }

func encode(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
