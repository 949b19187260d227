// Package boot builds the application: the one place where everything meets.
package boot

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/agents"
	"vivra/app/alarm"
	"vivra/app/blob"
	"vivra/app/browser"
	"vivra/app/calendar"
	"vivra/app/chain"
	"vivra/app/desk"
	"vivra/app/doctor"
	"vivra/app/images"
	"vivra/app/jobs"
	"vivra/app/live"
	"vivra/app/market"
	"vivra/app/openai"
	"vivra/app/orchestrator"
	"vivra/app/pages"
	"vivra/app/paths"
	"vivra/app/postgres"
	"vivra/app/runner"
	"vivra/app/seal"
	"vivra/app/telegram"
	"vivra/app/telemetry"
	"vivra/app/tools"
	"vivra/app/web"
	"vivra/app/x"
	"vivra/prompts"
	"vivra/specs"
)

// App is the built application.
type App struct {
	Config       Config // once it is served, with the address of a private database, too
	Store        *postgres.Store
	Desk         *desk.Desk
	Orchestrator *orchestrator.Orchestrator
	Hub          *live.Hub
	Web          *web.Server

	watch    *telemetry.Watch
	models   *doctor.Watch   // nil: no model is tried
	channels []alarm.Channel // where alerts are brought
	blobs    *blob.Store
	browser  Browser
	run      func(context.Context) error // the workers
	wake     chan struct{}               // the orchestrator
	woken    chan struct{}               // the alarm, which then looks for its next time
	log      *slog.Logger
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
	a := &App{Config: cfg, Store: store, Hub: new(live.Hub), wake: make(chan struct{}, 1), woken: make(chan struct{}, 1), log: log}
	plan, err := parseCalendar()
	if err != nil {
		return nil, err
	}
	a.watch = telemetry.New(cfg.telemetry(store, log))
	store.Logged = a.watch.Metrics.Logged
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
	a.Desk = &desk.Desk{Store: store, Blobs: a.blobs, Seal: sealer, Clock: cfg.Clock, Wall: cfg.Wall, PublicURL: cfg.PublicURL, Lease: cfg.Lease, Reached: cfg.Reached,
		Telegram: telegram.New(telegram.Config{BaseURL: cfg.TelegramAPIBaseURL, Token: cfg.TelegramBotToken})}
	a.Desk.X = x.New(x.Config{APIBaseURL: cfg.XAPIBaseURL, AuthBaseURL: cfg.XAuthBaseURL, AuthorizeBaseURL: cfg.XAuthorizeBaseURL, ClientID: cfg.XClientID, ClientSecret: cfg.XClientSecret,
		PictureHosts: []string{"pbs.twimg.com", hostOf(cfg.XAPIBaseURL)}, Refused: a.Desk.TokenRefused})
	outside, err := a.outside(ctx)
	if err != nil {
		return nil, err
	}
	prices, err := store.PriceList(ctx)
	if err != nil {
		return nil, err
	}
	priced := func(model string) bool { _, ok := prices.At(model, cfg.Clock.Now()); return ok }
	deps := a.deps(outside)
	catalogue, err := agents.Load(specs.FS, prompts.FS, tools.All(deps), priced)
	if err != nil {
		return nil, err
	}
	model := openai.New(openai.Config{BaseURL: cfg.SurplusBaseURL, APIKey: cfg.SurplusAPIKey})
	run := &runner.Runner{Store: store, Catalogue: catalogue, Model: model, Clock: cfg.Clock, Wall: cfg.Wall, Lease: cfg.Lease, LivePage: a.livePage, Reached: cfg.Reached, Hub: a.Hub, Trace: a.watch.Tracer}
	run.Inspect = func(s agent.Scope, call agent.Call) error { return deps.Inspect(s, call.Tool, call.Args) }
	a.Orchestrator = &orchestrator.Orchestrator{Store: store, Desk: a.Desk, Runner: run, Calendar: plan, Chain: outside.chain, Trades: outside.chain,
		Launches: outside.chain, Venue: a.venue,
		Market: outside.market, ChainID: cfg.Chain.ChainID, SiteDomain: cfg.SiteDomain, LivePage: a.livePage, Secret: cfg.SecretKey,
		Sites: pages.New(pages.Config{APIBaseURL: cfg.CloudflareAPIBaseURL, Token: cfg.CloudflareAPIToken, AccountID: cfg.CloudflareAccountID, ZoneID: cfg.CloudflareZoneID}),
		Clock: cfg.Clock, Wall: cfg.Wall, Lease: cfg.Lease, Log: log, Reached: cfg.Reached}
	workers, err := jobs.New(store.RiverDriver(), cfg.Workers, a.Orchestrator.Do, log)
	if err != nil {
		return nil, err
	}
	store.Enqueue, a.Orchestrator.Enqueue, a.run = workers.EnqueueTx, workers.Enqueue, workers.Run
	store.Reached = cfg.Reached
	a.Web = &web.Server{Store: store, Sessions: store.Sessions(cfg.Wall.Now), Files: a.Desk, Painter: a.browser, Editor: a.Desk, Starter: a.Orchestrator, Hub: a.Hub, Now: cfg.Clock.Now, Pace: cfg.Pace, Agents: catalogue.Agents(),
		Updates: a.Desk, WebhookSecret: cfg.TelegramWebhookSecret, PublicURL: cfg.PublicURL, Explorer: cfg.ExplorerBaseURL, ChainID: cfg.Chain.ChainID,
		ClientJS: cfg.ClientJS, Secret: cfg.SecretKey, Log: log}
	if cfg.XClientID != "" {
		a.Web.Connector = a.Desk
	}
	if a.watch.Metrics != nil {
		a.Web.Meter = a.watch.Metrics
	}
	for _, c := range a.alertChannels() {
		a.channels, store.AlertChannels = append(a.channels, c), append(store.AlertChannels, c.Name())
	}
	a.watchModels(catalogue, model)
	return a, nil
}

func (a *App) livePage(slug string) string { return a.Config.PublicURL + paths.Operation(slug) }

// outside are the worlds that tools only read.
type outside struct {
	chain  *chain.Client
	market *market.Client
	images *images.Client
}

func (a *App) deps(out outside) tools.Deps {
	return tools.Deps{Files: a.Desk, Proposals: a.Desk, Assets: a.Desk, Builds: a.Desk, Kits: a.Desk, Alerts: a.Desk, Charges: a.Desk,
		Social: a.Desk, Mentions: a.Desk, History: a.Desk, Polls: a.Desk, Activity: a.Desk, Chain: out.chain, Trades: out.chain, Market: out.market,
		Generate: func(ctx context.Context, prompt, size, seed string, count int) ([][]byte, string, error) {
			return out.images.Generate(ctx, images.Request{Prompt: prompt, Size: size, N: count, Seed: seed})
		},
		Renderer: a.browser, Runner: a.browser, Venue: a.venue, EIP55: chain.Checksum,
		ImagePrice: a.imagePrice,
		PublicURL:  a.Config.PublicURL}
}

// ImageModel is the model that pictures are asked of.
const ImageModel = "gpt-image-1"

func (a *App) imagePrice(ctx context.Context, size string) (model string, price app.Nano, err error) {
	list, err := a.Store.PriceList(ctx)
	if err != nil {
		return ImageModel, 0, err
	}
	price, ok := list.ImageAt(ImageModel, size, a.Config.Clock.Now())
	if !ok {
		return ImageModel, 0, app.Errorf(app.Invalid, "A picture of %s by %s has no price: import one with vivra prices import.", size, ImageModel)
	}
	return ImageModel, price, nil
}

func (a *App) venue(ref app.TokenRef) tools.Venue {
	v := tools.Venue{Chain: a.Config.Chain.Name}
	if a.Config.ExplorerBaseURL != "" {
		v.ExplorerURL = a.Config.ExplorerBaseURL + "/token/" + chain.Checksum(ref.Address)
	}
	return v
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}
