package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/paths"
)

// called is where a listener is reached, by the name that it was asked for:
// browsers keep passkeys for names only.
func called(asked string, at net.Addr) string {
	host, _, err := net.SplitHostPort(asked)
	_, port, failed := net.SplitHostPort(at.String())
	if err != nil || failed != nil || host == "" {
		return at.String()
	}
	return net.JoinHostPort(host, port)
}

// play starts the takeover, lets the clock run and works the queue.
func (l Live) play(ctx context.Context, w *World, clock *scaled, a *boot.App, base, invite string) error {
	if invite == "" {
		return app.Errorf(app.Invalid, "The database has accounts already: show a takeover on an empty one.")
	}
	t := &team{person: newPerson(base), world: w, app: a, script: l.Script, left: map[string]bool{}, ripe: patient(clock.Clock, l.Patience)}
	t.pause = func(ctx context.Context) { rest(ctx, l.undo()/2) }
	t.told = func(what, step string) {
		l.Say(fmt.Sprintf("  %s  your colleague %s %s", clock.Now().UTC().Format("Jan 02 15:04"), what, step))
	}
	op, err := l.begin(ctx, t, invite)
	if err != nil {
		return err
	}
	link, err := a.Invite(ctx)
	if err != nil {
		return err
	}
	clock.release()
	l.introduce(base, op.Slug, link, a.Config.DatabaseURL)
	for ctx.Err() == nil {
		if err := t.work(ctx, op.ID); err != nil && ctx.Err() == nil {
			l.Log.WarnContext(ctx, "the rehearsed team", "error", err)
		}
		rest(ctx, time.Second)
	}
	return nil
}

// begin has the team join, make the time to undo as long as it is meant for
// people, and start the takeover.
func (l Live) begin(ctx context.Context, t *team, invite string) (op app.Operation, err error) {
	if err := t.join(ctx, invite); err != nil {
		return op, err
	}
	undo := paths.Setting("validation.undo_s")
	simulated := time.Duration(float64(l.undo()) * l.Speed)
	if _, err := t.submit(ctx, paths.Settings(), undo, url.Values{"value": {fmt.Sprintf("%d min %d s", simulated/time.Minute, simulated%time.Minute/time.Second)}}); err != nil {
		return op, err
	}
	if err := t.connect(ctx); err != nil {
		return op, err
	}
	return t.begin(ctx, Plan{Cap: "60", Envelope: "500"})
}

// undo is how long (wall clock) a decision can be taken back: as long as
// without a world that runs faster, but not for more than half a day of its.
func (l Live) undo() time.Duration {
	return min(app.DefaultSettings().Undo, time.Duration(float64(12*time.Hour)/l.Speed))
}

// work is one look at what waits for the team.
func (t *team) work(ctx context.Context, operationID int64) error {
	err := t.applyApproved(ctx, operationID)
	_, failed := t.decide(ctx)
	return errors.Join(err, failed)
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// patient tells whether an output has been waiting long enough.
func patient(wall clockwork.Clock, patience time.Duration) func(app.Validation) bool {
	seen := make(map[string]time.Time)
	return func(v app.Validation) bool {
		first, known := seen[v.ID]
		if !known {
			first = wall.Now()
			seen[v.ID] = first
		}
		return wall.Since(first) >= patience
	}
}

func (l Live) introduce(base, slug, invite, database string) {
	l.Say("Vivra runs on its local world; nothing leaves this machine.")
	l.Say(fmt.Sprintf("  the public page   %s%s", base, paths.Operation(slug)))
	l.Say(fmt.Sprintf("  your admin link   %s%s (once, makes your account)", base, paths.Setup(invite)))
	l.Say(fmt.Sprintf("  the queue         %s%s: nothing is published before it is approved there", base, paths.Validations()))
	l.Say("                    " + l.whoDecides())
	l.Say(fmt.Sprintf("                    a decision can be taken back for %s before anything follows from it", l.undo().Round(time.Second/10)))
	l.Say(fmt.Sprintf("  speed             %.0f simulated seconds a second; a day takes %s", l.Speed, time.Duration(86400/l.Speed*float64(time.Second)).Round(time.Second)))
	how := "DATABASE_URL='" + database + "'"
	if l.DatabaseURL != "" {
		how = "DATABASE_URL=…" // it may have a password in it
	}
	l.Say("  play runs again   " + how + " VIVRA_PUBLIC_URL=" + base + " go run ./cmd/vivra replay --all")
	l.Say("  real services     copy .env.example, fill in what you have, then: go run ./cmd/vivra serve")
}

func (l Live) whoDecides() string {
	if l.Script.leavesAll() {
		return "you decide each output; the takeover waits for you"
	}
	return fmt.Sprintf("each output waits %s for you, then a rehearsed colleague decides, and tells here of more than an approval; --approve none leaves all to you", l.Patience)
}
