package orchestrator_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/agents"
	"vivra/app/blob"
	"vivra/app/calendar"
	"vivra/app/chain"
	"vivra/app/desk"
	"vivra/app/openai"
	"vivra/app/orchestrator"
	"vivra/app/pages"
	"vivra/app/postgres"
	"vivra/app/rehearsal/pagessim"
	"vivra/app/runner"
	"vivra/app/seal"
	"vivra/app/telegram"
	"vivra/app/tools"
	"vivra/app/x"
	"vivra/prompts"
	"vivra/specs"
)

// place is where an orchestrator finds its rows, its blobs and its platforms:
// all that another process must know to work beside it.
type place struct {
	Database, Blobs, X, Telegram, Pages, Model string
	// Publishing: no agent works there, and no call is waited for.
	Publishing bool
}

// key seals the tokens of accounts.
var key = bytes.Repeat([]byte{7}, 32)

// bureau is an orchestrator with what it holds open.
type bureau struct {
	*orchestrator.Orchestrator
	blobs *blob.Store
}

func (b bureau) close() {
	_ = b.blobs.Close()
	b.Store.Close()
}

// open makes an orchestrator at a place, which hands its jobs to enqueue.
func (p place) open(ctx context.Context, clock, wall clockwork.Clock, w *world, enqueue func(context.Context, ...app.Job) error) (b bureau, err error) {
	store, err := postgres.Open(ctx, p.Database)
	if err != nil {
		return b, err
	}
	if b.blobs, err = blob.Open(ctx, p.Blobs); err != nil {
		return b, err
	}
	sealer, err := seal.New(key)
	if err != nil {
		return b, err
	}
	quick := &http.Client{Timeout: patient}
	d := &desk.Desk{Store: store, Blobs: b.blobs, Seal: sealer, Clock: clock,
		X:        x.New(x.Config{APIBaseURL: p.X, AuthBaseURL: p.X, ClientID: "us", ClientSecret: "s3", HTTP: quick}),
		Telegram: telegram.New(telegram.Config{BaseURL: p.Telegram, Token: botKey, HTTP: quick})}
	b.Orchestrator = &orchestrator.Orchestrator{Store: store, Desk: d, Chain: w, Trades: w, Market: w, Launches: w, Sites: p.host(nil),
		Venue:   func(app.TokenRef) tools.Venue { return tools.Venue{Chain: "Test chain"} },
		ChainID: 8453, SiteDomain: "vivra.example", LivePage: livePage, Secret: key, Clock: clock, Wall: wall, Lease: lease,
		Enqueue: enqueue, Log: slog.New(slog.DiscardHandler)}
	store.Enqueue = func(ctx context.Context, _ pgx.Tx, job app.Job) error { return enqueue(ctx, job) }
	if p.Publishing {
		b.Sites = p.host(quick)
		return b, nil
	}
	return b, p.staff(b.Orchestrator, w)
}

func livePage(slug string) string { return "https://vivra.example/o/" + slug }

// staff gives an orchestrator its calendar and its agents.
func (p place) staff(o *orchestrator.Orchestrator, w *world) error {
	source, err := specs.FS.ReadFile("calendar.yaml")
	if err != nil {
		return err
	}
	if o.Calendar, err = calendar.Parse("calendar.yaml", source, agents.AgentNames); err != nil {
		return err
	}
	d := o.Desk
	kit := tools.All(tools.Deps{Files: d, Proposals: d, Assets: d, Builds: d, Kits: d, Alerts: d, Charges: d, History: d,
		Social: d, Mentions: d, Polls: d, Activity: d, Chain: w, Trades: w, Market: w, EIP55: chain.Checksum, PublicURL: "https://vivra.example"})
	catalogue, err := agents.Load(specs.FS, prompts.FS, kit, func(string) bool { return true })
	if err != nil {
		return err
	}
	o.Runner = &runner.Runner{Store: o.Store, Catalogue: catalogue, Model: openai.New(openai.Config{BaseURL: p.Model + "/v1", APIKey: "model-key"}),
		Clock: o.Clock, Wall: o.Wall, Lease: lease, LivePage: livePage}
	return nil
}

// host deploys to the local Cloudflare.
func (p place) host(client *http.Client) *pages.Host {
	return pages.New(pages.Config{APIBaseURL: p.Pages + pagessim.Prefix, Token: "pages-key", AccountID: "acc", ZoneID: "zone", Wait: noWait, HTTP: client})
}

func noWait(context.Context, time.Duration) error { return nil }

// pile is the jobs that were made and nobody has taken yet.
type pile struct {
	mu  sync.Mutex
	all []app.Job
}

func (j *pile) add(_ context.Context, more ...app.Job) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.all = append(j.all, more...)
	return nil
}

func (j *pile) taken() []app.Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := j.all
	j.all = nil
	return all
}
