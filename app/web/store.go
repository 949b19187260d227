package web

import (
	"context"
	"encoding/json"
	"time"

	"github.com/alexedwards/scs/v2"

	"vivra/app"
)

// Store is the database as the pages need it.
type Store interface {
	Reads
	Money
	Rules
	Decisions
	Attention
	Controls
	Accounts
	OnX
	Ping(ctx context.Context) error
}

// Reads is what the pages show.
type Reads interface {
	Operations(ctx context.Context) ([]app.OperationSummary, error)
	OperationBySlug(ctx context.Context, slug string) (app.Operation, error)
	Steps(ctx context.Context, operationID int64) ([]app.Step, error)
	StepsBeside(ctx context.Context, operationID int64, most int) (app.StepsBeside, error)
	Events(ctx context.Context, operationID, before int64, limit int) ([]app.Event, error)
	EventsAfter(ctx context.Context, operationID, after int64, limit int) ([]app.Event, error)
	// EventsOf are those of an agent and a kind, empty: of any.
	EventsOf(ctx context.Context, operationID, before int64, agent, kind string, limit int) ([]app.Event, error)
	Publications(ctx context.Context, operationID int64) ([]app.Publication, error)
	MetricsHistory(ctx context.Context, operationID int64) ([]app.Metrics, error)
	WaitingFor(ctx context.Context, operationID int64) (app.Waiting, error)
	// Candidates are those of a state, "" any, the best score first.
	Candidates(ctx context.Context, state app.CandidateState, skip, most int) ([]app.CandidateSummary, error)
	Candidate(ctx context.Context, ref app.TokenRef) (app.Candidate, error)
	// TokenReading is what was last read of a token, and when.
	TokenReading(ctx context.Context, ref app.TokenRef, kind app.ReadingKind) (json.RawMessage, time.Time, error)
	// MetricsOfToken are its newest measurements since an instant, oldest first.
	MetricsOfToken(ctx context.Context, ref app.TokenRef, since time.Time, most int) ([]app.Metrics, error)
	// QueueWindow is at most size waiting outputs around one, "" the oldest.
	QueueWindow(ctx context.Context, around string, size int) (app.QueueWindow, error)
	// QueueCount is how many outputs wait.
	QueueCount(ctx context.Context) (int, error)
	// WaitingOf are an operation's waiting outputs.
	WaitingOf(ctx context.Context, operationID int64) ([]app.QueueItem, error)
	// Batches is how many waiting outputs of each kind can be approved together.
	Batches(ctx context.Context) (map[app.ValidationKind]int, error)
	// Batch are the oldest of them, whole.
	Batch(ctx context.Context, kind app.ValidationKind, limit int) ([]app.Validation, error)
	// Undoable are the decisions that can still be taken back, the newest first.
	Undoable(ctx context.Context, now time.Time) ([]app.Validation, error)
	Validation(ctx context.Context, id string) (app.Validation, error)
	PreviousDraft(ctx context.Context, id string) (*app.Validation, error)
	// AssetByHash is a picture, with its size.
	AssetByHash(ctx context.Context, sha256 string) (app.Asset, error)
	// Build is a built site or utility, with the operation that it belongs to.
	Build(ctx context.Context, id string) (app.Build, int64, error)
	Settings(ctx context.Context) (app.Settings, error)
	Effects(ctx context.Context, operationID int64) ([]app.EffectStatus, error)
	Run(ctx context.Context, id string) (app.RunTrace, error)
	RunsOfStep(ctx context.Context, stepID int64) ([]app.RunTrace, error)
	// AuditBefore are the newest rows that are older than one.
	AuditBefore(ctx context.Context, before int64, limit int) ([]app.AuditRow, error)
}

// Money is where an operation's money went.
type Money interface {
	Spending(ctx context.Context, operationID int64) (app.Spending, error)
	CostsBySource(ctx context.Context, operationID int64) ([]app.SourceCost, error)
	PriceList(ctx context.Context) (app.PriceList, error)
}

// Rules are the settings with their history, the newest change first.
type Rules interface {
	SettingChanges(ctx context.Context) ([]app.SettingChange, error)
	// ChangeSetting refuses when seen is not the newest change of the key.
	ChangeSetting(ctx context.Context, key string, value json.RawMessage, seen int64, by string, now time.Time) error
}

// Decisions are a person's words on an output. The first one wins.
type Decisions interface {
	ApproveValidation(ctx context.Context, c app.Choice, by app.User, receipts []app.Receipt, now time.Time) (app.Validation, error)
	RejectValidation(ctx context.Context, c app.Choice, by app.User, reason string, now time.Time) (app.Validation, error)
	// ApproveBatch approves outputs of one kind, each by itself: none with a risk
	// mark, none that two people must approve.
	ApproveBatch(ctx context.Context, kind app.ValidationKind, all []app.Choice, by app.User, now time.Time) ([]app.Decision, error)
	// WithdrawDecision takes the decision that c names back before anything
	// followed from it, or somebody's own approval as the first of two.
	WithdrawDecision(ctx context.Context, c app.Choice, by app.User, now time.Time) (app.Validation, error)
}

// Editor writes a person's words over a draft: a new draft, held to the rules
// that the agent's own was held to. What it refuses is said in sentences.
type Editor interface {
	EditValidation(ctx context.Context, c app.Choice, values map[string]string, by app.User) (app.Validation, error)
}

// Attention is what went wrong and needs a person.
type Attention interface {
	AlertPage(ctx context.Context, f app.AlertFilter) (app.AlertPage, error)
	// AlertGroups counts the open alerts by operation and kind.
	AlertGroups(ctx context.Context) ([]app.AlertGroup, error)
	AcknowledgeAlert(ctx context.Context, id int64, by app.User, now time.Time) error
	// AcknowledgeAlerts leaves out those that came after the one numbered upTo.
	AcknowledgeAlerts(ctx context.Context, operation, kind string, upTo int64, by app.User, now time.Time) (int, error)
	// DeliveryFaults are the channels that alerts do not reach.
	DeliveryFaults(ctx context.Context) ([]app.DeliveryFault, error)
	// EffectsInDoubt are publications that only a person can tell about.
	EffectsInDoubt(ctx context.Context) ([]app.EffectStatus, error)
}

// Controls are what an admin does to an operation.
type Controls interface {
	PauseOperation(ctx context.Context, slug string, by app.User, now time.Time) error
	ResumeOperation(ctx context.Context, slug string, by app.User, now time.Time) error
	StopOperation(ctx context.Context, slug, reason string, by app.User, now time.Time) error
	// RaiseCap refuses when the cap is not the one that was seen.
	RaiseCap(ctx context.Context, slug string, seen, to app.Nano, reason string, by app.User, now time.Time) error
	Step(ctx context.Context, id int64) (app.Step, error)
	RetryStep(ctx context.Context, stepID int64, reason string, by app.User, now time.Time) error
	SkipStep(ctx context.Context, stepID int64, reason string, by app.User, now time.Time) error
	// DraftRest has the rest of what broke off wait for a decision: it returns the
	// draft. FinishPartly ends its step as done with what is out.
	DraftRest(ctx context.Context, stepID int64, reason string, by app.User, now time.Time) (newID string, err error)
	FinishPartly(ctx context.Context, stepID int64, reason string, by app.User, now time.Time) error
	RetryEffect(ctx context.Context, effectID int64, reason string, by app.User, now time.Time) error
	// SettleEffect refuses a word about another attempt than the last, and a link
	// to what can't be what was sent.
	SettleEffect(ctx context.Context, said app.Settlement, by app.User, now time.Time) error
	Effect(ctx context.Context, id int64) (app.Effect, error)
}

// Accounts are the members of the team, their keys and the links that let
// somebody in. Every change is in the audit.
type Accounts interface {
	UserByName(ctx context.Context, name string) (app.User, error)
	// Rehash keeps the same password under another hash.
	Rehash(ctx context.Context, user app.User, hash string) error
	// ChangePassword ends the account's sessions.
	ChangePassword(ctx context.Context, user app.User, hash string, now time.Time) error
	// ChangeRole, DisableUser and EnableUser leave an admin who can sign in. The
	// first two end the member's sessions.
	ChangeRole(ctx context.Context, userID int64, role app.Role, by app.User, now time.Time) error
	DisableUser(ctx context.Context, userID int64, by app.User, now time.Time) error
	EnableUser(ctx context.Context, userID int64, by app.User, now time.Time) error
	EndSessionsOf(ctx context.Context, userID int64, by app.User, now time.Time) error
	// RemovePasskeysOf ends the member's sessions too.
	RemovePasskeysOf(ctx context.Context, userID int64, by app.User, now time.Time) error
	// EndSession ends one of the user's own, EndOtherSessions all but the one to keep.
	EndSession(ctx context.Context, user app.User, id string, now time.Time) error
	EndOtherSessions(ctx context.Context, user app.User, keep string, now time.Time) error

	// CreateInvite makes a link for a new account, CreateReset one for another
	// password of an account; UseInvite does what a link is for, once.
	CreateInvite(ctx context.Context, token string, role app.Role, by app.User, expires, now time.Time) error
	CreateReset(ctx context.Context, token string, userID int64, by app.User, expires, now time.Time) (app.User, error)
	RevokeInvite(ctx context.Context, id string, by app.User, now time.Time) error
	OpenInvites(ctx context.Context, now time.Time) ([]app.Invite, error)
	// InviteByToken is an open link; NotFound: it is none any more.
	InviteByToken(ctx context.Context, token string, now time.Time) (app.Invite, error)
	UseInvite(ctx context.Context, token, name, passwordHash string, now time.Time) (app.User, error)

	PasskeysOf(ctx context.Context, userID int64) ([]app.Passkey, error)
	PasskeyByCredential(ctx context.Context, credentialID []byte) (app.Passkey, app.User, error)
	AddPasskey(ctx context.Context, user app.User, p app.Passkey, now time.Time) error
	RemovePasskey(ctx context.Context, user app.User, id string, now time.Time) error
	// UsePasskey keeps what a use has made of p, which must be as it was read.
	UsePasskey(ctx context.Context, p app.Passkey, credential json.RawMessage, now time.Time) error
	SuspectPasskey(ctx context.Context, user app.User, p app.Passkey, credential json.RawMessage, now time.Time) error
}

// OnX is how the accounts on X stand.
type OnX interface {
	AccountsOnX(ctx context.Context) ([]app.XAccount, error)
	// XConnection is one setting out to connect an account.
	XConnection(ctx context.Context, id string) (app.XConnection, error)
	Mentions(ctx context.Context, operationID int64, f app.MentionFilter) (app.MentionPage, error)
	RemoveOptOut(ctx context.Context, op app.Operation, authorID, reason string, by app.User, now time.Time) error
	// MentionOfStep is the one that a step replies to.
	MentionOfStep(ctx context.Context, stepID int64) (app.MentionRow, error)
}

// Connector connects accounts on X.
type Connector interface {
	// StartConnection returns the address on X where the account's owner is asked.
	StartConnection(ctx context.Context, handle string, by app.User, session string) (asked app.XConnection, address string, err error)
	// FinishConnection takes what X led back with, once, from the session that
	// asked. Without an error the outcome is kept with the connection; a Conflict
	// with an id says that it is kept already.
	FinishConnection(ctx context.Context, answer app.XAnswer, by app.User, session string) (id string, err error)
	// Disconnect says what was done, and what remains to be done by hand.
	Disconnect(ctx context.Context, handle string, by app.User) (said string, err error)
}

// Sessions keeps who is signed in, on the wall clock, as cookies are. Tokens are
// those of the cookie.
type Sessions interface {
	scs.CtxStore
	// SignIn makes a stored session the user's, who must be as it was read. It is
	// in the audit, with what it was opened by.
	SignIn(ctx context.Context, token string, user app.User, by, browser string) error
	// SignedIn is whose session it is; NotFound: nobody's. Touch keeps it from
	// being idle.
	SignedIn(ctx context.Context, token string) (app.User, app.Session, error)
	Touch(ctx context.Context, token string, session app.Session) error
	SessionsOf(ctx context.Context, userID int64) ([]app.Session, error)
	Members(ctx context.Context) ([]app.Member, error)
	// KeepChallenge keeps what a passkey is to sign; TakeChallenge gives it to one
	// caller, NotFound to all others.
	KeepChallenge(ctx context.Context, token, challenge string) error
	TakeChallenge(ctx context.Context, token string) (string, error)
}

// Files gives the bytes of assets and of built sites.
type Files interface {
	AssetFile(ctx context.Context, sha256 string) (b []byte, mime string, err error)
	// BuildFile returns one file; path begins with a slash.
	BuildFile(ctx context.Context, buildID, path string) (b []byte, mime string, err error)
}

// Starter starts a takeover once the token was read on its chain.
type Starter interface {
	StartOperation(ctx context.Context, in app.NewOperation, by app.User) (app.Operation, error)
}

// Updates keeps what Telegram sends, before it is answered.
type Updates interface {
	SaveUpdate(ctx context.Context, raw []byte, now time.Time) error
}

// Notices tells what is wrong with the services that agents need, in sentences.
type Notices interface {
	Notices(ctx context.Context) ([]string, error)
}
