package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

func tokens(model string, effective time.Time, input, output app.Nano) app.PriceRow {
	return app.PriceRow{Model: model, Kind: app.PriceTokens, Price: app.Price{Input: input, Cached: input, Output: output}, EffectiveAt: effective, Source: "test"}
}

func TestPricesKeepHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	rows := []app.PriceRow{tokens("tiny", j0, 1, 2), {Model: "painter", Kind: app.PriceImage, Size: "8x8", Image: 5, EffectiveAt: j0, Source: "test"}}
	added := 0
	for _, err := range together(6, func(int) error {
		n, err := w.store.ImportPrices(w.ctx, rows, "ada", j0)
		w.mu.Lock()
		defer w.mu.Unlock()
		added += n.Added
		return err
	}) {
		w.must(err)
	}
	if added != 2 || w.count("prices") != 2 || w.count("admin_audit WHERE action = 'prices.import'") != 1 {
		t.Errorf("six imports of two prices added %d", added)
	}
	again := tokens("tiny", j0, 1, 2)
	again.Again = true
	for _, row := range []app.PriceRow{tokens("tiny", j0, 3, 4), again, tokens("tiny", j0.Add(time.Hour), 9, 9)} {
		if n, err := w.store.ImportPrices(w.ctx, []app.PriceRow{row}, "bob", j0.Add(time.Minute)); n.Added != 1 || err != nil {
			t.Errorf("%+v: %+v, %v", row, n, err)
		}
	}
	list, err := w.store.PriceList(w.ctx)
	w.must(err)
	if p, ok := list.At("tiny", j0); !ok || p.Output != 2 {
		t.Errorf("tiny costs %+v", p)
	}
	if p, ok := list.At("tiny", j0.Add(2*time.Hour)); !ok || p.Output != 9 {
		t.Errorf("tiny costs %+v later", p)
	}
	if n, ok := list.ImageAt("painter", "8x8", j0); !ok || n != 5 {
		t.Errorf("a picture costs %d", n)
	}
	if p, ok := list.At("gpt-5", j0); !ok || p.Output != 10*app.Dollar {
		t.Errorf("what is built in costs %+v", p)
	}
	last := list[len(list)-1]
	if last.By != "bob" || !last.ImportedAt.Equal(j0.Add(time.Minute)) || last.Source != "test" {
		t.Errorf("the newest row is %+v", last)
	}
	for why, sql := range map[string]string{
		"history is changed": `UPDATE prices SET output_nusd = 0`, "history is deleted": `DELETE FROM prices`,
		"less than nothing": `INSERT INTO prices (model, kind, size, input_nusd, cached_nusd, output_nusd, image_nusd, effective_at, imported_at, imported_by, source)
			SELECT model, kind, size, -1, 0, 0, 0, effective_at, imported_at, '', '' FROM prices LIMIT 1`,
	} {
		w.refused(why, sql)
	}
	bad := []app.PriceRow{tokens("good", j0, 1, 1), tokens("bad", j0, -1, 1)}
	if n, err := w.store.ImportPrices(w.ctx, bad, "ada", j0); err == nil || w.count("prices WHERE model = 'good'") != 0 {
		t.Errorf("half of a list was imported: %+v, %v", n, err)
	}
}

// TestOldFilesUndoNoCorrection, unless they say that they do.
func TestOldFilesUndoNoCorrection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	old, right, other := tokens("tiny", j0, 1, 2), tokens("tiny", j0, 3, 4), tokens("tiny", j0.Add(time.Hour), 1, 2)
	again := old
	again.Again = true
	for i, tt := range []struct {
		rows                  []app.PriceRow
		added, known, skipped int
		input                 app.Nano
	}{
		{[]app.PriceRow{old}, 1, 0, 0, 1}, {[]app.PriceRow{right}, 1, 0, 0, 3}, {[]app.PriceRow{old, right, other}, 1, 1, 1, 3},
		{[]app.PriceRow{again}, 1, 0, 0, 1}, {[]app.PriceRow{again}, 0, 1, 0, 1}, {[]app.PriceRow{old}, 0, 1, 0, 1}, {[]app.PriceRow{right}, 0, 0, 1, 1},
		{[]app.PriceRow{tokens("tiny", j0, 5, 6)}, 1, 0, 0, 5}, {[]app.PriceRow{old, right}, 0, 0, 2, 5},
	} {
		done, err := w.store.ImportPrices(w.ctx, tt.rows, "ada", j0.Add(time.Duration(i)*time.Minute))
		w.must(err)
		if done.Added != tt.added || done.Known != tt.known || len(done.Skipped) != tt.skipped {
			t.Errorf("import %d: %+v", i, done)
		}
		for _, p := range done.Skipped {
			if p.Correction.Price.Input != tt.input || p.Correction.ImportedAt.IsZero() {
				t.Errorf("import %d: skipped for %+v", i, p.Correction)
			}
		}
		list, err := w.store.PriceList(w.ctx)
		w.must(err)
		if p, _ := list.At("tiny", j0); p.Input != tt.input {
			t.Errorf("import %d: tiny costs %+v", i, p)
		}
	}
}

// TestCorrectedPricesChangeNothing that was booked: both figures are shown.
func TestCorrectedPricesChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "designer"))
	c := w.start("a.a")
	run := w.run(c, app.Dollar)
	booked := app.Price{Input: 10_000_000, Cached: 1_000_000, Output: 100_000_000} // 10, 1 and 100 a token
	usage := app.Usage{PromptTokens: 100, CachedTokens: 50, CompletionTokens: 10, TotalTokens: 110, Reported: true}
	gateway := usage
	gateway.GatewayCost = new(app.Nano)
	*gateway.GatewayCost = 777
	book := func(kind string, usage *app.Usage, cost app.Nano, source app.CostSource) {
		t.Helper()
		req := app.CallRequest{RunID: run.ID, Kind: kind, Model: "tiny", Price: booked, RequestBytes: 200, WantOutput: 1000, MinOutput: 1}
		if kind == "image" {
			req.Model, req.Fixed, req.Images, req.Size = "painter", cost, 2, "8x8"
		}
		grant, err := w.store.ReserveCall(w.ctx, c, req, j0.Add(time.Hour))
		w.must(err)
		w.must(w.store.SettleCall(w.ctx, c, run.ID, 1, grant.ID, app.CallOutcome{State: "settled", Cost: cost, Source: source, Usage: usage}, nil,
			app.EventLine{Kind: "model_call", Agent: "designer", Step: "a.a"}, j0.Add(time.Hour)))
	}
	cost, _ := booked.Cost(usage, 0)
	book("model", &usage, cost, app.CostTable)
	book("model", &gateway, 777, app.CostGateway)
	book("model", nil, -1, app.CostBound)
	book("image", nil, 84, app.CostPriceList)
	spent, _, _ := w.money()

	check := func(when string, first, image, today app.Nano) {
		t.Helper()
		trace, err := w.store.Run(w.ctx, run.ID)
		w.must(err)
		for i, want := range []app.Nano{first, 0, 0, image} {
			got := trace.Calls[i].Corrected
			if (got == nil) != (want == 0) || got != nil && *got != want {
				t.Errorf("%s: call %d (%s) would cost %v today, want %d", when, i, trace.Calls[i].Source, got, want)
			}
		}
		s, err := w.store.Spending(w.ctx, w.op.ID)
		if err != nil || s.Spent != spent || s.Today != today || s.Agents[0].Spent != spent {
			t.Errorf("%s: spending %+v, %v; want %d today", when, s, err, today)
		}
		if now, _, _ := w.money(); now != spent || w.count("llm_calls WHERE cost_nusd = 1550") != 1 {
			t.Errorf("%s: %d is booked", when, now)
		}
	}
	imported := func(rows ...app.PriceRow) {
		t.Helper()
		_, err := w.store.ImportPrices(w.ctx, rows, "ada", j0.Add(2*time.Hour))
		w.must(err)
	}
	check("without a list", 0, 0, spent)
	imported(tokens("tiny", j0.Add(90*time.Minute), 1, 1))
	check("with a price of later", 0, 0, spent)
	imported(app.PriceRow{Model: "tiny", Kind: app.PriceTokens, Price: booked, EffectiveAt: j0, Source: "test"})
	check("with what was booked", 0, 0, spent)
	imported(tokens("tiny", j0, 20_000_000, 100_000_000), app.PriceRow{Model: "painter", Kind: app.PriceImage, Size: "8x8", Image: 40, EffectiveAt: j0, Source: "test"})
	check("corrected", 100*20+10*100, 80, spent+3000-1550-4)
	stored, err := w.store.StoredRun(w.ctx, run.ID)
	if err != nil || stored.Calls[0].Price != booked || stored.Calls[0].Cost != 1550 || stored.Calls[3].Images != 2 || stored.Calls[3].Size != "8x8" {
		t.Errorf("stored %+v, %v", stored.Calls, err)
	}
}

func TestStoredRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"), step("a.b", "cm"))
	c := w.start("a.a")
	run := w.run(c, app.Dollar)
	w.must(w.store.AddItem(w.ctx, c, run.ID, 0, json.RawMessage(`{"role":"user"}`), j0))
	answer := json.RawMessage(`{"response": {"Text":"café \u0000 <b>",   "Calls":[]}}`)
	ask := func(sum string) app.CallGrant {
		t.Helper()
		grant, err := w.store.ReserveCall(w.ctx, c, app.CallRequest{RunID: run.ID, Agent: "cm", Turn: 1, Kind: "model", Model: "gpt-5", RequestSHA256: sum,
			Price: dear, RequestBytes: 10, WantOutput: 500, MinOutput: 1}, j0)
		w.must(err)
		return grant
	}
	settle := func(grant app.CallGrant, out app.CallOutcome, items ...json.RawMessage) {
		t.Helper()
		w.must(w.store.SettleCall(w.ctx, c, run.ID, 1, grant.ID, out, items, app.EventLine{Kind: "model_call", Agent: "cm", Step: "a.a"}, j0))
	}
	settle(ask("r1"), app.CallOutcome{State: "failed", Error: "429", Answer: json.RawMessage(`{"fault":{}}`)})
	settle(ask("r2"), app.CallOutcome{State: "unknown", Cost: -1, Source: app.CostBound})
	ask("r3") // its process dies
	usage := app.Usage{PromptTokens: 5, CompletionTokens: 2, TotalTokens: 7, Reported: true}
	again, _, err := w.store.OpenRun(w.ctx, c, app.Run{}, j0)
	w.must(err)
	if again.Failures != 2 {
		t.Errorf("%d failures, want 2: what died with a process is none", again.Failures)
	}
	settle(ask("r4"), app.CallOutcome{State: "settled", Cost: 7, Source: app.CostTable, Usage: &usage, Answer: answer}, json.RawMessage(`{"role":"assistant"}`))
	w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{RunID: run.ID, Output: json.RawMessage(`{"note":"fine"}`), Summary: "Done"}, j0))

	got, err := w.store.StoredRun(w.ctx, run.ID)
	w.must(err)
	var said []string
	for _, call := range got.Calls {
		said = append(said, call.RequestSHA256+" "+call.State+map[bool]string{true: " lost"}[call.Lost])
	}
	if got := strings.Join(said, ", "); got != "r1 failed, r2 unknown, r3 unknown lost, r4 settled" {
		t.Errorf("calls: %s", got)
	}
	last := got.Calls[3]
	if string(last.Answer) != string(answer) || last.AnswerSHA256 != app.SHA256Hex(answer) || last.Price != dear || *last.Usage != usage || last.OutputLimit != 500 || last.Cost != 7 {
		t.Errorf("the last call is %+v", last)
	}
	if first := got.Calls[0]; string(first.Answer) != `{"fault":{}}` || first.Error != "429" || got.Calls[1].Answer != nil || got.Calls[2].Cost != 510 {
		t.Errorf("calls %+v", got.Calls)
	}
	if got.State != "succeeded" || string(got.Output) != `{"note": "fine"}` || len(got.Items) != 2 || got.Operation.ID != w.op.ID || got.Step.Key != "a.a" || got.Run.ID != run.ID || got.Run.Failures != 2 {
		t.Errorf("stored %+v", got)
	}
	other := w.run(w.stepClaim("a.b"), 1)
	if ids, err := w.store.RunIDs(w.ctx, w.op.ID); err != nil || len(ids) != 2 || !strings.Contains(strings.Join(ids, " "), other.ID) {
		t.Errorf("runs %v, %v", ids, err)
	}
	if ids, err := w.store.RunIDs(w.ctx, 0); err != nil || len(ids) != 2 {
		t.Errorf("all runs %v, %v", ids, err)
	}
	if ids, err := w.store.RunIDs(w.ctx, 999); err != nil || len(ids) != 0 {
		t.Errorf("runs of nothing: %v, %v", ids, err)
	}
	if _, err := w.store.StoredRun(w.ctx, "x"); !isKind(err, app.NotFound) {
		t.Errorf("no run: %v", err)
	}
}

// TestAnswersAreOverheard while they come, by those who listen for the run.
func TestAnswersAreOverheard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"))
	c := w.start("a.a")
	run := w.run(c, app.Dollar)
	grant, err := w.reserve(c, run, 100)
	w.must(err)
	conn, err := w.db.Acquire(w.ctx)
	w.must(err)
	defer conn.Release()
	_, err = conn.Exec(w.ctx, "LISTEN vivra")
	w.must(err)

	draft := func() string {
		t.Helper()
		trace, err := w.store.Run(w.ctx, run.ID)
		w.must(err)
		return trace.Calls[0].Draft
	}
	long := strings.Repeat("é", 64<<10)
	for said, want := range map[string]string{"Hel": "Hel", "Hello\x00": "Hello", "bad \xff": "bad \uFFFD", long: long[:64<<10]} {
		w.must(w.store.Overhear(w.ctx, grant.ID, run.ID, said, j0))
		if got := draft(); got != want {
			t.Errorf("overheard %.20q (%d bytes), want %.20q", got, len(got), want)
		}
		if n, err := conn.Conn().WaitForNotification(w.ctx); err != nil || n.Payload != "run:"+run.ID {
			t.Errorf("announced %+v, %v", n, err)
		}
	}
	w.must(w.store.Overhear(w.ctx, grant.ID, "00000000-0000-4000-8000-000000000000", "of another run", j0))
	w.must(w.settle(c, run, grant, 1))
	w.must(w.store.Overhear(w.ctx, grant.ID, run.ID, "too late", j0))
	if n := w.count("llm_drafts"); n != 0 || draft() != "" {
		t.Errorf("%d drafts are left", n)
	}
}

// TestPausedStepsWait: what a paused run gave back nobody takes over before the
// operation goes on, and then it goes on where it was.
func TestPausedStepsWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"))
	c := w.start("a.a")
	run := w.run(c, app.Dollar)
	w.must(w.store.PauseOperation(w.ctx, w.op.Slug, ada, j0))
	if state, err := w.store.OperationState(w.ctx, w.op.ID); state != app.OperationPaused || err != nil {
		t.Errorf("%s, %v", state, err)
	}
	if _, err := w.reserve(c, run, 1); err != postgres.ErrPaused {
		t.Errorf("a paused operation pays: %v", err)
	}
	if n := w.count("alerts"); n != 0 {
		t.Errorf("%d alerts", n)
	}
	w.must(w.store.SuspendStep(w.ctx, c, wall))
	w.must(w.store.TakeOverExpired(w.ctx, j0, wall.Add(time.Hour), wall.Add(2*time.Hour)))
	if w.stepClaim("a.a") != c {
		t.Error("taken over while it is paused")
	}
	w.must(w.store.ResumeOperation(w.ctx, w.op.Slug, ada, j0))
	w.must(w.store.TakeOverExpired(w.ctx, j0, wall, wall.Add(lease)))
	fresh := w.stepClaim("a.a")
	again, _, err := w.store.OpenRun(w.ctx, fresh, app.Run{}, j0)
	if fresh.Fence != c.Fence+1 || err != nil || again.ID != run.ID || w.step("a.a").Attempt != 1 {
		t.Errorf("gone on as %+v, %v", again, err)
	}
	if err := w.store.SuspendStep(w.ctx, c, wall); err != postgres.ErrLost {
		t.Errorf("given back by who had lost it: %v", err)
	}
	if _, err := w.store.OperationState(w.ctx, 999); !isKind(err, app.NotFound) {
		t.Errorf("no operation: %v", err)
	}
}
