package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/paths"
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
	// pause is between a decision and taking it back; nil is none.
	pause func(context.Context)
	// told, when set, hears of what is more than an approval.
	told func(what, step string)
}

// Name and Password of the account that the rehearsal makes.
const (
	Name     = "rehearsal"
	Password = "a rehearsal is public"
)

// join creates the first account, or signs in when there is one already.
func (t *team) join(ctx context.Context, invite string) error {
	if invite == "" {
		_, err := t.submit(ctx, paths.SignIn(), paths.SignIn(), url.Values{"name": {Name}, "password": {Password}})
		return err
	}
	_, err := t.submit(ctx, paths.Setup(invite), paths.Setup(invite), url.Values{"name": {Name}, "password": {Password}})
	return err
}

// connect sets out to connect the account on X, and consents there.
func (t *team) connect(ctx context.Context) error {
	t.world.X.Callback(t.base + paths.XCallback())
	doc, err := t.submit(ctx, paths.XAccounts(), paths.XConnections(), url.Values{"handle": {XHandle}})
	if err != nil {
		return err
	}
	consent := url.Values{"account": {XHandle}, "decision": {"allow"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, doc.Find("main a.go").AttrOr("href", ""), strings.NewReader(consent.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if doc, err = t.read(req); err != nil {
		return err
	}
	if doc.Find("main [role=status]").Length() == 0 {
		return fmt.Errorf("the account on X was not connected: %s", doc.Find("main [role=alert]").Text())
	}
	return nil
}

// begin starts the takeover by the admin's form.
func (t *team) begin(ctx context.Context, o Plan) (app.Operation, error) {
	_, err := t.submit(ctx, paths.NewOperation(), paths.AdminOperations(), url.Values{
		"chain_id": {fmt.Sprint(t.world.Chain.Ref().ChainID)}, "address": {t.world.Chain.Token().Hex()}, "cap": {o.Cap}, "envelope": {o.Envelope},
		"x_handle": {XHandle}, "telegram_chat": {ChatID()}})
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
	connected, err := t.reconnect(ctx)
	if err != nil {
		return 0, err
	}
	settled, err := t.settle(ctx, op)
	if err != nil {
		return 0, err
	}
	decided, err := t.decide(ctx)
	return connected + settled + decided, err
}

// reconnect connects the account anew when X no longer takes its tokens: a
// process may have died between their renewal and the keeping of it.
func (t *team) reconnect(ctx context.Context) (int, error) {
	a, err := t.app.Store.XAccount(ctx, XHandle)
	if app.KindOf(err) == app.NotFound || err == nil && !a.NeedsReconnect {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if t.told != nil {
		t.told("connected the account again", "@"+XHandle)
	}
	return 1, t.connect(ctx)
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
		fields := url.Values{"sent": {"no"}}
		if link := t.world.messageLink(e.Request); link != "" {
			fields = url.Values{"sent": {"yes"}, "link": {link}}
		}
		if _, err := t.submit(ctx, paths.AdminOperation(op.Slug), paths.EffectSettlement(e.ID), fields); err != nil {
			return n, fmt.Errorf("settle %s: %w", e.Key, err)
		}
		n++
	}
	return n, nil
}
