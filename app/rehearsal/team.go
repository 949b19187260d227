package rehearsal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/effects"
	"vivra/app/paths"
	"vivra/app/x"
)

// team plays the people: it joins by the one-time link, connects the account
// on X, starts the takeover by its form and works the queue by its forms.
type team struct {
	*person
	world  *World
	app    *boot.App
	script *Script
	left   map[string]bool // outputs that the script leaves alone
	// ripe, when set, tells whether an output may be decided yet.
	ripe func(app.Validation) bool
}

// Name and Password of the account that the rehearsal makes.
const (
	Name     = "rehearsal"
	Password = "a rehearsal is public"
)

// join creates the first account, or signs in when there is one already.
func (t *team) join(ctx context.Context, invite string) error {
	if invite == "" {
		_, err := t.submit(ctx, paths.SignIn(), paths.SignIn(), map[string]string{"name": Name, "password": Password})
		return err
	}
	_, err := t.submit(ctx, paths.Setup(invite), paths.Setup(invite), map[string]string{"name": Name, "password": Password})
	return err
}

// connect gives the application the tokens that the account's owner granted.
func (t *team) connect(ctx context.Context) error {
	return t.app.Desk.ConnectX(ctx, XHandle, xAccountID, x.Token{AccessToken: xAccess, RefreshToken: xRefresh,
		Scopes: []string{"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"}, ExpiresAt: t.world.clock.Now().Add(7200e9)})
}

// begin starts the takeover by the admin's form.
func (t *team) begin(ctx context.Context, o Plan) (app.Operation, error) {
	_, err := t.submit(ctx, paths.NewOperation(), paths.AdminOperations(), map[string]string{
		"chain_id": fmt.Sprint(t.world.Chain.Ref().ChainID), "address": t.world.Chain.Token().Hex(), "cap": o.Cap, "envelope": o.Envelope,
		"x_handle": XHandle, "telegram_chat": ChatID()})
	if err != nil {
		return app.Operation{}, err
	}
	ops, err := t.app.Store.Operations(ctx)
	if err != nil || len(ops) == 0 {
		return app.Operation{}, errors.Join(err, errors.New("no operation was started"))
	}
	return ops[0].Operation, nil
}

// act does what waits for the team, and returns how much that was.
func (t *team) act(ctx context.Context, op app.Operation) (int, error) {
	if op.State.Final() {
		return 0, nil
	}
	settled, err := t.settle(ctx, op)
	if err != nil {
		return 0, err
	}
	decided, err := t.decide(ctx)
	return settled + decided, err
}

// decide takes every pending output in hand that the script does not leave
// alone, and returns how many were decided.
func (t *team) decide(ctx context.Context) (int, error) {
	pending, err := t.app.Store.PendingValidations(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, v := range pending {
		if t.left[v.ID] || t.ripe != nil && !t.ripe(v) {
			continue
		}
		d := t.script.on(v.StepKey)
		switch d.Decide {
		case "leave":
			t.left[v.ID] = true
			continue
		case "reject":
			_, err = t.submit(ctx, paths.Validation(v.ID), paths.ValidationRejection(v.ID), map[string]string{"reason": d.Reason})
		default:
			err = t.approve(ctx, v)
		}
		if err != nil {
			return n, fmt.Errorf("%s %s: %w", d.Decide, v.StepKey, err)
		}
		n++
	}
	return n, nil
}

// settle looks for what nobody knows to have gone out, where it would be, and
// says on the operation's page whether it is there.
func (t *team) settle(ctx context.Context, op app.Operation) (n int, err error) {
	all, err := t.app.Store.Effects(ctx, op.ID)
	if err != nil {
		return 0, err
	}
	for _, e := range all {
		if e.State != app.EffectUnknown || !e.NotBefore.After(t.world.clock.Now()) {
			continue // known, or still looked for by the application
		}
		fields := map[string]string{"sent": "no"}
		if link := t.world.messageLink(e.Request); link != "" {
			fields = map[string]string{"sent": "yes", "link": link}
		}
		if _, err := t.submit(ctx, paths.AdminOperation(op.Slug), paths.EffectSettlement(e.ID), fields); err != nil {
			return n, fmt.Errorf("settle %s: %w", e.Key, err)
		}
		n++
	}
	return n, nil
}

// approve does by hand what has to be done by hand, then approves.
func (t *team) approve(ctx context.Context, v app.Validation) error {
	fields := map[string]string{}
	switch v.Kind {
	case app.KindProfile:
		if err := t.applyProfile(ctx, v.Payload); err != nil {
			return err
		}
	case app.KindDossier:
		fields["receipt_url"] = "https://venue.example/receipts/dodo"
	}
	_, err := t.submit(ctx, paths.Validation(v.ID), paths.ValidationApproval(v.ID), fields)
	return err
}

// round is one look at the queue.
func (t *team) round(ctx context.Context) error {
	_, err := t.decide(ctx)
	return err
}

// applyApproved enters the profiles on X that somebody else approved: a visitor
// of the rehearsal can't edit the local account by hand.
func (t *team) applyApproved(ctx context.Context, operationID int64) error {
	all, err := t.app.Store.Effects(ctx, operationID)
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.Kind == effects.XProfile && e.State == app.EffectIntent && e.Attempt > 0 {
			if err := t.applyProfile(ctx, e.Request); err != nil {
				return err
			}
		}
	}
	return nil
}

// applyProfile enters the checklist's values on X, as a person does.
func (t *team) applyProfile(ctx context.Context, payload json.RawMessage) error {
	var p app.ProfilePayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	var picture []byte
	if p.Picture.SHA256 != "" {
		var err error
		if picture, _, err = t.app.Desk.AssetFile(ctx, p.Picture.SHA256); err != nil {
			return err
		}
	}
	return t.world.X.ApplyProfile(xAccountID, p.Name, p.Bio, p.URL, picture)
}
