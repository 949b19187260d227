package app

import (
	"encoding/json"
	"time"
)

// OperationState is where a takeover stands.
type OperationState string

// The states of an operation.
const (
	OperationScheduled OperationState = "scheduled"
	OperationRunning   OperationState = "running"
	OperationPaused    OperationState = "paused"
	OperationStopped   OperationState = "stopped"
	OperationCompleted OperationState = "completed"
)

// Final tells whether nothing can happen to the operation any more.
func (s OperationState) Final() bool { return s == OperationStopped || s == OperationCompleted }

// Token is an ERC-20 that was read on its chain. Name and Symbol are outside text.
type Token struct {
	ID       int64
	Ref      TokenRef
	Name     string
	Symbol   string
	Decimals int
}

// Operation is one takeover of one token: 30 days from J0.
type Operation struct {
	ID       int64
	Slug     string
	Token    Token
	J0       time.Time
	State    OperationState
	Cap      Nano // spending never passes it
	Spent    Nano
	Reserved Nano
	Envelope Nano // set aside for the buyback
	// XHandle is the account's name on X without @, empty until one is named.
	XHandle string
	// TelegramChat is the group's chat id, 0 until one is named.
	TelegramChat int64
	// SiteHost is the host name of the relaunched site.
	SiteHost string
	// Seq and HeadHash are the last line of the public log.
	Seq      int64
	HeadHash string
	// StopReason says in one sentence why the operation was stopped.
	StopReason string
}

// Pause stops new work; runs in hand are put aside until it goes on.
func (o *Operation) Pause() error {
	if o.State != OperationRunning && o.State != OperationScheduled {
		return Errorf(Conflict, "This operation is %s: only a running one can be paused.", o.State)
	}
	o.State = OperationPaused
	return nil
}

// Resume lets due steps start again; nothing is shifted. An operation whose
// J0 is still ahead goes back to scheduled.
func (o *Operation) Resume(now time.Time) error {
	if o.State != OperationPaused {
		return Errorf(Conflict, "This operation is %s: only a paused one can be resumed.", o.State)
	}
	o.State = OperationRunning
	if now.Before(o.J0) {
		o.State = OperationScheduled
	}
	return nil
}

// RaiseCap lets more be spent. seen is the cap that the person knew of; it never
// goes down, since what is promised in public holds.
func (o *Operation) RaiseCap(seen, to Nano) error {
	switch {
	case o.State.Final():
		return Errorf(Conflict, "This operation is %s: it spends nothing more.", o.State)
	case o.Cap != seen:
		return Errorf(Conflict, "The cap is %s by now: somebody changed it after you opened the page. Nothing was changed.", o.Cap)
	case to <= o.Cap:
		return Errorf(Invalid, "The cap can only be raised, and it is %s. Nothing was changed.", o.Cap)
	}
	o.Cap = to
	return nil
}

// Stop is final.
func (o *Operation) Stop(reason string) error {
	if o.State.Final() {
		return Errorf(Conflict, "This operation is already %s.", o.State)
	}
	o.State, o.StopReason = OperationStopped, reason
	return nil
}

// StepState is where one row of the calendar stands.
type StepState string

// The states of a step.
const (
	StepPending   StepState = "pending"
	StepRunning   StepState = "running"
	StepWaiting   StepState = "waiting_validation"
	StepDone      StepState = "done"
	StepFailed    StepState = "failed"
	StepSkipped   StepState = "skipped"
	StepCancelled StepState = "cancelled"
)

// Final tells whether the step has ended, one way or another. A failed step is
// final for those that come after it, yet a person may retry it.
func (s StepState) Final() bool {
	return s == StepDone || s == StepFailed || s == StepSkipped || s == StepCancelled
}

// Step is one row of the calendar, expanded for one operation.
type Step struct {
	ID          int64
	OperationID int64
	Key         string // designer.poll, scanner.daily_metrics.d07
	Task        string // the key without its number: scanner.daily_metrics
	Agent       string // one of the six, or "system"
	DueAt       time.Time
	DependsOn   []string
	After       []string
	Validates   bool // its output is a validation
	Recurring   bool
	Continuous  bool // made while the operation runs, not in its calendar
	State       StepState
	Attempt     int // runs started so far
	Rejections  int
	NotBefore   *time.Time // of the next attempt
	Input       json.RawMessage
	Output      json.RawMessage
	Error       string
	StartedAt   *time.Time
	FinishedAt  *time.Time
	LeaseUntil  *time.Time // wall clock
	Fence       int64
	Cost        Nano // sum of its log entries; filled by readers that show it
}

// StepCalls counts a step's calls to the outside by what a person must know
// before they cut in.
type StepCalls struct {
	Sent    int // that went out
	Open    int // of which nobody knows yet whether they went out
	Waiting int // not sent, whether they still may be or have failed
}

// MayRetry says why a person may not have the step run again, nil when they may.
func (s Step) MayRetry(c StepCalls) error {
	switch {
	case s.State != StepFailed && s.State != StepRunning && s.State != StepWaiting:
		return Errorf(Conflict, "This step is %s: only one that failed, runs or waits can be run again. Nothing was changed.", s.State)
	case c.Open > 0:
		return Errorf(Conflict, "A publication of this step is on its way or in doubt: running the step again could send it twice. Settle that first.")
	case c.Sent > 0 && s.State == StepFailed:
		return Errorf(Conflict, "Part of this step's output is out: running it again would publish that part twice. Go on with the rest, finish with what is out, or skip the step.")
	case c.Sent > 0:
		return Errorf(Conflict, "Part of this step's output is out: running it again would publish that part twice. The rest is still to come; finish with what is out, or skip the step, to give that up.")
	}
	return nil
}

// MayGoOn says why what is left of a publication that broke off may not be put
// before a person again, nil when it may.
func (s Step) MayGoOn(c StepCalls) error {
	switch {
	case c.Open > 0:
		return Errorf(Conflict, "A publication of this step is on its way or in doubt: what it becomes must be known first. Settle that, then go on.")
	case s.State != StepFailed:
		return Errorf(Conflict, "This step is %s: only one whose publication broke off goes on with the rest. Nothing was changed.", s.State)
	case c.Sent == 0:
		return Errorf(Conflict, "Nothing of this step's output is out, so there is no rest of it. Run the step again, or try the publication again.")
	}
	return nil
}

// MayFinish says why the step may not end as done with the part of its output
// that is out, nil when it may.
func (s Step) MayFinish(c StepCalls) error {
	switch {
	case c.Open > 0:
		return Errorf(Conflict, "A publication of this step is on its way or in doubt: what it becomes must be known first. Settle that, then finish.")
	case s.State != StepFailed && s.State != StepWaiting:
		return Errorf(Conflict, "This step is %s: there is nothing to finish. Nothing was changed.", s.State)
	case c.Sent == 0:
		return Errorf(Conflict, "Nothing of this step's output is out: to go on without it, skip the step.")
	}
	return nil
}

// MaySkip says why a person may not give the step up, nil when they may.
func (s Step) MaySkip(c StepCalls) error {
	switch {
	case s.State.Final() && s.State != StepFailed:
		return Errorf(Conflict, "This step is %s: there is nothing to skip. Nothing was changed.", s.State)
	case s.Task == "scanner.go_nogo" || s.Task == "handover":
		return Errorf(Conflict, "Without this step the takeover neither goes on nor ends: decide it in the queue, run it again, or stop the operation.")
	case c.Open > 0:
		return Errorf(Conflict, "A publication of this step is on its way or in doubt: what it becomes must be known first. Settle that, then skip.")
	}
	return nil
}
