package runner

import (
	"context"
	"encoding/json"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

// Books are where a run is kept: in the database, or in memory when a stored
// run is played again.
type Books interface {
	Ledger
	Transcript
	Endings
	Evidence
	Sources
	Watch
	Alarms
}

// Ledger admits paid calls and books what they cost.
type Ledger interface {
	PriceList(ctx context.Context) (app.PriceList, error)
	ReserveCall(ctx context.Context, c app.Claim, req app.CallRequest, now time.Time) (app.CallGrant, error)
	SettleCall(ctx context.Context, c app.Claim, runID string, turn int, callID int64, out app.CallOutcome, items []json.RawMessage, line app.EventLine, now time.Time) error
}

// Transcript keeps what was said.
type Transcript interface {
	OpenRun(ctx context.Context, c app.Claim, fresh app.Run, now time.Time) (app.Run, []app.RunItem, error)
	BeginTranscript(ctx context.Context, c app.Claim, runID string, item json.RawMessage, sources []string, now time.Time) error
	AddItem(ctx context.Context, c app.Claim, runID string, turn int, item json.RawMessage, now time.Time) error
	AnswerCall(ctx context.Context, c app.Claim, a postgres.Answer, now time.Time) error
}

// Endings are the ways a run can end, or be put aside.
type Endings interface {
	FinishRun(ctx context.Context, c app.Claim, end postgres.RunEnd, now time.Time) error
	FailRun(ctx context.Context, c app.Claim, runID string, cause error, final bool, waits []time.Duration, now time.Time) error
	SuspendStep(ctx context.Context, c app.Claim, wall time.Time) error
}

// Evidence is what an output may cite.
type Evidence interface {
	Validation(ctx context.Context, id string) (app.Validation, error)
	Build(ctx context.Context, id string) (build app.Build, operationID int64, err error)
	Asset(ctx context.Context, operationID int64, sha256 string) (app.Asset, error)
}

// Sources are what a run is given to begin with, and what steps before it made.
type Sources interface {
	Settings(ctx context.Context) (app.Settings, error)
	TokenFile(ctx context.Context, tokenID int64, section string) (content json.RawMessage, version int, err error)
	DoneOutput(ctx context.Context, operationID int64, step string) (json.RawMessage, error)
}

// Watch is a worker's hold on its step while it works, and what it lets others
// see meanwhile.
type Watch interface {
	RenewLease(ctx context.Context, c app.Claim, lease time.Time) error
	OperationState(ctx context.Context, id int64) (app.OperationState, error)
	Overhear(ctx context.Context, callID int64, runID, draft string, now time.Time) error
}

// Alarms tell the team, once per kind and subject, and the log.
type Alarms interface {
	AddLine(ctx context.Context, c app.Claim, line app.EventLine, now time.Time) error
	RaiseAlert(ctx context.Context, operationID int64, kind, subject, message string, now time.Time) error
}
