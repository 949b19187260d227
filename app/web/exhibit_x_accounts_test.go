package web_test

import (
	"context"
	"time"

	"vivra/app"
)

// ---- web.OnX, web.Connector

func (x *exhibit) AccountsOnX(context.Context) ([]app.XAccount, error) {
	at := func(d time.Duration) *time.Time { t := today.Add(d); return &t }
	failed, err := x.XConnection(context.Background(), "c2")
	return []app.XAccount{
		{Handle: "dodo_back", State: app.XConnected, UserID: "42", Scopes: []string{"tweet.read", "tweet.write", "users.read", "offline.access"},
			ConnectedAt: at(-9 * 24 * time.Hour), ConnectedBy: "ada", RenewedAt: at(-80 * time.Minute), ExpiresAt: at(40 * time.Minute),
			Operations: []app.XOperation{{ID: 1, Slug: "dodo", Symbol: "DODO", State: app.OperationRunning}},
			LastPost:   &app.XPost{At: today.Add(-10 * time.Minute), Link: "https://x.com/dodo_back/status/9"}, Waiting: 2, HeldUntil: at(20 * time.Minute)},
		{Handle: "ruff_dog", State: app.XNeedsReconnect, UserID: "43", Scopes: app.XScopes(), ConnectedAt: at(-40 * 24 * time.Hour), RenewedAt: at(-3 * time.Hour),
			Fault: "X answered 400 Bad Request: " + hostile, FaultSince: at(-time.Hour), Operations: []app.XOperation{{ID: 2, Slug: "ruff", Symbol: "RUFF\u202e", State: app.OperationPaused}},
			Waiting: 1, Held: "X no longer takes the tokens of @ruff_dog: connect the account again.", HeldUntil: at(5 * time.Minute), LastTry: &failed},
		{Handle: "a_long_name_15c", State: app.XDisconnected},
		{Handle: "new_one", Operations: []app.XOperation{{ID: 3, Slug: "new", Symbol: "NEW", State: app.OperationScheduled}},
			LastTry: &app.XConnection{ID: "c3", Handle: "new_one", By: "admin", StartedAt: today.Add(-time.Minute)}},
	}, err
}

func (x *exhibit) XConnection(_ context.Context, id string) (app.XConnection, error) {
	switch id {
	case "c1":
		return app.XConnection{ID: id, Handle: "dodo_back", By: "admin", StartedAt: today, Outcome: app.XJoined, Said: "@dodo_back is connected."}, x.down
	case "c2":
		return app.XConnection{ID: id, Handle: "ruff_dog", By: "admin", StartedAt: today.Add(-time.Minute), Outcome: app.XFailed, Said: "X led back with the error " + hostile}, x.down
	}
	return app.XConnection{}, app.Errorf(app.NotFound, "There is no such connection.")
}

func (x *exhibit) StartConnection(_ context.Context, handle string, by app.User, session string) (app.XConnection, string, error) {
	return app.XConnection{ID: "c4", Handle: handle, By: by.Name, StartedAt: today, Expires: today.Add(app.ConnectWithin)}, "https://x.example/i/oauth2/authorize?state=s",
		x.tell("connect %s by %s in %s", handle, by.Name, session)
}

func (x *exhibit) FinishConnection(_ context.Context, answer app.XAnswer, by app.User, session string) (string, error) {
	if answer.State != "s" {
		return "", app.Errorf(app.NotFound, "This answer of X belongs to nothing that was asked for here.")
	}
	return "c1", x.tell("connected with %s by %s in %s", answer.Code, by.Name, session)
}

func (x *exhibit) Disconnect(_ context.Context, handle string, by app.User) (string, error) {
	return "@" + handle + " is disconnected.", x.tell("disconnect %s by %s", handle, by.Name)
}
