package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/calendar"
	"vivra/app/paths"
	"vivra/app/postgres"
	"vivra/app/preflight"
	"vivra/app/x"
)

var xHandle = regexp.MustCompile(`^[A-Za-z0-9_]{1,15}$`)

// StartConnection sets out to connect an account: it returns the address of the
// page on X where its owner is asked. What X leads back with is believed once,
// when the same session brings it.
func (d *Desk) StartConnection(ctx context.Context, handle string, by app.User, session string) (app.XConnection, string, error) {
	handle = strings.TrimPrefix(strings.TrimSpace(handle), "@")
	if !xHandle.MatchString(handle) {
		return app.XConnection{}, "", app.Errorf(app.Invalid, "A name on X has 1 to 15 letters, digits and underscores. Nothing was changed.")
	}
	handle, err := d.Store.XSpelling(ctx, handle)
	if err != nil {
		return app.XConnection{}, "", err
	}
	a := x.NewAuthorization(d.Callback())
	c := app.XConnection{Handle: handle, By: by.Name, StartedAt: d.Clock.Now().UTC(), Expires: d.wall().Add(app.ConnectWithin).UTC()}
	c.ID, err = d.Store.StartXConnection(ctx, postgres.NewXConnection{Handle: handle, Session: session, State: a.State,
		VerifierSealed: d.Seal.Seal(a.Verifier, purpose("verifier", a.State)), Expires: c.Expires}, by, c.StartedAt)
	return c, d.X.AuthorizeURL(a), err
}

// Callback is where X leads back to.
func (d *Desk) Callback() string { return d.PublicURL + paths.XCallback() }

func (d *Desk) wall() time.Time {
	if d.Wall != nil {
		return d.Wall.Now()
	}
	return d.Clock.Now()
}

// FinishConnection takes what X led back with, and returns the id of the
// connection that it belongs to. What became of that is kept with it. An error
// means that nothing was changed by the answer.
func (d *Desk) FinishConnection(ctx context.Context, answer app.XAnswer, by app.User, session string) (id string, err error) {
	id, handle, sealed, err := d.Store.TakeXConnection(ctx, answer.State, session, d.wall(), d.Clock.Now())
	if err != nil {
		return id, err
	}
	// Who leaves the page while X is asked must leave no tokens behind that
	// nobody has.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 4*answerWithin)
	defer cancel()
	if answer.Code == "" {
		return id, d.Store.EndXConnection(ctx, id, denial(answer), denied(answer))
	}
	verifier, err := d.Seal.Open(sealed, purpose("verifier", answer.State))
	if err != nil {
		return id, err
	}
	said, err := d.connect(ctx, joining{id, handle, by}, answer.Code, x.Authorization{RedirectURI: d.Callback(), State: answer.State, Verifier: verifier})
	if said != "" {
		err = errors.Join(err, d.Store.EndXConnection(ctx, id, app.XFailed, said))
	}
	return id, err
}

// joining is an account that is about to be connected.
type joining struct {
	connection, handle string
	by                 app.User
}

// connect brings the tokens of the code home, when they are those of the
// account. Otherwise it says what to do, and nothing is kept.
func (d *Desk) connect(ctx context.Context, j joining, code string, a x.Authorization) (said string, err error) {
	payer, slug, err := d.Store.OperationOfAccount(ctx, j.handle, preflight.ReadPrice(app.ReadUser))
	if err != nil {
		return "", err
	}
	token, err := d.exchange(ctx, code, a)
	if err != nil {
		return exchangeFailed(err), nil
	}
	me, err := d.owner(ctx, payer, token)
	switch {
	case errors.As(err, new(*app.BudgetError)):
		return fmt.Sprintf("The cap of %s is used up, and X is paid for saying whose tokens these are. %s Raise the cap, then press Connect again.", slug, d.revoked(ctx, token)), nil
	case err != nil:
		return "X gave us tokens, but did not say of which account: " + fault(err) + ". " + d.revoked(ctx, token) + " Press Connect again.", nil
	case !strings.EqualFold(me.Username, j.handle):
		return fmt.Sprintf("X was signed in as @%s, and not as @%s. %s Sign in to X as @%s, then press Connect again.", me.Username, j.handle, d.revoked(ctx, token), j.handle), nil
	case token.RefreshToken == "":
		return "X gave no token that lasts: offline.access was not granted. " + d.revoked(ctx, token) + " Look at what the application may do in X's developer console, then press Connect again.", nil
	}
	now := d.Clock.Now()
	before, err := d.Store.XAccount(ctx, j.handle)
	if err != nil && app.KindOf(err) != app.NotFound {
		return "", err
	}
	account := d.sealed(postgres.XAccount{Handle: cmp.Or(before.Handle, j.handle), UserID: me.ID, ConnectedAt: &now, ConnectedBy: j.by.Name}, token)
	if err := d.Store.ConnectXAccount(ctx, j.connection, account, connected(before, account), j.by, now); err != nil {
		return "The database did not take the tokens. " + d.revoked(ctx, token) + " Press Connect again.", err
	}
	return "", nil
}

// owner asks X whose a token is, at the expense of the operation that speaks with
// the account. An account that none speaks with yet is asked for all the same:
// there is no budget that this could be booked on, and it is asked for once.
func (d *Desk) owner(ctx context.Context, payer int64, token x.Token) (app.Profile, error) {
	if payer == 0 {
		return d.X.Me(ctx, token.AccessToken)
	}
	return d.Me(ctx, agent.Scope{OperationID: payer, Agent: calendar.System}, Account{AccessToken: token.AccessToken})
}

func (d *Desk) exchange(ctx context.Context, code string, a x.Authorization) (x.Token, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return d.X.Exchange(ctx, code, a, d.Clock.Now())
}

// revoked has X forget tokens that are not kept, and says whether it has.
func (d *Desk) revoked(ctx context.Context, token x.Token) string {
	if err := d.revoke(ctx, token.RefreshToken, token.AccessToken); err != nil {
		return "Nothing was kept, but X did not take the tokens back (" + fault(err) + "): remove the application in the settings of that account."
	}
	return "Nothing was kept, and X has taken the tokens back."
}

// revoke has X forget a pair; with the refresh token ends what it stands for.
func (d *Desk) revoke(ctx context.Context, refresh, access string) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	var faults []error
	if refresh != "" {
		faults = append(faults, d.X.Revoke(ctx, refresh, x.RefreshToken))
	}
	return errors.Join(append(faults, d.X.Revoke(ctx, access, x.AccessToken))...)
}

// Disconnect forgets an account's tokens and has X forget them. It says what
// remains to be done by hand.
func (d *Desk) Disconnect(ctx context.Context, handle string, by app.User) (said string, err error) {
	was, err := d.Store.DisconnectXAccount(ctx, handle, by, d.Clock.Now())
	if err != nil {
		return "", err
	}
	refresh, err := d.Seal.Open(was.RefreshSealed, purpose("refresh", was.Handle))
	access, err2 := d.Seal.Open(was.AccessSealed, purpose("access", was.Handle))
	if err = errors.Join(err, err2); err == nil {
		err = d.revoke(context.WithoutCancel(ctx), refresh, access)
	}
	if err != nil {
		return fmt.Sprintf("@%s is disconnected and its tokens are forgotten here, but X did not take them back (%s). Remove the application in the settings of the account, under Security and account access.", was.Handle, fault(err)), nil
	}
	return fmt.Sprintf("@%s is disconnected: its tokens are forgotten here, and X has taken them back.", was.Handle), nil
}
