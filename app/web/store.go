package web

import (
	"context"
	"encoding/json"
	"time"

	"vivra/app"
)

// Store is the database as the pages need it.
type Store interface {
	Reads
	Money
	Rules
	Decisions
	Controls
	Accounts
	Ping(ctx context.Context) error
}

// Reads is what the pages show.
type Reads interface {
	Operations(ctx context.Context) ([]app.OperationSummary, error)
	OperationBySlug(ctx context.Context, slug string) (app.Operation, error)
	Steps(ctx context.Context, operationID int64) ([]app.Step, error)
	Events(ctx context.Context, operationID, before int64, limit int) ([]app.Event, error)
	EventsAfter(ctx context.Context, operationID, after int64, limit int) ([]app.Event, error)
	Publications(ctx context.Context, operationID int64) ([]app.Publication, error)
	MetricsHistory(ctx context.Context, operationID int64) ([]app.Metrics, error)
	WaitingFor(ctx context.Context, operationID int64) (app.Waiting, error)
	Candidates(ctx context.Context) ([]app.CandidateSummary, error)
	LatestMetrics(ctx context.Context, ref app.TokenRef) (m app.Metrics, source string, err error)
	PendingValidations(ctx context.Context) ([]app.Validation, error)
	Validation(ctx context.Context, id string) (app.Validation, error)
	PreviousDraft(ctx context.Context, id string) (*app.Validation, error)
	Alerts(ctx context.Context) ([]app.Alert, error)
	Effects(ctx context.Context, operationID int64) ([]app.EffectStatus, error)
	Run(ctx context.Context, id string) (app.RunTrace, error)
	RunsOfStep(ctx context.Context, stepID int64) ([]app.RunTrace, error)
	Audit(ctx context.Context, limit int) ([]app.AuditRow, error)
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
	ApproveValidation(ctx context.Context, id, sha256 string, by app.User, receiptURL string, now time.Time) (app.Validation, error)
	RejectValidation(ctx context.Context, id, sha256 string, by app.User, reason string, now time.Time) (app.Validation, error)
}

// Controls are what an admin does to an operation.
type Controls interface {
	PauseOperation(ctx context.Context, slug string, by app.User, now time.Time) error
	ResumeOperation(ctx context.Context, slug string, by app.User, now time.Time) error
	StopOperation(ctx context.Context, slug, reason string, by app.User, now time.Time) error
	RetryStep(ctx context.Context, stepID int64, reason string, by app.User, now time.Time) error
	SkipStep(ctx context.Context, stepID int64, reason string, by app.User, now time.Time) error
	SettleEffect(ctx context.Context, effectID int64, sent bool, link string, by app.User, now time.Time) error
	AcknowledgeAlert(ctx context.Context, id int64, by app.User, now time.Time) error
}

// Accounts are the members of the team and the links that make them.
type Accounts interface {
	UserByName(ctx context.Context, name string) (app.User, error)
	UserByID(ctx context.Context, id int64) (app.User, error)
	UseInvite(ctx context.Context, token, name, passwordHash string, now time.Time) (app.User, error)
	InviteOpen(ctx context.Context, token string, now time.Time) (bool, error)
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
