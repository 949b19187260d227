// Package boot builds the application: the one place where everything meets.
package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"time"

	"github.com/jonboulle/clockwork"
	"golang.org/x/sync/errgroup"

	"vivra/app"
	"vivra/app/agents"
	"vivra/app/blob"
	"vivra/app/browser"
	"vivra/app/calendar"
	"vivra/app/chain"
	"vivra/app/desk"
	"vivra/app/images"
	"vivra/app/jobs"
	"vivra/app/live"
	"vivra/app/market"
	"vivra/app/openai"
	"vivra/app/orchestrator"
	"vivra/app/pages"
	"vivra/app/paths"
	"vivra/app/postgres"
	"vivra/app/private"
	"vivra/app/runner"
	"vivra/app/schedule"
	"vivra/app/seal"
	"vivra/app/telegram"
	"vivra/app/tools"
	"vivra/app/web"
	"vivra/app/x"
	"vivra/prompts"
	"vivra/specs"
)

// Config is everything the application is told. cmd reads it from the
// environment; the rehearsal makes its own.
type Config struct {
	DatabaseURL    string // empty: a private server under DataDir
	PostgresBinDir string
	Addr           string
	Listener       net.Listener // takes the place of Addr when set
	PublicURL      string
	DataDir        string
	SecretKey      []byte // 32 bytes
	ClientJS       string
	BlobURL        string

	Services

	// Chain says what is known of the chain behind RPCURL; zero is
	// RobinhoodChain.
	Chain ChainConfig

	// Clock is the product's time, Wall the time of leases; nil is the real clock.
	Clock, Wall clockwork.Clock
	// Lease is how long a silent worker keeps its claim; 0 is a minute.
	Lease time.Duration
	// Workers is how many jobs run at a time here; 0 is 20.
	Workers int
	// Browser takes the place of a Chromium of the application's own when set.
	Browser Browser
	// Reached is told each labelled point of a run; tests kill the process there.
	Reached func(point string)
	// Ready is called once the application serves, with the token of the link
	// that creates the first account, empty when there is one already.
	Ready func(a *App, invite string)
}

// Browser draws our own HTML and runs our own scripts. app/browser implements it.
type Browser interface {
	tools.Renderer
	tools.Runner
	Close()
}

// Services says where the outside is and how we are known there.
type Services struct {
	SiteDomain string

	SurplusBaseURL, SurplusAPIKey            string
	ImageBaseURL, ImageAPIKey                string
	RPCURL, ExplorerBaseURL                  string
	DexscreenerBaseURL, GeckoterminalBaseURL string
	XAPIBaseURL, XAuthBaseURL                string
	XClientID, XClientSecret                 string
	TelegramAPIBaseURL                       string
	TelegramBotToken, TelegramWebhookSecret  string
	CloudflareAPIBaseURL, CloudflareAPIToken string
	CloudflareAccountID, CloudflareZoneID    string
}

func (c Config) withDefaults() Config {
	if c.Clock == nil {
		c.Clock = clockwork.NewRealClock()
	}
	if c.Wall == nil {
		c.Wall = clockwork.NewRealClock()
	}
	if c.Lease == 0 {
		c.Lease = time.Minute
	}
	if c.Workers == 0 {
		c.Workers = 20
	}
	if c.Chain.ChainID == 0 {
		c.Chain = RobinhoodChain()
	}
	if c.BlobURL == "" {
		c.BlobURL = "file://" + filepath.ToSlash(filepath.Join(c.DataDir, "blobs"))
	}
	return c
}

// App is the built application.
type App struct {
	Config       Config
	Store        *postgres.Store
	Desk         *desk.Desk
	Orchestrator *orchestrator.Orchestrator
	Hub          *live.Hub
	Web          *web.Server

	blobs   *blob.Store
	browser Browser
	run     func(context.Context) error // the workers
	wake    chan struct{}
	log     *slog.Logger
}

// Serve runs the application until ctx is done, then stops everything it started.
func Serve(ctx context.Context, cfg Config, log *slog.Logger) error {
	cfg = cfg.withDefaults()
	// Faults of the program's own files are found before anything is started.
	if _, err := parseCalendar(); err != nil {
		return err
	}
	front := newFront(log)
	g, within := errgroup.WithContext(ctx)
	g.Go(func() error { return serve(within, cfg, front) })
	g.Go(func() error { return behind(within, cfg, front, log) })
	if err := g.Wait(); ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return nil // told to stop while it was still starting
}

// behind brings up the database and the application behind the front, and
// takes them down again.
func behind(ctx context.Context, cfg Config, front *front, log *slog.Logger) error {
	db, err := database(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer db.stop()
	ctx, release := db.watched(ctx)
	defer release()
	store, err := open(ctx, db.dsn, log)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	a, err := Build(ctx, cfg, store, log)
	if err != nil {
		return err
	}
	defer a.Close()
	invite, err := a.FirstInvite(ctx)
	if err != nil {
		return err
	}
	front.open(a.Web.Handler())
	log.InfoContext(ctx, "serving", "url", cfg.PublicURL)
	if cfg.Ready != nil {
		cfg.Ready(a, invite)
	}
	err = a.Run(ctx)
	if cause := context.Cause(ctx); errors.Is(cause, errDatabaseGone) {
		return cause
	}
	return err
}

// errDatabaseGone ends the program: its own database server has died, and
// whoever supervises the program starts both again.
var errDatabaseGone = app.Errorf(app.Unavailable, "The private database server has stopped by itself; its log is in the data folder. Start Vivra again: nothing that was stored is lost.")

// databaseServer is where the database is, and what ends it when it is ours.
type databaseServer struct {
	dsn  string
	stop func()
	gone <-chan struct{} // closed when a server of ours has ended; nil for one that was named
}

// watched returns a context that ends when our own server dies.
func (d databaseServer) watched(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-d.gone:
			cancel(errDatabaseGone)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// database returns the database that was named, or starts a private server.
func database(ctx context.Context, cfg Config, log *slog.Logger) (databaseServer, error) {
	if cfg.DatabaseURL != "" {
		return databaseServer{dsn: cfg.DatabaseURL, stop: func() {}}, nil
	}
	dir := ""
	if cfg.DataDir != "" {
		dir = filepath.Join(cfg.DataDir, "postgres")
	}
	server, err := private.Start(ctx, private.Config{DataDir: dir, BinDir: cfg.PostgresBinDir, Fast: cfg.DataDir == ""})
	if err != nil {
		return databaseServer{}, err
	}
	return databaseServer{dsn: server.DSN("postgres"), gone: server.Done(), stop: func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			log.ErrorContext(ctx, "stop database", "error", err)
		}
	}}, nil
}

// open waits for the database, saying so, until it answers or ctx ends.
func open(ctx context.Context, dsn string, log *slog.Logger) (*postgres.Store, error) {
	wait := time.Second
	for {
		store, err := postgres.Open(ctx, dsn)
		if err == nil {
			return store, nil
		}
		if app.KindOf(err) == app.Invalid {
			return nil, err
		}
		log.WarnContext(ctx, "the database does not answer, trying again", "in", wait, "error", err)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
		wait = min(2*wait, 15*time.Second)
	}
}

// Migrate brings the schema up to date and ends.
func Migrate(ctx context.Context, cfg Config, log *slog.Logger) error {
	cfg = cfg.withDefaults()
	db, err := database(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer db.stop()
	store, err := postgres.Open(ctx, db.dsn)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Migrate(ctx)
}

func parseCalendar() (*calendar.Calendar, error) {
	source, err := specs.FS.ReadFile("calendar.yaml")
	if err != nil {
		return nil, fmt.Errorf("read calendar: %w", err)
	}
	return calendar.Parse("specs/calendar.yaml", source, agents.AgentNames)
}

// Build makes the application on an open database. It starts nothing.
func Build(ctx context.Context, cfg Config, store *postgres.Store, log *slog.Logger) (*App, error) {
	cfg = cfg.withDefaults()
	a := &App{Config: cfg, Store: store, Hub: new(live.Hub), wake: make(chan struct{}, 1), log: log}
	plan, err := parseCalendar()
	if err != nil {
		return nil, err
	}
	sealer, err := seal.New(cfg.SecretKey)
	if err != nil {
		return nil, err
	}
	if a.blobs, err = blob.Open(ctx, cfg.BlobURL); err != nil {
		return nil, err
	}
	if a.browser = cfg.Browser; a.browser == nil {
		a.browser = browser.New(browser.Config{})
	}
	a.Desk = &desk.Desk{Store: store, Blobs: a.blobs, Seal: sealer, Clock: cfg.Clock,
		X: x.New(x.Config{APIBaseURL: cfg.XAPIBaseURL, AuthBaseURL: cfg.XAuthBaseURL, ClientID: cfg.XClientID, ClientSecret: cfg.XClientSecret,
			PictureHosts: []string{"pbs.twimg.com", hostOf(cfg.XAPIBaseURL)}}),
		Telegram: telegram.New(telegram.Config{BaseURL: cfg.TelegramAPIBaseURL, Token: cfg.TelegramBotToken})}
	outside, err := a.outside(ctx)
	if err != nil {
		return nil, err
	}
	settings, err := store.Settings(ctx)
	if err != nil {
		return nil, err
	}
	catalogue, err := agents.Load(specs.FS, prompts.FS, tools.All(a.deps(outside, settings)), func(model string) bool { _, ok := settings.Prices[model]; return ok })
	if err != nil {
		return nil, err
	}
	model := openai.New(openai.Config{BaseURL: cfg.SurplusBaseURL, APIKey: cfg.SurplusAPIKey})
	run := &runner.Runner{Store: store, Catalogue: catalogue, Model: model, Clock: cfg.Clock, Wall: cfg.Wall, Lease: cfg.Lease, LivePage: a.livePage, Reached: cfg.Reached}
	a.Orchestrator = &orchestrator.Orchestrator{Store: store, Desk: a.Desk, Runner: run, Calendar: plan, Chain: outside.chain, Trades: outside.chain,
		Market: outside.market, ChainID: cfg.Chain.ChainID, SiteDomain: cfg.SiteDomain, LivePage: a.livePage, Secret: cfg.SecretKey,
		Sites: pages.New(pages.Config{APIBaseURL: cfg.CloudflareAPIBaseURL, Token: cfg.CloudflareAPIToken, AccountID: cfg.CloudflareAccountID, ZoneID: cfg.CloudflareZoneID}),
		Clock: cfg.Clock, Wall: cfg.Wall, Lease: cfg.Lease, Log: log, Reached: cfg.Reached}
	workers, err := jobs.New(store.RiverDriver(), cfg.Workers, a.Orchestrator.Do, log)
	if err != nil {
		return nil, err
	}
	store.Enqueue, a.Orchestrator.Enqueue, a.run = workers.EnqueueTx, workers.Enqueue, workers.Run
	a.Web = &web.Server{Store: store, Sessions: store.Sessions(cfg.Wall.Now), Files: a.Desk, Starter: a.Orchestrator, Hub: a.Hub, Now: cfg.Clock.Now,
		Updates: a.Desk, WebhookSecret: cfg.TelegramWebhookSecret, PublicURL: cfg.PublicURL, Explorer: cfg.ExplorerBaseURL, ChainID: cfg.Chain.ChainID,
		ClientJS: cfg.ClientJS, Log: log}
	return a, nil
}

func (a *App) livePage(slug string) string { return a.Config.PublicURL + paths.Operation(slug) }

// outside are the worlds that tools only read.
type outside struct {
	chain  *chain.Client
	market *market.Client
	images *images.Client
}

func (a *App) deps(out outside, settings app.Settings) tools.Deps {
	return tools.Deps{Files: a.Desk, Proposals: a.Desk, Assets: a.Desk, Builds: a.Desk, Kits: a.Desk, Alerts: a.Desk, Charges: a.Desk,
		Social: a.Desk, Polls: a.Desk, Activity: a.Desk, Chain: out.chain, Trades: out.chain, Market: out.market,
		Generate: func(ctx context.Context, prompt, size, seed string, count int) ([][]byte, string, error) {
			return out.images.Generate(ctx, images.Request{Prompt: prompt, Size: size, N: count, Seed: seed})
		},
		Renderer: a.browser, Runner: a.browser, Venue: a.venue, EIP55: chain.Checksum,
		ImagePrice:    func(ctx context.Context) (app.Nano, error) { return a.imagePrice(ctx) },
		LinkAllowlist: settings.LinkAllowlist, PublicURL: a.Config.PublicURL}
}

// ImageModel is the model that pictures are asked of.
const ImageModel = "gpt-image-1"

func (a *App) imagePrice(ctx context.Context) (app.Nano, error) {
	settings, err := a.Store.Settings(ctx)
	if err != nil {
		return 0, err
	}
	price, ok := settings.ImagePrices[ImageModel]
	if !ok {
		return 0, app.Errorf(app.Invalid, "The image model %s has no price: set image.prices.%s first.", ImageModel, ImageModel)
	}
	return price, nil
}

func (a *App) venue(ref app.TokenRef) tools.Venue {
	v := tools.Venue{Chain: a.Config.Chain.Name}
	if a.Config.ExplorerBaseURL != "" {
		v.ExplorerURL = a.Config.ExplorerBaseURL + "/token/" + chain.Checksum(ref.Address)
	}
	return v
}

// Run works until ctx ends: workers, ticks, and the ear for other processes.
func (a *App) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.run(ctx) })
	g.Go(func() error { return a.Store.Listen(ctx, func(operation string) { a.heard(operation) }) })
	g.Go(func() error {
		return schedule.Run(ctx, a.Config.Clock, a.log, []schedule.Tick{
			{Name: "orchestrator", Every: time.Minute, Timeout: time.Minute, Do: a.Orchestrator.Tick, Wake: a.wake},
			{Name: "sessions", Every: time.Hour, Timeout: time.Minute, Do: func(ctx context.Context) error {
				return a.Store.DeleteExpiredSessions(ctx, a.Config.Wall.Now())
			}},
		})
	})
	g.Go(func() error { return a.pulse(ctx) })
	g.Go(func() error { a.hookTelegram(ctx); return nil })
	err := g.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// pulse wakes the orchestrator by the wall clock too: leases run out there.
func (a *App) pulse(ctx context.Context) error {
	tick := a.Config.Wall.NewTicker(max(a.Config.Lease/4, 100*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.Chan():
			a.Wake()
		}
	}
}

// hookTelegram asks Telegram to bring updates here. Failing is no reason not to
// serve: the group is then only not heard.
func (a *App) hookTelegram(ctx context.Context) {
	if a.Config.TelegramBotToken == "" || a.Config.TelegramWebhookSecret == "" {
		return
	}
	if err := a.Desk.Telegram.SetWebhook(ctx, a.Config.PublicURL+paths.TelegramWebhook(), a.Config.TelegramWebhookSecret, telegram.AllowedUpdates); err != nil {
		a.log.WarnContext(ctx, "Telegram does not take our webhook", "error", err)
	}
}

// heard passes a change on to the pages and the orchestrator of this process.
func (a *App) heard(operation string) {
	if operation == "0" {
		a.Hub.ChangedAll()
	} else {
		a.Hub.Changed("operation:" + operation)
		a.Hub.Changed(live.Operations)
		a.Hub.Changed(live.Validations)
		a.Hub.Changed(live.Alerts)
	}
	a.Wake()
}

// Wake has the orchestrator look for what is due at once: after a change, or
// when a clock was turned.
func (a *App) Wake() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// Close gives back what Build took.
func (a *App) Close() {
	a.browser.Close()
	if err := a.blobs.Close(); err != nil {
		a.log.Error("close blobs", "error", err)
	}
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}
