package app

import (
	"slices"
	"time"
)

// XAccountState says how an account on X stands with us.
type XAccountState string

// The states of an account on X.
const (
	XNeverConnected XAccountState = ""
	XConnected      XAccountState = "connected"
	XNeedsReconnect XAccountState = "needs_reconnect" // X no longer takes its tokens
	XDisconnected   XAccountState = "disconnected"    // by the team; its tokens are forgotten
)

// XRenewBefore is how long before its end an access token is renewed.
const XRenewBefore = 5 * time.Minute

// XScopes are what an account must grant, in X's words.
func XScopes() []string {
	return []string{"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"}
}

// MissingXScopes are those that an account has not granted.
func MissingXScopes(granted []string) []string {
	return slices.DeleteFunc(XScopes(), func(scope string) bool { return slices.Contains(granted, scope) })
}

// XAccount is an account on X as the team sees it: nothing in it opens anything.
type XAccount struct {
	Handle string // without @
	State  XAccountState
	UserID string // the number that X knows it by
	Scopes []string

	ConnectedAt *time.Time
	ConnectedBy string
	RenewedAt   *time.Time // when X gave the token that is in use
	ExpiresAt   *time.Time // of that token
	Fault       string     // why the tokens can't be renewed, empty: they can
	FaultSince  *time.Time

	Operations []XOperation
	LastPost   *XPost
	Waiting    int        // calls that are approved and not sent yet
	Held       string     // why the first of them is not, as it was last tried; empty: its time has not come
	HeldUntil  *time.Time // when that one is tried again
	LastTry    *XConnection
}

// XOperation is an operation that speaks with an account.
type XOperation struct {
	ID           int64
	Slug, Symbol string
	State        OperationState
}

// XPost is a post that went out.
type XPost struct {
	At   time.Time
	Link string
}

// XOutcome is what became of somebody's setting out to connect an account.
type XOutcome string

// The outcomes. XUnanswered is one that X has not led back from, so far.
const (
	XUnanswered XOutcome = ""
	XJoined     XOutcome = "connected"
	XDenied     XOutcome = "denied" // at X, by whoever was signed in there
	XFailed     XOutcome = "failed"
)

// ConnectWithin is how long somebody may take at X.
const ConnectWithin = 10 * time.Minute

// XConnection is one time that somebody set out to connect an account.
type XConnection struct {
	ID        string // uuid
	Handle    string
	By        string
	StartedAt time.Time
	Expires   time.Time // wall clock
	Outcome   XOutcome
	Said      string // what happened and what to do, may quote text from outside
}

// XAnswer is what X leads back with.
type XAnswer struct {
	State string // proves that this was asked for
	Code  string
	Error string // X's word for why there is no code
}
