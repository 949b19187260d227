package web_test

import (
	"context"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/calendar"
	"vivra/app/internal/testbrowser"
	"vivra/app/internal/testdb"
	"vivra/app/live"
	"vivra/app/postgres"
	"vivra/app/web"
	"vivra/specs"
)

// takeover is a real database with one operation whose go or no-go waits, under
// the whole site.
type takeover struct {
	store *postgres.Store
	op    app.Operation
	url   string
}

func newTakeover(t *testing.T) takeover {
	t.Helper()
	w := planned(t, testdb.New(t))
	w.proposeGo(t)
	w.url = w.serve(t)
	return w
}

// planned is one operation with its calendar, and an admin.
func planned(t *testing.T, store *postgres.Store) takeover {
	t.Helper()
	ctx := t.Context()
	hash, err := web.HashPassword("correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	user, err := store.CreateUser(ctx, "admin", "admin", hash, "test", j0)
	if err != nil {
		t.Fatal(err)
	}
	source, err := specs.FS.ReadFile("calendar.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := calendar.Parse("calendar.yaml", source, []string{"scanner", "designer", "webdev", "cm", "tg_bot", "builder"})
	if err != nil {
		t.Fatal(err)
	}
	address, err := app.ParseAddress(official)
	if err != nil {
		t.Fatal(err)
	}
	in := app.NewOperation{Slug: "dodo", J0: j0, Cap: 25 * app.Dollar, Token: app.Token{Ref: app.TokenRef{ChainID: 4663, Address: address}, Name: "Dodo <b>Coin", Symbol: "DODO", Decimals: 18}}
	op, err := store.CreateOperation(ctx, in, "dodo.vivra.example", plan.Expand(j0), user, j0)
	if err != nil {
		t.Fatal(err)
	}
	return takeover{store, op, ""}
}

// proposeGo brings the operation to where its go or no-go waits for a person.
func (w takeover) proposeGo(t *testing.T) {
	t.Helper()
	if err := w.store.BeginOperation(t.Context(), w.op.ID, j0); err != nil {
		t.Fatal(err)
	}
	report := w.start(t, "scanner.full_report", j0)
	if err := w.store.FinishStep(t.Context(), report, must(map[string]any{"score": 71, "checks": []string{}}), "Scanner finished the report", j0.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	goNoGo := w.start(t, "scanner.go_nogo", j0.Add(30*time.Minute))
	output := must(map[string]any{"decision": "go", "reasons": []string{"1,262 holders never sold."}, "blocking": []string{}})
	err := w.store.FinishRun(t.Context(), goNoGo, postgres.RunEnd{Output: output, Summary: "Scanner says go"}, j0.Add(31*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
}

// start lets due steps start and returns the claim of one.
func (w takeover) start(t *testing.T, key string, now time.Time) app.Claim {
	t.Helper()
	if _, err := w.store.AdvanceSteps(t.Context(), w.op.ID, now, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	steps, err := w.store.Steps(t.Context(), w.op.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if s.Key == key && s.State == app.StepRunning {
			return app.Claim{OperationID: w.op.ID, StepID: s.ID, Fence: s.Fence}
		}
	}
	t.Fatalf("%s did not start", key)
	return app.Claim{}
}

// apply has what was decided just now followed, since it can't be undone any more.
func (w takeover) apply(t *testing.T) {
	t.Helper()
	if err := w.store.ApplyDecisions(t.Context(), j0.Add(41*time.Minute)); err != nil {
		t.Fatal(err)
	}
}

func (w takeover) serve(t *testing.T) string {
	t.Helper()
	hub := new(live.Hub)
	ctx, cancel := context.WithCancel(context.Background())
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		_ = w.store.Listen(ctx, hub.OperationChanged)
	}()
	s := &web.Server{Store: w.store, Sessions: w.store.Sessions(time.Now), Hub: hub, Now: func() time.Time { return j0.Add(40 * time.Minute) }, Agents: cast, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	server := httptest.NewUnstartedServer(s.Handler())
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	server.Start()
	t.Cleanup(func() { cancel(); server.Close(); <-listening })
	return server.URL
}

// TestApprovalReachesThePublicPage is the product in one test: a person
// approves in the queue, and a stranger's open page shows it.
func TestApprovalReachesThePublicPage(t *testing.T) {
	t.Parallel()
	w := newTakeover(t)
	public, team := testbrowser.Page(t), testbrowser.Page(t)
	public.MustNavigate(w.url + "/operations/dodo").MustWaitLoad()
	waitLive(t, public)
	if text := public.MustElement("#now").MustText(); !strings.Contains(text, "1 output waits for a person") {
		t.Fatalf("before the decision the page says %q", text)
	}
	signInWith(team, w.url, "admin")
	team.MustNavigate(w.url + "/admin/validations").MustWaitLoad()
	team.MustElement("#approve button").MustClick()
	wait(t, team, `location.search.startsWith("?decided=")`)
	w.apply(t)
	wait(t, public, `document.querySelector("#step-scanner-go_nogo .state").textContent.includes("done")`)
	wait(t, public, `document.querySelector("#now").textContent.includes("No output waits for a person")`)
	wait(t, public, `/[Aa]pproved/.test(document.querySelector("#log-lines li:last-child, #log-lines").textContent)`)
	rows, err := w.store.Audit(t.Context(), 5)
	if err != nil || len(rows) == 0 || rows[0].User != "admin" {
		t.Errorf("the audit holds %+v (%v)", rows, err)
	}
}

func TestApprovalWithoutScriptsAndAReload(t *testing.T) {
	t.Parallel()
	w := newTakeover(t)
	v := newVisitor(t, w.url)
	v.signIn("admin")
	v.submit(v.get("/admin/validations"), "#approve", nil)
	w.apply(t)
	doc := v.get("/operations/dodo").doc(t)
	if got := squeeze(doc.Find("#step-scanner-go_nogo .state").Text()); got != "done" {
		t.Errorf("after the approval and a reload the step is %q", got)
	}
	if html, _ := doc.Find("h1").Html(); strings.Contains(html, "<b>Coin") {
		t.Errorf("a token's name became markup: %s", html)
	}
}

// TestEveryPageOnTheRealStore opens what the exhibit shows on a database that
// has hardly anything yet.
func TestEveryPageOnTheRealStore(t *testing.T) {
	t.Parallel()
	w := newTakeover(t)
	v := newVisitor(t, w.url)
	v.signIn("admin")
	steps, err := w.store.Steps(t.Context(), w.op.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/healthz", "/operations/dodo", "/operations/dodo?agent=scanner", "/operations/dodo/log.jsonl", "/operations/dodo/log.atom",
		"/admin", "/admin/validations", "/admin/operations", "/admin/operations/new", "/admin/operations/dodo", "/admin/alerts", "/admin/audit", "/admin/settings", "/admin/prices",
		"/admin/steps/" + number(steps[0].ID) + "/runs"} {
		if res := v.get(path); res.StatusCode != 200 {
			t.Errorf("%s answers %s: %s", path, res.Status, squeeze(res.body))
		}
	}
	for _, path := range []string{"/operations/none", "/admin/validations/none", "/admin/validations/00000000-0000-4000-8000-000000000000", "/admin/runs/none", "/admin/operations/none", "/api/v1/tokens/4663/" + official + "/market"} {
		if res := v.get(path); res.StatusCode != 404 {
			t.Errorf("%s answers %s", path, res.Status)
		}
	}
}
