package rehearsal

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"vivra/app"
	"vivra/app/boot"
)

// Plan says what is rehearsed.
type Plan struct {
	Days        int // how far the clock goes; 0 is the whole takeover
	Seed        int64
	Script      *Script
	DatabaseURL string // empty: a private server that is gone afterwards
	DataDir     string // for blobs
	Cap         string // dollars
	Envelope    string
	Start       time.Time
	// DeployerShare of the token; 0 is healthy.
	DeployerShare float64
	// Poison and Obey make the world hostile, and the model its servant.
	Poison, Obey bool
	// ReplyApproval is where X's approval of automated replies is kept; empty:
	// nobody is answered.
	ReplyApproval string
	// Progress is told each step that ended; nil tells nobody.
	Progress func(now time.Time, step app.Step)
	// Told is told what the team did beside approving; nil tells nobody.
	Told  func(now time.Time, what, step string)
	Lease time.Duration
	Log   *slog.Logger
	// World, when set, is told the world once it is up.
	World func(*World)
	// Prepare may change the application's config before it starts.
	Prepare func(*boot.Config)
	// Elsewhere, when set, starts the application in other processes, on
	// DatabaseURL and DataDir, which must then be given. They end with ctx; wait
	// returns when they have. site serves the pages; nil has this process serve
	// them, without workers.
	Elsewhere func(ctx context.Context, at Place) (site http.Handler, wait func(), err error)
	// Finished is called at the end, while the application still serves.
	Finished func(ctx context.Context, a *boot.App, op app.Operation, base string) error
}

// Place is where the processes of one rehearsal meet.
type Place struct {
	World       string // origin of the local world
	DatabaseURL string
	Blobs       string // folder
	PublicURL   string // of the site, whichever process serves it
}

// defaultStart is a J0 that keeps rehearsals the same from run to run.
var defaultStart = time.Date(2027, 1, 11, 9, 0, 0, 0, time.UTC)

func (p Plan) withDefaults() Plan {
	if p.Start.IsZero() {
		p.Start = defaultStart
	}
	if p.Cap == "" {
		p.Cap = "60"
	}
	if p.Envelope == "" {
		p.Envelope = "500"
	}
	if p.Script == nil {
		p.Script = &Script{}
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	return p
}

// end is where the clock stops: long after a takeover when no days were named.
func (p Plan) end() time.Time {
	days := 365
	if p.Days > 0 {
		days = p.Days
	}
	return p.Start.AddDate(0, 0, days)
}
