package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"vivra/app"
	"vivra/app/rehearsal/pagessim"
	"vivra/app/rehearsal/tgsim"
	"vivra/app/rehearsal/xsim"
)

// proveSent: what a person approved is what arrived, to the byte. The request
// of each call that is out is put together anew from what its local server has,
// and must be the one that was frozen when its draft was written.
func (r *rehearsal) proveSent(ctx context.Context, s *Summary, fault func(string, ...any)) error {
	all, err := r.app.Store.Effects(ctx, r.op.ID)
	if err != nil {
		return err
	}
	s.Matched = map[string]int{}
	there := r.world.arrivals(all)
	for _, e := range all {
		if e.State != app.EffectDone {
			continue
		}
		approved, err := r.approved(ctx, e)
		if err != nil {
			return err
		}
		arrived, err := r.arrived(ctx, e, approved, there)
		switch {
		case err != nil:
			fault("%s: what arrived of it can't be told: %v", e.Key, err)
		case arrived == nil:
		case !bytes.Equal(arrived, approved):
			fault("%s %s arrived as %s, but what was approved is %s", e.Kind, e.Key, arrived, approved)
		default:
			s.Matched[e.Kind]++
		}
	}
	return nil
}

// approved is the request of an effect as its validation has frozen it.
func (r *rehearsal) approved(ctx context.Context, e app.EffectStatus) (json.RawMessage, error) {
	v, err := r.app.Store.Validation(ctx, e.ValidationID)
	if err != nil {
		return nil, err
	}
	var frozen app.Frozen
	if err := json.Unmarshal(v.Frozen, &frozen); err != nil {
		return nil, fmt.Errorf("read what was approved of %s: %w", e.Key, err)
	}
	at := e.Position - len(frozen.Out)
	if app.SHA256Hex(v.Frozen) != v.FrozenSHA256 || at < 0 || at >= len(frozen.Calls) || frozen.Calls[at].Kind != e.Kind {
		return nil, fmt.Errorf("%s is no call of what was approved", e.Key)
	}
	return frozen.Calls[at].Request, nil
}

// arrivals are what the local servers have, by the numbers that they gave.
type arrivals struct {
	posts       map[string]xsim.Published
	messages    map[string]tgsim.Published
	polls       map[string]tgsim.PollState
	deployments map[string]pagessim.Deployed
	positions   map[string]int    // of effects, by validation and number
	last        map[string]string // key of the newest effect of each kind
}

func (w *World) arrivals(all []app.EffectStatus) arrivals {
	a := arrivals{map[string]xsim.Published{}, map[string]tgsim.Published{}, map[string]tgsim.PollState{}, map[string]pagessim.Deployed{}, map[string]int{}, map[string]string{}}
	for _, p := range w.X.Posts() {
		a.posts[p.ID] = p
	}
	for _, m := range w.Telegram.Published() {
		a.messages[strconv.FormatInt(m.MessageID, 10)] = m
	}
	for _, p := range w.Telegram.Polls() {
		a.polls[p.ID] = p
	}
	for _, d := range w.Pages.Deployments() {
		a.deployments[d.ID] = d
	}
	for _, e := range all {
		a.positions[e.ValidationID+e.ProviderID] = e.Position
		if e.State == app.EffectDone {
			a.last[e.Kind] = e.Key
		}
	}
	return a
}

// position is that of the effect which got a number from its server, -1 for none.
func (a arrivals) position(e app.EffectStatus, number string) int {
	if at, ok := a.positions[e.ValidationID+number]; ok && number != "" {
		return at
	}
	return -1
}
