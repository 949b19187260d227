package postgres_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

func TestTokenFileOnlyGrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.account_setup", "cm"), step("scanner.full_report", "scanner"))
	c := w.start("cm.account_setup")
	run := w.run(c, 1)
	if content, version, err := w.store.TokenFile(w.ctx, w.op.Token.ID, "x"); err != nil || version != 0 || string(content) != "{}" {
		t.Errorf("never written: %s, version %d, %v", content, version, err)
	}
	for i, content := range []string{`{"faq":"a"}`, `{"tone":"dry"}`, `{"faq":"b"}`} {
		version, err := w.store.WriteFile(w.ctx, c, run.ID, "x", json.RawMessage(content), j0)
		if err != nil || version != i+1 {
			t.Errorf("version %d, %v", version, err)
		}
	}
	content, version, err := w.store.TokenFile(w.ctx, w.op.Token.ID, "x")
	if err != nil || version != 3 || string(content) != `{"faq": "b", "tone": "dry"}` {
		t.Errorf("%s, version %d, %v", content, version, err)
	}
	if n := w.count("token_files WHERE section = 'x' AND author_run = $1", run.ID); n != 3 {
		t.Errorf("%d versions are kept", n)
	}
	// A finished step lands its output under its task's name, which no agent can write.
	w.must(w.store.FinishRun(w.ctx, w.stepClaim("scanner.full_report"), postgres.RunEnd{Output: json.RawMessage(`{"score":71}`)}, j0))
	if content, _, _ := w.store.TokenFile(w.ctx, w.op.Token.ID, "scan"); string(content) != `{"scanner.full_report": {"score": 71}}` {
		t.Errorf("landed: %s", content)
	}
	if out, err := w.store.DoneOutput(w.ctx, w.op.ID, "scanner.full_report"); err != nil || string(out) != `{"score": 71}` {
		t.Errorf("output %s, %v", out, err)
	}
	if _, err := w.store.DoneOutput(w.ctx, w.op.ID, "cm.account_setup"); !isKind(err, app.NotFound) {
		t.Errorf("the output of a running step: %v", err)
	}
}

func TestTokenFileRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.account_setup", "cm"))
	c := w.start("cm.account_setup")
	for content, says := range map[string]string{
		`{"scanner.go_nogo":{"decision":"go"}}`: `"scanner.go_nogo" is not yours to write`,
		`{"ok":1,"a.b":2}`:                      `"a.b" is not yours to write`,
		`[1]`:                                   "JSON object",
		`"x"`:                                   "JSON object",
		`{"a":`:                                 "JSON object",
	} {
		if _, err := w.store.WriteFile(w.ctx, c, "", "x", json.RawMessage(content), j0); !isKind(err, app.Invalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", content, err)
		}
	}
	if _, err := w.store.WriteFile(w.ctx, c, "", "secrets", json.RawMessage(`{}`), j0); err == nil {
		t.Error("an unknown section was written")
	}
	if n := w.count("token_files"); n != 0 {
		t.Errorf("%d versions were written", n)
	}
}

func TestRunsAreKeptWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"))
	c := w.start("a.a")
	run := w.run(c, app.Dollar)
	w.must(w.store.AddItem(w.ctx, c, run.ID, 0, json.RawMessage(`{"role":"user"}`), j0))
	grant, err := w.reserve(c, run, 50)
	w.must(err)
	usage := app.Usage{PromptTokens: 100, CachedTokens: 40, CompletionTokens: 7, TotalTokens: 110, Reported: true}
	w.must(w.store.SettleCall(w.ctx, c, run.ID, 1, grant.ID, app.CallOutcome{State: "settled", Cost: 30, Source: app.CostTable, Usage: &usage, LatencyMS: 12},
		[]json.RawMessage{json.RawMessage(`{"role":"assistant"}`)}, app.EventLine{Kind: "model_call", Agent: "cm", Step: "a.a", Summary: "Asked"}, j0))
	answer := postgres.Answer{RunID: run.ID, Turn: 1, CallID: "c1", Item: json.RawMessage(`{"role":"tool"}`), Tainted: true, Source: "x.com/ember"}
	w.must(w.store.AnswerCall(w.ctx, c, answer, j0))
	if err := w.store.AnswerCall(w.ctx, c, answer, j0); err == nil {
		t.Error("one call was answered twice")
	}
	answer.CallID = "c2"
	w.must(w.store.AnswerCall(w.ctx, c, answer, j0))

	again, items, err := w.store.OpenRun(w.ctx, c, app.Run{Agent: "other"}, j0.Add(time.Hour))
	w.must(err)
	if again.ID != run.ID || again.Turns != 1 || !again.Tainted || fmt.Sprint(again.Sources) != "[x.com/ember]" || again.Spent != 30 || again.Agent != "cm" {
		t.Errorf("resumed as %+v", again)
	}
	var roles []string
	for i, it := range items {
		if it.Seq != i+1 {
			t.Errorf("item %d has the number %d", i+1, it.Seq)
		}
		roles = append(roles, fmt.Sprintf("%d%s%s", it.Turn, it.Item, it.CallID))
	}
	if got := strings.Join(roles, " "); got != `0{"role": "user"} 1{"role": "assistant"} 1{"role": "tool"}c1 1{"role": "tool"}c2` {
		t.Errorf("items %s", got)
	}
	trace, err := w.store.Run(w.ctx, run.ID)
	if err != nil || len(trace.Items) != 4 || len(trace.Calls) != 1 || trace.Calls[0].Cost != 30 || trace.Calls[0].LatencyMS != 12 || trace.StepKey != "a.a" {
		t.Errorf("trace %+v, %v", trace, err)
	}
	events, err := w.store.Events(w.ctx, w.op.ID, 0, 100)
	w.must(err)
	for _, e := range events {
		if e.Kind == "model_call" && (e.TokensIn != 100 || e.TokensOut != 10 || e.Cost != 30 || e.CostSource != "table" || e.Model != "images") {
			t.Errorf("the log's line is %s", e.Line)
		}
	}
	w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{RunID: run.ID, Output: json.RawMessage(`{}`), Baseline: &app.Metrics{At: j0.Add(-time.Hour), Holders: 10}, Reading: &app.Metrics{At: j0, Holders: 12}}, j0))
	if history, err := w.store.MetricsHistory(w.ctx, w.op.ID); err != nil || len(history) != 2 || history[0].Holders != 10 || history[1].Holders != 12 {
		t.Errorf("readings %v, %v", history, err)
	}
	if runs, err := w.store.RunsOfStep(w.ctx, c.StepID); err != nil || len(runs) != 1 || runs[0].State != "succeeded" {
		t.Errorf("runs %+v, %v", runs, err)
	}
	for name, id := range map[string]string{"none": "00000000-0000-4000-8000-000000000000", "not an id": "x"} {
		if _, err := w.store.Run(w.ctx, id); !isKind(err, app.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAssetsAndBuilds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("webdev.build", "webdev"))
	c := w.start("webdev.build")
	run := w.run(c, 1)
	asset := app.Asset{SHA256: strings.Repeat("a", 64), MIME: "image/png", Width: 3, Height: 2, Bytes: 9, Label: "logo", CallID: "c1"}
	for range 2 {
		w.must(w.store.AddAsset(w.ctx, c, run.ID, asset, j0))
	}
	asset.StepID = c.StepID
	if got, err := w.store.Asset(w.ctx, w.op.ID, asset.SHA256); err != nil || got != asset {
		t.Errorf("asset %+v, %v", got, err)
	}
	if _, err := w.store.Asset(w.ctx, w.op.ID+1, asset.SHA256); !isKind(err, app.NotFound) {
		t.Errorf("another operation's asset: %v", err)
	}
	for call, want := range map[string]int{"c1": 1, "c2": 0} {
		if got, err := w.store.AssetsOfCall(w.ctx, run.ID, call); err != nil || len(got) != want {
			t.Errorf("call %s made %v, %v", call, got, err)
		}
	}
	build := app.Build{Kind: "site", Template: "signal", Fields: json.RawMessage(`{}`), Files: []app.BuildFile{{Path: "/index.html", SHA256: asset.SHA256}}, ManifestSHA256: "m", Pages: 1, Bytes: 10}
	id, err := w.store.AddBuild(w.ctx, c, run.ID, "c1", build, j0)
	w.must(err)
	if again, err := w.store.AddBuild(w.ctx, c, run.ID, "c1", build, j0); err != nil || again != id {
		t.Errorf("one call made the builds %s and %s, %v", id, again, err)
	}
	w.must(w.store.SetBuildReport(w.ctx, w.op.ID, id, json.RawMessage(`{"ok":true}`), true))
	got, operation, err := w.store.Build(w.ctx, id)
	if err != nil || operation != w.op.ID || !got.Passed || len(got.Files) != 1 || got.Files[0].Path != "/index.html" {
		t.Errorf("build %+v of %d, %v", got, operation, err)
	}
}
