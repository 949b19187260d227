package admin

import (
	"strings"
	"time"

	"vivra/app"
	"vivra/views/layout"
	"vivra/views/ui"
)

// XAccounts is the page of the accounts on X.
type XAccounts struct {
	layout.Team
	All      []app.XAccount
	Tried    *app.XConnection // that X has just led back from
	Notice   string           // what was done just now
	Problem  string
	Handle   string // what was entered, to be corrected
	Callback string // where X leads back to
	Off      bool   // X does not know us
	Now      time.Time
}

// XConnecting is the page from which somebody goes on to X.
type XConnecting struct {
	layout.Team
	Connection app.XConnection
	Address    string
}

// triedWell tells whether the connection that X led back from is there.
func (m XAccounts) triedWell() bool { return m.Tried.Outcome == app.XJoined }

// scopeWords say what an account grants.
func scopeWords(scopes []string) string {
	if len(scopes) == 0 {
		return "nothing"
	}
	words := make([]string, len(scopes))
	for i, scope := range scopes {
		words[i] = scopeWord(scope)
	}
	return strings.Join(words, ", ")
}

func scopeWord(scope string) string {
	switch scope {
	case "tweet.read":
		return "read posts"
	case "tweet.write":
		return "write posts"
	case "users.read":
		return "read profiles"
	case "media.write":
		return "upload pictures"
	case "offline.access":
		return "stay connected"
	}
	return scope
}

// lacking says what can't be done for want of a scope.
func lacking(scope string) string {
	switch scope {
	case "tweet.read":
		return "Posts can't be read, so nobody can tell what went out."
	case "tweet.write":
		return "Nothing can be posted."
	case "users.read":
		return "The profile can't be read back."
	case "media.write":
		return "Posts with a picture are refused."
	case "offline.access":
		return "The connection ends after two hours."
	}
	return scope
}

func xStateWord(s app.XAccountState) string {
	switch s {
	case app.XConnected:
		return "connected"
	case app.XNeedsReconnect:
		return "must be connected again"
	case app.XDisconnected:
		return "disconnected"
	}
	return "not connected yet"
}

func xTone(s app.XAccountState) string {
	switch s {
	case app.XConnected:
		return "live"
	case app.XNeedsReconnect:
		return "bad"
	}
	return "off"
}

// joined tells whether somebody connected the account and nobody took that back.
func joined(s app.XAccountState) bool { return s == app.XConnected || s == app.XNeedsReconnect }

// xMeaning says what the state of an account means for what waits.
func xMeaning(a app.XAccount) string {
	waits := "What is approved for it waits until then; nothing is lost."
	if gone(a) {
		waits = ""
	}
	switch {
	case a.State == app.XNeedsReconnect:
		return "X no longer takes its tokens. Connect it again. " + waits
	case a.State == app.XDisconnected:
		return "The team has disconnected it, and its tokens are forgotten. " + waits
	case a.State == app.XNeverConnected:
		return "Nobody has connected it yet. " + waits
	case a.Fault != "":
		return "X does not renew its token at the moment. It is asked again by itself when the account is needed."
	}
	return ""
}

// connectWord names what the button does.
func connectWord(s app.XAccountState) string {
	if s == app.XNeverConnected {
		return "Connect"
	}
	return "Connect again"
}

// gone tells whether no operation needs the account any more.
func gone(a app.XAccount) bool {
	for _, o := range a.Operations {
		if !o.State.Final() {
			return false
		}
	}
	return true
}

// xWaiting says how much waits for the account.
func xWaiting(a app.XAccount) string {
	if a.Waiting == 0 {
		return "nothing"
	}
	return ui.Count(a.Waiting, "call", "calls")
}

// heldWords say why the first of what waits has not gone out.
func heldWords(a app.XAccount, now time.Time) string {
	switch {
	case a.Held != "":
		return a.Held
	case a.HeldUntil != nil && a.HeldUntil.After(now):
		return "its time has not come: two publications of an account keep a distance"
	}
	return "it goes out now"
}

// tryWords say what became of somebody's setting out to connect an account.
func tryWords(c app.XConnection) string {
	if c.Said == "" {
		return "X has not led back from that so far."
	}
	return c.Said
}
