package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/calendar"
	"vivra/app/live"
	"vivra/app/scoring"
	"vivra/app/web"
	"vivra/specs"
)

// exhibit is a store with one of everything, held in memory, for tests of what
// pages show. What it is told it keeps, so that a test can look.
type exhibit struct {
	mu          sync.Mutex
	op          app.Operation
	steps       []app.Step
	events      []app.Event
	pubs        []app.Publication
	metrics     []app.Metrics
	validations []app.Validation
	alerts      []app.Alert // newest first
	faults      []app.DeliveryFault
	effects     []app.EffectStatus
	users       []app.User
	runs        map[string]app.RunTrace
	spending    app.Spending
	sources     []app.SourceCost
	changes     []app.SettingChange // oldest first
	prices      app.PriceList
	queue       queued
	told        []string
	pace        float64 // of the server's clock; 0: as a reader's
	bare        bool    // there is no takeover and no candidate
	unnamed     bool    // nobody has named the account
	down        error   // what every method answers when the database is down
}

var j0 = time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)

// the ninth day, in the afternoon
var today = time.Date(2026, 12, 7, 15, 20, 0, 0, time.UTC)

const (
	official = "0x39dBED3a2bd333467115dE45665cC57F813C4571"
	other    = "0x1111111111111111111111111111111111111111"
	hostile  = `<script>alert(1)</script>"'&` + "\rdata: selector body\rid: 999999\r\r\u202e"
)

func sha(label string) string { return app.SHA256Hex([]byte(label)) }

func newExhibit(t *testing.T) *exhibit {
	t.Helper()
	address, err := app.ParseAddress(official)
	if err != nil {
		t.Fatal(err)
	}
	x := &exhibit{op: app.Operation{
		ID: 1, Slug: "dodo", Token: app.Token{ID: 1, Ref: app.TokenRef{ChainID: 4663, Address: address}, Name: "Dodo Coin", Symbol: "DODO", Decimals: 18},
		J0: j0, State: app.OperationRunning, Cap: 25 * app.Dollar, Spent: 1_842_100_000, Reserved: 30_000_000, Envelope: 500 * app.Dollar,
		XHandle: "dodo_back", TelegramChat: -1001234567890, SiteHost: "dodo.vivra.example",
	}}
	hash, err := web.HashPassword("correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	for i, role := range []string{"viewer", "approver", "admin"} {
		x.users = append(x.users, app.User{ID: int64(i + 1), Name: role, Role: role, PasswordHash: hash})
	}
	x.planSteps(t)
	x.writeLog()
	x.measure()
	x.publish()
	x.propose()
	x.run()
	x.account()
	x.alarm()
	return x
}

func (x *exhibit) planSteps(t *testing.T) {
	t.Helper()
	source, err := specs.FS.ReadFile("calendar.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := calendar.Parse("calendar.yaml", source, []string{"scanner", "designer", "webdev", "cm", "tg_bot", "builder"})
	if err != nil {
		t.Fatal(err)
	}
	x.steps = plan.Expand(j0)
	slices.SortStableFunc(x.steps, func(a, b app.Step) int { return a.DueAt.Compare(b.DueAt) })
	for i := range x.steps {
		s := &x.steps[i]
		s.ID, s.OperationID, s.State = int64(i+1), 1, app.StepPending
		if s.DueAt.Before(today) {
			began, ended := s.DueAt.Add(time.Duration(i%5)*25*time.Second), s.DueAt.Add(time.Duration(3+i%11)*time.Minute)
			s.State, s.StartedAt, s.FinishedAt, s.Attempt, s.Cost = app.StepDone, &began, &ended, 1, app.Nano(3_000_000*(i%9+1)+417)
		}
		switch s.Key {
		case "scanner.full_report":
			s.Output = must(map[string]any{"score": 71, "why_it_died": "CANARY private words", "checks": []map[string]string{
				{"id": "deployer_share", "label": "Deployer, fee recipient and bundle wallets hold", "status": "pass", "value": "1.2 %", "source": "chain"},
				{"id": "top10_share", "label": "Top 10 holders hold", "status": "warn", "value": "34 %", "source": "chain"},
				{"id": "sell", "label": "Can be sold", "status": "pass", "value": "yes", "source": "simulation"},
				{"id": "liquidity", "label": "Liquidity", "status": "unknown", "value": "no data", "source": "market"}}})
		case "scanner.verdict":
			s.Output = must(map[string]any{"verdict": "revived", "summary": "CANARY private words"})
		case "cm.daily_post.d08":
			s.State, s.Attempt, s.Error = app.StepFailed, 4, "the model endpoint answered 429 Too Many Requests"
		case "cm.daily_post.d09":
			s.State, s.FinishedAt = app.StepWaiting, nil
		case "scanner.daily_metrics.d05":
			s.State = app.StepSkipped
		case "scanner.daily_metrics.d09":
			s.State, s.FinishedAt = app.StepRunning, nil
		}
	}
}

func must(v any) json.RawMessage {
	b, err := app.CanonicalJSON(v)
	if err != nil {
		panic(err)
	}
	return b
}

// becomes puts the takeover into another state, with its steps as they are then.
func (x *exhibit) becomes(state app.OperationState) {
	x.op.State = state
	if state != app.OperationPaused {
		x.validations, x.op.Reserved = nil, 0
	}
	set := func(s *app.Step, to app.StepState) { s.State, s.StartedAt, s.FinishedAt = to, nil, nil }
	switch state {
	case app.OperationScheduled:
		x.op.J0, x.op.Spent = today.Add(9*time.Hour), 0
		x.events, x.pubs, x.metrics = nil, nil, nil
		for i := range x.steps {
			s := &x.steps[i]
			set(s, app.StepPending)
			s.Cost, s.Output, s.Error, s.Attempt = 0, nil, "", 0
			s.DueAt = s.DueAt.Add(x.op.J0.Sub(j0))
		}
	case app.OperationStopped:
		x.op.StopReason = "The liquidity was withdrawn, so nothing that we build would stand on anything."
		for i := range x.steps {
			if s := &x.steps[i]; !s.State.Final() {
				set(s, app.StepCancelled)
			}
		}
	case app.OperationCompleted:
		x.op.J0 = today.Add(-31 * 24 * time.Hour)
		for i := range x.steps {
			s := &x.steps[i]
			s.DueAt = s.DueAt.Add(x.op.J0.Sub(j0))
			began, ended := s.DueAt.Add(time.Minute), s.DueAt.Add(6*time.Minute)
			s.State, s.StartedAt, s.FinishedAt = app.StepDone, &began, &ended
		}
	}
}

func (x *exhibit) writeLog() {
	kinds := []app.EventLine{
		{Kind: "step", Summary: "Started"},
		{Kind: "model_call", Summary: "Asked the model for the next move", TokensIn: 2118, TokensOut: 402, Model: "gpt-5-mini", Cost: 9_400_000, CostSource: "table"},
		{Kind: "tool_call", Summary: "Read the token on chain: supply 1,000,000,000, burned 4.1 %", Tool: "chain_token"},
		{Kind: "tool_call", Summary: "Read the market: $0.00000412, 1,312 holders", Tool: "market_snapshot"},
		{Kind: "decision", Summary: "Approved by a person after 4 min, draft 1"},
		{Kind: "publication", Summary: "Posted on X", Cost: 15_000_000, CostSource: "price_list", Link: "https://x.com/dodo_back/status/1"},
	}
	for i := range 320 {
		line := kinds[i%len(kinds)]
		step := x.steps[i/12%40]
		x.append(line, step, step.DueAt.Add(time.Duration(i%12)*13*time.Second))
	}
}

// append adds one line to the log and returns its number.
func (x *exhibit) append(line app.EventLine, step app.Step, at time.Time) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	line.Seq, line.Step, line.Agent, line.At = x.op.Seq+1, step.Key, step.Agent, at
	raw := must(line)
	e := app.Event{OperationID: 1, Seq: line.Seq, Line: raw, PrevHash: x.op.HeadHash, Hash: app.SHA256Hex(append([]byte(x.op.HeadHash), raw...)), EventLine: line}
	x.events = append(x.events, e)
	x.op.Seq, x.op.HeadHash = e.Seq, e.Hash
	return e.Seq
}

func (x *exhibit) measure() {
	for day := range 12 {
		growth := 1 + 0.6*math.Pow(max(float64(day-3), 0)/8, 2)
		x.metrics = append(x.metrics, app.Metrics{At: j0.AddDate(0, 0, day-3).Add(-time.Hour), PriceUSD: 0.00000412 * growth, MarketCapUSD: 4118 * growth,
			LiquidityUSD: 2940, Volume24hUSD: 41 * math.Pow(growth, 5), Holders: 1262 + 9*day, Buyers24h: 3 + day, Burned: 41_000_000})
	}
}

func (x *exhibit) publish() {
	add := func(step string, kind app.ValidationKind, payload any, links ...string) {
		at := j0.Add(time.Duration(len(x.pubs)*20+3) * time.Hour)
		raw := must(payload)
		x.pubs = append(x.pubs, app.Publication{StepKey: step, Kind: kind, Payload: raw, DraftNo: 1, ProposedAt: at.Add(-9 * time.Minute), ApprovedAt: at.Add(-5 * time.Minute),
			Approvers: 1, PublishedAt: at, Links: links, SHA256: app.SHA256Hex(raw), Price: 15_000_000})
	}
	add("scanner.go_nogo", app.KindGoNoGo, app.OutputPayload{Step: "scanner.go_nogo", Output: must(map[string]any{"decision": "go", "reasons": []string{"1,262 holders never sold.", "The owner renounced the contract; nothing can be minted."}, "blocking": []string{}})})
	add("cm.verification_post", app.KindPost, app.PostPayload{Account: "dodo_back", Text: "We are here. Official address " + official + ", code V7K2. Anyone posting another one is not us."}, "https://x.com/dodo_back/status/1")
	add("designer.poll", app.KindPoll, poll, "https://x.com/dodo_back/status/2", "https://t.me/c/1234567890/5")
	add("webdev.publish", app.KindSite, site, "https://dodo.vivra.example")
	x.pubs = append(x.pubs, app.Publication{StepKey: "cto.dossier", Kind: app.KindDossier, DraftNo: 1, ProposedAt: j0.Add(4 * time.Hour), ApprovedAt: j0.Add(5 * time.Hour), PublishedAt: j0.Add(5 * time.Hour), Approvers: 1,
		Receipts: []app.Receipt{{Venue: "pons", Name: "pons", Link: "https://forms.example/r/1"}, {Venue: "coingecko", Name: "CoinGecko", Link: "https://support.example/requests/" + strings.Repeat("9", 90)}}})
	add("cm.comeback_thread", app.KindThread, thread, "https://x.com/dodo_back/status/3")
	add("cm.daily_post.d07", app.KindPost, app.PostPayload{Account: "dodo_back", Text: "Day 7. 1,343 holders, 81 more than when we began.\nNo promise about tomorrow. מחר", Media: []app.Media{{SHA256: sha("meme"), MIME: "image/png", Alt: "A dodo at a desk, writing a log"}}}, "https://x.com/dodo_back/status/9")
}

var (
	poll   = app.PollPayload{Account: "dodo_back", Intro: app.PostPayload{Account: "dodo_back", Text: "Three faces for Dodo. Vote below, 24 hours.", Media: []app.Media{{SHA256: sha("board"), MIME: "image/png", Alt: "Three boards side by side"}}}, Question: "Which face should Dodo wear?", Options: []string{"Harbour", "Museum piece", "Night shift"}, DurationMinutes: 1440, Channels: []string{"x", "telegram"}}
	site   = app.SitePayload{Host: "dodo.vivra.example", BuildID: "b1", Template: "signal", ManifestSHA256: sha("manifest"), OfficialAddress: official}
	thread = app.ThreadPayload{Account: "dodo_back", Posts: []app.PostPayload{
		{Account: "dodo_back", Text: "Dodo was left for dead 61 days ago. 1,262 of you never sold. For the next 30 days a team of agents rebuilds it in the open, and people approve every word."},
		{Account: "dodo_back", Text: "What is done: a new face you voted for, a site, this account. Watch each step and its cost: https://dodo.vivra.example"},
		{Account: "dodo_back", Text: "What is not promised: a price."},
		{Account: "dodo_back", Text: "Official address " + official},
	}}
)

// ---- web.Store

func (x *exhibit) lock() func() { x.mu.Lock(); return x.mu.Unlock }

func (x *exhibit) tell(format string, args ...any) error {
	defer x.lock()()
	x.told = append(x.told, fmt.Sprintf(format, args...))
	return x.down
}

func (x *exhibit) said() string {
	defer x.lock()()
	return strings.Join(x.told, "\n")
}

func (x *exhibit) Ping(context.Context) error { return x.down }

func (x *exhibit) Operations(context.Context) ([]app.OperationSummary, error) {
	defer x.lock()()
	at := today.Add(-3 * time.Minute)
	if x.bare {
		return nil, nil
	}
	old := x.op
	old.ID, old.Slug, old.State, old.Token.Name, old.Token.Symbol = 2, "ruff", app.OperationCompleted, "Ruff\u202e Dog", "RUFF"
	return []app.OperationSummary{
		{Operation: x.op, LastSummary: "CM posted the daily post, day 8", LastAt: &at, Waiting: x.waiting()},
		{Operation: old, Verdict: "dead_again"},
	}, x.down
}

func (x *exhibit) OperationBySlug(_ context.Context, slug string) (app.Operation, error) {
	defer x.lock()()
	if x.down == nil && slug != x.op.Slug {
		return app.Operation{}, app.Errorf(app.NotFound, "There is no such takeover.")
	}
	return x.op, x.down
}

func (x *exhibit) Steps(context.Context, int64) ([]app.Step, error) {
	defer x.lock()()
	return slices.Clone(x.steps), x.down
}

func (x *exhibit) setStep(key string, state app.StepState) {
	defer x.lock()()
	for i := range x.steps {
		if x.steps[i].Key == key {
			x.steps[i].State = state
		}
	}
}

func (x *exhibit) Events(_ context.Context, _, before int64, limit int) ([]app.Event, error) {
	defer x.lock()()
	all := x.events
	if before > 0 {
		all = all[:min(int(before)-1, len(all))]
	}
	return slices.Clone(all[max(len(all)-limit, 0):]), x.down
}

func (x *exhibit) EventsOf(ctx context.Context, id, before int64, agent, kind string, limit int) ([]app.Event, error) {
	all, err := x.Events(ctx, id, before, math.MaxInt)
	all = slices.DeleteFunc(all, func(e app.Event) bool { return agent != "" && e.Agent != agent || kind != "" && e.Kind != kind })
	return all[max(len(all)-limit, 0):], err
}

func (x *exhibit) EventsAfter(_ context.Context, _, after int64, limit int) ([]app.Event, error) {
	defer x.lock()()
	rest := x.events[min(int(after), len(x.events)):]
	return slices.Clone(rest[:min(limit, len(rest))]), x.down
}

func (x *exhibit) Publications(context.Context, int64) ([]app.Publication, error) {
	return x.pubs, x.down
}
func (x *exhibit) MetricsHistory(context.Context, int64) ([]app.Metrics, error) {
	return x.metrics, x.down
}

func (x *exhibit) Candidates(_ context.Context, state app.CandidateState, skip, most int) ([]app.CandidateSummary, error) {
	long := app.CandidateSummary{Token: app.Token{Ref: app.TokenRef{ChainID: 4663, Address: app.Address{1}}, Name: "Left Behind " + strings.Repeat("Löschdecke", 12) + hostile, Symbol: strings.Repeat("W", 40)}, State: app.CandidateScanned, Score: 7, UpdatedAt: today}
	all := []app.CandidateSummary{x.candidate().CandidateSummary, {Token: app.Token{Ref: app.TokenRef{ChainID: 1, Address: app.Address{2}}, Name: "Left Behind", Symbol: "LEFT"}, State: app.CandidateQualified, Score: 64, UpdatedAt: today}, long}
	slices.SortFunc(all, func(a, b app.CandidateSummary) int { return b.Score - a.Score })
	all = slices.DeleteFunc(all, func(c app.CandidateSummary) bool { return x.bare || state != "" && c.State != state })
	all = all[min(skip, len(all)):]
	return all[:min(most, len(all))], x.down
}

func (x *exhibit) candidate() app.Candidate {
	long := today.AddDate(0, 0, -61)
	report := scoring.ReportAt(scoring.FactsAt(scoring.Readings{
		Token: &app.TokenFacts{Deployer: other, Dangerous: []string{"mint"}}, Holders: &app.Holders{Count: 1361, NeverSold: 812, Top10Share: 0.34, DeployerShare: 0.012},
		Week: &app.Transactions{LastTradeAt: &long, DeployerLastAt: &long, VolumeUSD: 12}, Life: &app.Transactions{Trades: 900, FirstTradeAt: &long},
	}, today), scoring.DefaultThresholds(), today)
	return app.Candidate{CandidateSummary: app.CandidateSummary{Token: x.op.Token, State: app.CandidateTaken, Score: report.Score, UpdatedAt: today}, Report: must(report), Slug: x.op.Slug, Takeover: x.op.State}
}

func (x *exhibit) Candidate(_ context.Context, ref app.TokenRef) (app.Candidate, error) {
	c := x.candidate()
	if ref.Address == (app.Address{1}) { // one of which only the score was kept
		c = app.Candidate{CandidateSummary: c.CandidateSummary}
		c.Token.Ref = ref
		return c, x.down
	}
	if x.down == nil && ref != c.Token.Ref {
		return c, app.Errorf(app.NotFound, "There is no such candidate.")
	}
	return c, x.down
}

func (x *exhibit) TokenReading(_ context.Context, ref app.TokenRef, kind app.ReadingKind) (json.RawMessage, time.Time, error) {
	m := x.metrics[len(x.metrics)-1]
	readings := map[app.ReadingKind]any{
		app.ReadingFacts:   app.TokenFacts{ChainID: 4663, Address: official, Name: hostile, Symbol: hostile, Decimals: 18, Supply: 1e9, Burned: 41_000_000, Block: 91},
		app.ReadingHolders: app.Holders{Count: m.Holders, NeverSold: 812, Top: []app.Holder{{Address: other, Share: 0.031, Kind: "holder"}, {Address: official, Share: 0.3, Kind: "pool"}}, Top10Share: 0.22, Block: 91},
		app.ReadingMarket:  app.Market{PriceUSD: m.PriceUSD, MarketCapUSD: m.MarketCapUSD, LiquidityUSD: m.LiquidityUSD, Volume24hUSD: m.Volume24hUSD, Source: "dexscreener", At: m.At},
	}
	if x.down == nil && ref != x.op.Token.Ref {
		return nil, time.Time{}, app.Errorf(app.NotFound, "Nothing was read of this token.")
	}
	return must(readings[kind]), m.At, x.down
}

func (x *exhibit) MetricsOfToken(_ context.Context, ref app.TokenRef, since time.Time, most int) (all []app.Metrics, err error) {
	for _, m := range x.metrics {
		if ref == x.op.Token.Ref && !m.At.Before(since) {
			all = append(all, m)
		}
	}
	return all[max(len(all)-most, 0):], x.down
}

func (x *exhibit) Effects(context.Context, int64) ([]app.EffectStatus, error) {
	defer x.lock()()
	return slices.Concat(x.effects, x.queue.sent), x.down
}

func (x *exhibit) AuditBefore(context.Context, int64, int) ([]app.AuditRow, error) {
	return []app.AuditRow{{ID: 1, At: today, User: "ada", Action: "validation.approve", Subject: "v9", Before: must(map[string]string{"state": "pending"}), After: must(map[string]string{"state": "approved"})}}, x.down
}

// ---- web.Files, web.Starter, web.Updates

func (x *exhibit) AssetFile(_ context.Context, sha256 string) ([]byte, string, error) {
	picture := image.NewRGBA(image.Rect(0, 0, 320, 240))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	for y := range 240 {
		for p := range 320 {
			if (p-160)*(p-160)+(y-120)*(y-120) < 80*80 {
				picture.Set(p, y, color.RGBA{sha256[0], 112, sha256[1], 255})
			}
		}
	}
	var out bytes.Buffer
	err := png.Encode(&out, picture)
	return out.Bytes(), "image/png", err
}

func (x *exhibit) BuildFile(_ context.Context, _, path string) ([]byte, string, error) {
	if path != "/index.html" {
		return nil, "", app.Errorf(app.NotFound, "There is no such file.")
	}
	return []byte(`<!doctype html><title>Dodo</title><style>body{font:20px sans-serif;background:#10312b;color:#fff}</style><h1>Dodo is back</h1>`), "text/html; charset=utf-8", nil
}

func (x *exhibit) StartOperation(_ context.Context, in app.NewOperation, by app.User) (app.Operation, error) {
	if in.Token.Ref.Address.Hex() == other {
		return app.Operation{}, app.Errorf(app.Invalid, "There is no contract at %s: it holds 0 bytes of code.", other)
	}
	return x.op, x.tell("start %s cap %s by %s", in.Token.Ref.Address.Hex(), in.Cap, by.Name)
}

func (x *exhibit) SaveUpdate(_ context.Context, raw []byte, _ time.Time) error {
	return x.tell("update %s", raw)
}

// serve shows the exhibit under the whole site.
func (x *exhibit) serve(t *testing.T) (*httptest.Server, *live.Hub) {
	t.Helper()
	s := x.site(t)
	server := httptest.NewUnstartedServer(s.Handler())
	listen(t, server)
	return server, s.Hub
}

func (x *exhibit) site(t *testing.T) *web.Server {
	t.Helper()
	return &web.Server{
		Store: x, Sessions: newMemory(x), Files: x, Starter: x, Editor: x, Connector: x, Updates: x, WebhookSecret: "hook", Hub: new(live.Hub), Now: x.now, Pace: x.pace,
		PublicURL: "http://vivra.test", Explorer: "https://explorer.example", ChainID: 4663, Agents: cast, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}
