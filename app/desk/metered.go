package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/calendar"
	"vivra/app/preflight"
	"vivra/app/telemetry"
	"vivra/app/x"
)

const (
	// readLease is how long whoever reads is not taken for dead, unless the desk
	// says otherwise.
	readLease = time.Minute
	// firstLook is how many posts the first page asks for: mostly there are few
	// new ones, and the bound of a look is what a lost answer costs.
	firstLook = 20
)

// The points of a read that Desk.Reached is told.
const (
	ReadReserved = "read_reserved" // its bound is held back, X has not been asked
	ReadAnswered = "read_answered" // X has answered, nothing is booked
)

// ForPublication is the scope of what is read to carry out, or to find, what was
// approved: an agent's share does not refuse it.
func ForPublication(e app.Effect) agent.Scope {
	return agent.Scope{OperationID: e.OperationID, StepKey: e.StepKey, Agent: calendar.System}
}

// request is a read of that many pieces, paid for by whom the scope names. What
// the system does is not refused by a share.
func request(s agent.Scope, kind app.ReadKind, least, most int) app.ReadRequest {
	return app.ReadRequest{OperationID: s.OperationID, Agent: s.Agent, Step: s.StepKey, Kind: kind, Least: least, Most: most,
		Price: preflight.ReadPrice(kind), Forced: s.Agent == calendar.System}
}

// metered has an operation pay for one read: the most that it can cost is held
// back, read asks for that many pieces and returns the ids of those that came,
// and what they cost is booked, or all that was held back when nobody knows
// what X has sent.
func (d *Desk) metered(ctx context.Context, r app.ReadRequest, read func(ctx context.Context, most int) (came []string, err error)) error {
	lease := cmp.Or(d.Lease, readLease)
	grant, err := d.Store.ReserveRead(ctx, r, d.Clock.Now(), d.wall().Add(lease))
	if err != nil {
		telemetry.Refused(ctx, err)
		return fmt.Errorf("pay for a read of X: %w", err)
	}
	d.reached(ReadReserved)
	call, cancel := context.WithTimeout(ctx, lease*3/4)
	came, err := tried(func() ([]string, error) { return read(call, grant.Most) })
	cancel()
	d.reached(ReadAnswered)
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if x.Unbilled(err) {
		came = nil
	} else if err != nil && app.KindOf(err) != app.NotFound {
		return errors.Join(err, d.Store.LoseRead(settle, r.OperationID, grant.ID, d.Clock.Now()))
	}
	return errors.Join(err, d.Store.SettleRead(settle, r.OperationID, grant.ID, came, d.Clock.Now()))
}

// tried runs fn; when it blows up, nobody knows what X has sent.
func tried(fn func() ([]string, error)) (came []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a read of X panicked: %v", p)
		}
	}()
	return fn()
}

// one pays for a single piece: read names it when it came, or may have come.
func (d *Desk) one(ctx context.Context, s agent.Scope, kind app.ReadKind, read func(ctx context.Context) (id string, err error)) error {
	return d.metered(ctx, request(s, kind, 1, 1), func(ctx context.Context, _ int) ([]string, error) {
		id, err := read(ctx)
		if id == "" {
			return nil, err
		}
		return []string{id}, err
	})
}

// page pays for one page of posts.
func (d *Desk) page(ctx context.Context, s agent.Scope, w x.Window, read func(context.Context, x.Window) (x.Page, error)) (got x.Page, err error) {
	err = d.metered(ctx, request(s, app.ReadPost, x.FewestPosts, w.Most), func(ctx context.Context, most int) ([]string, error) {
		w.Most = most
		if got, err = read(ctx, w); err != nil {
			return nil, err
		}
		return idsOf(got.Posts), nil
	})
	return got, err
}

func idsOf(posts []app.Post) []string {
	ids := make([]string, len(posts))
	for i, p := range posts {
		ids[i] = p.ID
	}
	return ids
}
