package orchestrator_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/chain"
	"vivra/app/desk"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/orchestrator"
	"vivra/app/postgres"
	"vivra/app/rehearsal/modelsim"
	"vivra/app/rehearsal/pagessim"
	"vivra/app/rehearsal/tgsim"
	"vivra/app/rehearsal/xsim"
	"vivra/app/x"
)

const (
	handle  = "dodo_back"
	userID  = "900000001"
	access  = "access-0"
	refresh = "refresh-0"
	group   = -1001000000001
	botKey  = "990001:bot-key"
	lease   = time.Minute
	patient = 300 * time.Millisecond // how long a call waits for a platform
)

// office is an orchestrator with its platforms, all local, and two clocks that
// stand still.
type office struct {
	*orchestrator.Orchestrator
	made  pile
	t     *testing.T
	store *postgres.Store
	desk  *desk.Desk
	model *modelsim.Server
	x     *xsim.Server
	tg    *tgsim.Server
	pages *pagessim.Server
	// What stands before each platform, and where all of it is.
	fronts      struct{ x, tg, pages *front }
	place       place
	world       *world
	clock, wall *clockwork.FakeClock
	op          app.Operation
}

func newOffice(t *testing.T, steps ...app.Step) *office {
	t.Helper()
	return officeAt(t, place{Database: testdb.URL(t), Blobs: "mem://"}, testop.J0, steps...)
}

// officeAt opens an office whose rows and blobs others can reach too.
func officeAt(t *testing.T, at place, now time.Time, steps ...app.Step) *office {
	t.Helper()
	o := &office{t: t, place: at, world: healthy(), clock: clockwork.NewFakeClockAt(now), wall: clockwork.NewFakeClockAt(now)}
	o.x = xsim.New(xsim.Options{Now: o.clock.Now, ClientID: "us", ClientSecret: "s3", Accounts: []xsim.Account{
		{ID: userID, Username: handle, Name: "dodo holders", Bio: "We hold.", Followers: 400, AccessToken: access, RefreshToken: refresh}}})
	o.tg = tgsim.New(tgsim.Options{Now: o.clock.Now, Token: botKey, Bot: tgsim.Bot{ID: 990001, Username: "vivra_bot", Name: "Vivra"},
		Groups: []tgsim.Group{{ID: group, Title: "dodo", Silent: true, Before: int64(now.Sub(testop.J0).Hours())}}}) // of those that share rows each has its numbers
	t.Cleanup(o.tg.Close)
	o.pages = pagessim.New(pagessim.Options{Now: o.clock.Now, Token: "pages-key", AccountID: "acc", ZoneID: "zone"})
	o.model = modelsim.New(modelsim.Options{APIKey: "model-key"})
	o.fronts.x, o.fronts.tg, o.fronts.pages = newFront(o.x), newFront(o.tg), newFront(o.pages)
	o.place.X, o.place.Telegram, o.place.Pages, o.place.Model = o.serve(o.fronts.x), o.serve(o.fronts.tg), o.serve(o.fronts.pages), o.serve(o.model)
	o.furnish()
	if len(steps) > 0 {
		o.op = testop.New(t, o.store, 1, 50*app.Dollar, steps...)
	}
	return o
}

// serve puts a local service on a port of its own.
func (o *office) serve(h http.Handler) string {
	web := httptest.NewServer(h)
	o.t.Cleanup(web.Close)
	return web.URL
}

func (o *office) furnish() {
	o.t.Helper()
	b, err := o.place.open(o.t.Context(), o.clock, o.wall, o.world, o.made.add)
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(b.close)
	o.Orchestrator, o.store, o.desk = b.Orchestrator, b.Store, b.Desk
	o.connect(handle, userID, access, refresh)
}

// connect gives us the tokens of an account on X.
func (o *office) connect(handle, userID, access, refresh string) {
	o.t.Helper()
	token := x.Token{AccessToken: access, RefreshToken: refresh, Scopes: []string{"tweet.write"}, ExpiresAt: o.clock.Now().Add(2 * time.Hour)}
	if err := o.desk.ConnectX(o.t.Context(), handle, userID, token); err != nil {
		o.t.Fatal(err)
	}
}

// taken returns the jobs that were made since the last time.
func (o *office) taken() []app.Job { return o.made.taken() }

// tick looks for what is due.
func (o *office) tick() {
	o.t.Helper()
	if err := o.Tick(o.t.Context()); err != nil {
		o.t.Fatal(err)
	}
}

// work ticks and carries the jobs out until none is left at this instant, and
// returns what failed.
func (o *office) work() error {
	o.t.Helper()
	var faults []error
	for range 100 {
		o.tick()
		jobs := o.taken()
		if len(jobs) == 0 {
			return errors.Join(faults...)
		}
		for _, job := range jobs {
			if err := o.Do(o.t.Context(), job); err != nil {
				faults = append(faults, err)
			}
		}
	}
	o.t.Fatal("the work never ends")
	return nil
}

// later turns the product's clock and works.
func (o *office) later(d time.Duration) error {
	o.t.Helper()
	o.clock.Advance(d)
	return o.work()
}

func (o *office) step(key string) app.Step { return testop.ByKey(o.t, o.store, o.op, key) }

// await makes a due step wait for a person's decision on a payload.
func (o *office) await(key string, kind app.ValidationKind, payload any) app.Validation {
	o.t.Helper()
	claim := o.claim(key)
	err := o.store.AwaitPerson(o.t.Context(), claim, postgres.Proposal{Kind: kind, Payload: payload}, o.clock.Now())
	if err != nil {
		o.t.Fatal(err)
	}
	return o.waiting(key)
}

// claim starts what is due and claims one step of it, as a worker does.
func (o *office) claim(key string) app.Claim {
	o.t.Helper()
	if s := o.step(key); s.State == app.StepRunning {
		return app.Claim{OperationID: o.op.ID, StepID: s.ID, Fence: s.Fence}
	}
	claim, _ := testop.Start(o.t, o.store, o.op, key, o.clock.Now(), o.wall.Now().Add(lease))
	o.taken() // the test is the worker
	return claim
}

// waiting returns the open draft of a step.
func (o *office) waiting(key string) app.Validation {
	o.t.Helper()
	pending, err := o.store.PendingValidations(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	for _, v := range pending {
		if v.StepKey == key && v.OperationID == o.op.ID {
			return v
		}
	}
	o.t.Fatalf("nothing waits for a person in %s, which is %s: %s", key, o.step(key).State, o.step(key).Error)
	return app.Validation{}
}

// approve has a person approve, and waits until that can't be undone any more.
func (o *office) approve(v app.Validation) {
	o.t.Helper()
	o.clock.Advance(testop.Approve(o.t, o.store, v, o.clock.Now()).Sub(o.clock.Now()))
}

// reject has a person reject, and waits likewise.
func (o *office) reject(v app.Validation, reason string) {
	o.t.Helper()
	o.clock.Advance(testop.Reject(o.t, o.store, v, reason, o.clock.Now()).Sub(o.clock.Now()))
}

// publish proposes, approves and works.
func (o *office) publish(key string, kind app.ValidationKind, payload any) error {
	o.t.Helper()
	o.approve(o.await(key, kind, payload))
	return o.work()
}

// effects returns the effects of the operation, oldest first.
func (o *office) effects() []app.Effect {
	o.t.Helper()
	all, err := o.store.Effects(o.t.Context(), o.op.ID)
	if err != nil {
		o.t.Fatal(err)
	}
	out := make([]app.Effect, len(all))
	for i, e := range all {
		out[i] = e.Effect
	}
	return out
}

func states(effects []app.Effect) (out []app.EffectState) {
	for _, e := range effects {
		out = append(out, e.State)
	}
	return out
}

// scope opens a run for a step and returns what a tool call in it belongs to.
func (o *office) scope(key string) agent.Scope {
	o.t.Helper()
	claim := o.claim(key)
	run, _, err := o.store.OpenRun(o.t.Context(), claim, app.Run{Agent: "designer", Task: key, Model: "m", Budget: app.Dollar}, o.clock.Now())
	if err != nil {
		o.t.Fatal(err)
	}
	return agent.Scope{Claim: claim, OperationID: o.op.ID, StepID: claim.StepID, StepKey: key, RunID: run.ID, CallID: "c1", Agent: "designer", Token: o.op.Token}
}

// picture keeps a picture of one colour for the operation.
func (o *office) picture(key string, c color.Color) app.Media {
	o.t.Helper()
	asset, err := o.desk.SaveAsset(o.t.Context(), o.scope(key), "picture", plain(o.t, c))
	if err != nil {
		o.t.Fatal(err)
	}
	return app.Media{SHA256: asset.SHA256, MIME: asset.MIME, Alt: "A picture"}
}

// plain is a picture of one colour as PNG.
func plain(t *testing.T, c color.Color) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		img.Set(i%32, i/32, c)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// build keeps a passed build of one page.
func (o *office) build(key, kind string, files map[string][]byte) app.Build {
	o.t.Helper()
	scope := o.scope(key)
	b, err := o.desk.SaveBuild(o.t.Context(), scope, app.Build{Kind: kind, Template: "signal", Pages: 1, Bytes: 10}, files)
	if err == nil {
		err = o.desk.SaveReport(o.t.Context(), scope, b.ID, map[string]bool{"ok": true}, true)
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return b
}

// world is a chain and a market that tests can change.
type world struct {
	mu        sync.Mutex
	token     app.TokenFacts
	holders   app.Holders
	liquidity app.Liquidity
	trades    app.Transactions
	trade     app.TradeSimulation
	market    app.Market
	down      error
	asked     func()
}

// healthy is a token that may be taken over.
func healthy() *world {
	long := testop.J0.AddDate(0, 0, -60)
	first := testop.J0.AddDate(0, 0, -200)
	at := testop.Token(1).Ref.Address
	return &world{
		token:     app.TokenFacts{ChainID: 8453, Address: chain.Checksum(at), Name: "Dodo", Symbol: "DODO", Decimals: 18, Supply: 1e9, Deployer: "0xDe00000000000000000000000000000000000001", Block: 9},
		holders:   app.Holders{Count: 400, NeverSold: 300, Top10Share: 0.2, DeployerShare: 0.01, Block: 9},
		liquidity: app.Liquidity{USD: 20_000, LockedShare: 1, Block: 9},
		trades:    app.Transactions{Days: 7, Trades: 0, LastTradeAt: &long, FirstTradeAt: &first, DeployerLastAt: &long, Block: 9},
		trade:     app.TradeSimulation{CanBuy: true, CanSell: true, Block: 9},
		market:    app.Market{PriceUSD: 1e-6, MarketCapUSD: 1000, LiquidityUSD: 20_000, At: testop.J0},
	}
}

func read[T any](w *world, v func() T) (T, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked != nil {
		w.asked()
	}
	if w.down != nil {
		var none T
		return none, w.down
	}
	return v(), nil
}

func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func (w *world) Token(context.Context, app.TokenRef) (app.TokenFacts, error) {
	return read(w, func() app.TokenFacts { return w.token })
}

func (w *world) Holders(context.Context, app.TokenRef) (app.Holders, error) {
	return read(w, func() app.Holders { return w.holders })
}

func (w *world) Liquidity(context.Context, app.TokenRef) (app.Liquidity, error) {
	return read(w, func() app.Liquidity { return w.liquidity })
}

func (w *world) Transactions(_ context.Context, _ app.TokenRef, days int) (app.Transactions, error) {
	return read(w, func() app.Transactions { t := w.trades; t.Days = days; return t })
}

func (w *world) SimulateTrade(context.Context, app.TokenRef) (app.TradeSimulation, error) {
	return read(w, func() app.TradeSimulation { return w.trade })
}

func (w *world) Launch(context.Context, app.TokenRef) (app.Launch, error) {
	return read(w, func() app.Launch { return app.Launch{Deployer: w.token.Deployer, Block: 9} })
}

func (w *world) Snapshot(context.Context, app.TokenRef) (app.Market, error) {
	return read(w, func() app.Market { return w.market })
}

func (w *world) Chart(context.Context, app.TokenRef, string, int) ([]app.Candle, error) {
	return nil, errors.New("no chart")
}
