package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres"
)

// attempt is an effect in the hands of this process.
type attempt struct {
	app.Effect
	until time.Time // wall clock: then another process looks after it
	given *given
}

// inTime tells whether the attempt is still ours: a process that was suspended
// must send nothing when it wakes up.
func (o *Orchestrator) inTime(a attempt) error {
	if o.Wall.Now().Before(a.until) {
		return nil
	}
	return &notYet{cause: errors.New("the process slept past its lease before it sent anything"), wait: tryAgain}
}

// send makes the one call of an effect, out of its frozen request.
func (o *Orchestrator) send(ctx context.Context, a attempt) (postgres.Sent, error) {
	if err := o.inTime(a); err != nil {
		return postgres.Sent{}, err
	}
	switch a.Kind {
	case effects.XPost:
		return with(a.Effect, func(p effects.Post) (postgres.Sent, error) { return o.sendPost(ctx, a, p) })
	case effects.XProfile:
		return with(a.Effect, func(p app.ProfilePayload) (postgres.Sent, error) { return o.readBack(ctx, a.Effect, p) })
	case effects.TGTitle:
		return with(a.Effect, func(p effects.Title) (postgres.Sent, error) {
			return said(named), o.Desk.Telegram.SetTitle(ctx, p.Chat, p.Title)
		})
	case effects.TGDescribe:
		return with(a.Effect, func(p effects.Description) (postgres.Sent, error) {
			return said(described), o.Desk.Telegram.SetDescription(ctx, p.Chat, p.Description)
		})
	case effects.TGMessage:
		return with(a.Effect, func(p effects.Message) (postgres.Sent, error) { return o.sendMessage(ctx, p) })
	case effects.TGPin:
		return with(a.Effect, func(p effects.Pin) (postgres.Sent, error) { return o.pin(ctx, a.Effect, p) })
	case effects.TGPoll:
		return with(a.Effect, func(p effects.Poll) (postgres.Sent, error) { return o.sendPoll(ctx, p) })
	case effects.SiteDeploy:
		return with(a.Effect, func(p app.SitePayload) (postgres.Sent, error) { return o.deploySite(ctx, a, p) })
	case effects.UtilDeploy:
		return with(a.Effect, func(p app.UtilityPayload) (postgres.Sent, error) { return o.deployUtility(ctx, a, p) })
	}
	return postgres.Sent{}, unknownKind(a.Kind)
}

// with reads an effect's request into the type that its kind has.
func with[T any](e app.Effect, fn func(T) (postgres.Sent, error)) (postgres.Sent, error) {
	var p T
	if err := json.Unmarshal(e.Request, &p); err != nil {
		return postgres.Sent{}, fmt.Errorf("read request: %w", err)
	}
	return fn(p)
}

// What the log says of a group that shows what was approved.
const (
	named       = "Named the Telegram group"
	described   = "Described the Telegram group"
	pinnedThere = "Pinned the official address in the Telegram group"
)

func said(summary string) postgres.Sent {
	return postgres.Sent{Summary: summary, Receipt: map[string]string{}}
}

// answered returns what the effect at a position was given as its number by the
// platform, nothing for a negative position.
func (o *Orchestrator) answered(ctx context.Context, e app.Effect, position int) (string, error) {
	if position < 0 {
		return "", nil
	}
	ids, err := o.Store.ProviderIDs(ctx, e.ValidationID)
	if err != nil || ids[position] != "" {
		return ids[position], err
	}
	// It may have gone out under an earlier approval.
	f, _, err := o.bound(ctx, e)
	if err != nil {
		return "", err
	}
	if position >= len(f.Out) || f.Out[position].ProviderID == "" {
		return "", fmt.Errorf("what stands at position %d has no number", position)
	}
	return f.Out[position].ProviderID, nil
}
