package app

import (
	"encoding/json"
	"time"
)

// What pages read. These are projections: they hold what a page shows and
// nothing that it must not.

// OperationSummary is one operation in a list.
type OperationSummary struct {
	Operation
	LastSummary string     // of the last log line, empty when none
	LastAt      *time.Time // of the last log line
	Waiting     int        // outputs that wait for a person
	Verdict     string     // revived, dead_again, or empty
}

// Day returns the calendar day of the takeover at now: 0 on J0's day (UTC).
func (o Operation) Day(now time.Time) int {
	day := func(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
	return max(int(day(now).Sub(day(o.J0))/(24*time.Hour)), 0)
}

// CandidateState is where a candidate stands.
type CandidateState string

// The states of a candidate.
const (
	CandidateScanned   CandidateState = "scanned"
	CandidateQualified CandidateState = "qualified"
	CandidateTaken     CandidateState = "taken"
)

// CandidateStates are all of them, the ones to look at first first.
func CandidateStates() []CandidateState {
	return []CandidateState{CandidateQualified, CandidateScanned, CandidateTaken}
}

// CandidateSummary is one candidate in a list.
type CandidateSummary struct {
	Token     Token
	State     CandidateState
	Score     int
	UpdatedAt time.Time
}

// Candidate is one with its report.
type Candidate struct {
	CandidateSummary
	// Report is a scoring.Report, empty when only the score was kept.
	Report json.RawMessage
	// Slug and Takeover name its newest operation and where that stands.
	Slug     string
	Takeover OperationState
}

// Waiting says how many outputs wait for a person and since when the oldest does.
type Waiting struct {
	Count  int
	Oldest *time.Time
}

// EffectStatus is an effect as the team sees it on an operation's page.
type EffectStatus struct {
	Effect
	ValidationKind ValidationKind
	Link           string // of what went out, empty when there is none
	// Approval is where the approval stands that allows it, given at ApprovedAt.
	Approval   ValidationState
	ApprovedAt *time.Time
}

// Holds tells whether the effect may still be tried under its approval.
func (e EffectStatus) Holds(expires time.Duration, now time.Time) bool {
	return e.Approval == ValidationApproved && e.ApprovedAt != nil && now.Before(e.ApprovedAt.Add(expires))
}

// AuditRow is one admin change.
type AuditRow struct {
	ID      int64
	At      time.Time
	User    string
	Action  string
	Subject string
	Before  json.RawMessage
	After   json.RawMessage
}

// NewOperation is what a person enters to start a takeover.
type NewOperation struct {
	Token        Token
	Slug         string // empty: made from the symbol
	J0           time.Time
	Cap          Nano
	Envelope     Nano
	XHandle      string
	TelegramChat int64
}

// RunTrace is a run as the team sees it: every message, call, refusal and cost.
type RunTrace struct {
	ID, Agent, Task, Model, State, Error string
	PromptSHA256                         string
	System                               string // the prompt that the run was given
	StepKey                              string
	OperationID                          int64
	OperationSlug                        string
	Turns                                int
	Tainted                              bool
	Budget, Spent, Reserved              Nano
	StartedAt                            time.Time
	FinishedAt                           *time.Time
	Items                                []TraceItem
	Calls                                []TraceCall
}

// TraceItem is one entry of a run's transcript.
type TraceItem struct {
	Seq, Turn int
	Role      string
	Content   json.RawMessage
	At        time.Time
}

// Spending is where an operation's money stands.
type Spending struct {
	Cap, Spent, Reserved Nano
	// Today is what has been spent by the price list as it stands today: a
	// corrected price changes nothing that was booked, so both are shown.
	Today  Nano
	Agents []AgentSpending
}

// AgentSpending is one agent's share of an operation's cap and what is left of it.
type AgentSpending struct {
	Agent                  string
	Share, Spent, Reserved Nano
}

// SourceCost is what the log's rows of one source of cost figures add up to.
type SourceCost struct {
	Source  CostSource
	Cost    Nano
	Entries int
}

// TraceCall is one call of a model, paid or not.
type TraceCall struct {
	ID             int64
	Turn           int
	Kind           string // model or image
	State          string // reserved, settled, failed, unknown
	Lost           bool   // its answer died with the process that asked
	Model          string
	Reserved, Cost Nano
	Source         string
	// Corrected is what it would cost by today's price list, nil when that is
	// what was booked.
	Corrected *Nano
	// Price is what its tokens were booked at, nil for a call that has none.
	Price     *Price
	Usage     json.RawMessage
	LatencyMS int64
	Error     string
	// Draft is the answer of an open call as far as it has come.
	Draft string
	At    time.Time
}

// SettingChange is one row of the settings' history: the newest of a key holds.
type SettingChange struct {
	ID    int64
	Key   string
	Value json.RawMessage // JSON null: back to the default
	By    string
	At    time.Time
}

// Reset tells whether the change went back to the default.
func (c SettingChange) Reset() bool { return string(c.Value) == "null" }
