package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/calendar"
	"vivra/app/live"
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
	// Progress is told each step that ended; nil tells nobody.
	Progress func(now time.Time, step app.Step)
	Lease    time.Duration
	Log      *slog.Logger
	// World, when set, is told the world once it is up.
	World func(*World)
	// Prepare may change the application's config before it starts.
	Prepare func(*boot.Config)
	// Finished is called at the end, while the application still serves.
	Finished func(ctx context.Context, a *boot.App, op app.Operation, base string) error
}

// DefaultStart is a J0 that keeps rehearsals the same from run to run.
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

// rehearsal is one run of a plan.
type rehearsal struct {
	Plan
	clock *clockwork.FakeClock
	world *World
	team  *team
	app   *boot.App
	op    app.Operation
	base  string
	seen  map[string]app.StepState
}

// Rehearse runs a takeover on the local world with a simulated clock, headless.
func Rehearse(ctx context.Context, p Plan) (sum Summary, err error) {
	p = p.withDefaults()
	wall := clockwork.NewRealClock()
	began := wall.Now()
	r := &rehearsal{Plan: p, clock: clockwork.NewFakeClockAt(p.Start), seen: map[string]app.StepState{}}
	if r.world, err = Start(Options{Seed: p.Seed, Start: p.Start, Clock: r.clock, DeployerShare: p.DeployerShare}); err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, r.world.Close()) }()
	if p.World != nil {
		p.World(r.world)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready, stopped, err := r.boot(ctx)
	if err != nil {
		return sum, err
	}
	select {
	case invite := <-ready:
		sum, err = r.run(ctx, invite)
		sum.WallMS = wall.Since(began).Milliseconds()
	case err = <-stopped:
		return sum, errors.Join(err, errors.New("the application stopped before it was ready"))
	}
	cancel()
	return sum, errors.Join(err, <-stopped)
}

// boot starts the application in this process.
func (r *rehearsal) boot(ctx context.Context) (ready chan string, stopped chan error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, fmt.Errorf("listen: %w", err)
	}
	r.base = "http://" + l.Addr().String()
	cfg := r.world.Config()
	cfg.Listener, cfg.PublicURL, cfg.DatabaseURL, cfg.Lease = l, r.base, r.DatabaseURL, r.Lease
	cfg.BlobURL = "mem://"
	if r.DataDir != "" {
		cfg.BlobURL = "file://" + r.DataDir
	}
	if r.Prepare != nil {
		r.Prepare(&cfg)
	}
	ready, stopped = make(chan string, 1), make(chan error, 1)
	cfg.Ready = func(a *boot.App, invite string) { r.app = a; ready <- invite }
	go func() { stopped <- boot.Serve(ctx, cfg, r.Log) }()
	return ready, stopped, nil
}

func (r *rehearsal) run(ctx context.Context, invite string) (Summary, error) {
	r.team = &team{person: newPerson(r.base), world: r.world, app: r.app, script: r.Script, left: map[string]bool{}}
	if err := r.team.join(ctx, invite); err != nil {
		return Summary{}, err
	}
	if err := r.team.connect(ctx); err != nil {
		return Summary{}, err
	}
	op, err := r.team.begin(ctx, r.Plan)
	if err != nil {
		return Summary{}, err
	}
	r.op = op
	if err := r.live(ctx); err != nil {
		return Summary{}, err
	}
	sum, err := r.summary(ctx)
	if err == nil && r.Finished != nil {
		err = r.Finished(ctx, r.app, r.op, r.base)
	}
	return sum, err
}

// live turns the clock: nothing is left to do at an instant before the next
// one begins.
func (r *rehearsal) live(ctx context.Context) error {
	changes, stop := r.app.Hub.Subscribe(live.Operation(r.op.ID))
	defer stop()
	end := r.Start.AddDate(0, 0, 365)
	if r.Days > 0 {
		end = r.Start.AddDate(0, 0, r.Days)
	}
	for {
		quiet, err := r.quiet(ctx)
		if err != nil {
			return err
		}
		if !quiet {
			if err := wait(ctx, changes); err != nil {
				return err
			}
			continue
		}
		over, err := r.turn(ctx, end)
		if err != nil || over {
			return err
		}
	}
}

// wait waits for a change, or a moment.
func wait(ctx context.Context, changes <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changes:
	case <-time.After(20 * time.Millisecond):
	}
	return nil
}

// quiet tells whether nothing can happen any more at this instant. The order
// matters: once no worker is at work, only a tick can start something, which
// the steps then show; once they show nothing, only the team can bring news.
func (r *rehearsal) quiet(ctx context.Context) (bool, error) {
	now := r.clock.Now()
	busy, err := r.app.Store.Busy(ctx, now)
	if err != nil {
		return false, err
	}
	if busy {
		_, err := r.team.decide(ctx) // while others work
		return false, err
	}
	if r.op, err = r.app.Store.Operation(ctx, r.op.ID); err != nil {
		return false, err
	}
	if r.op.State == app.OperationScheduled && !r.op.J0.After(now) {
		return false, nil
	}
	steps, err := r.app.Store.Steps(ctx, r.op.ID)
	if err != nil {
		return false, err
	}
	r.report(steps)
	running := slices.ContainsFunc(steps, func(s app.Step) bool { return s.State == app.StepRunning })
	if running || r.op.State == app.OperationRunning && len(calendar.Plan(steps, now)) > 0 {
		return false, nil
	}
	decided, err := r.team.decide(ctx)
	return decided == 0, err
}

func (r *rehearsal) report(steps []app.Step) {
	for _, s := range steps {
		if before := r.seen[s.Key]; before != s.State && s.State.Final() {
			r.seen[s.Key] = s.State
			if r.Progress != nil {
				r.Progress(r.clock.Now(), s)
			}
		}
	}
}

// turn moves the clock to the next instant, or says that the takeover is over.
func (r *rehearsal) turn(ctx context.Context, end time.Time) (over bool, err error) {
	if r.op.State.Final() {
		return true, nil
	}
	settings, err := r.app.Store.Settings(ctx)
	if err != nil {
		return false, err
	}
	now := r.clock.Now()
	next, err := r.app.Store.NextInstant(ctx, now, settings.OverdueAfter)
	if err != nil || next == nil || next.After(end) {
		return true, err
	}
	r.clock.Advance(next.Sub(now))
	err = r.world.Advance(ctx)
	r.app.Wake()
	return false, err
}
