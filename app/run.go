package app

import (
	"encoding/json"
	"time"
)

// Run is one execution of an agent for one step.
type Run struct {
	ID           string // uuid
	OperationID  int64
	StepID       int64
	Agent        string
	Task         string
	Model        string
	PromptSHA256 string
	System       string
	Turns        int // model answers stored so far
	Tainted      bool
	Sources      []string
	Budget       Nano
	Spent        Nano
	// Failures are the model calls of the run that brought no usable answer,
	// those that died with a process apart.
	Failures int
	// Asked is the newest model call of the run as it was taken up, the zero call
	// when there was none: whoever goes on knows from it which model to ask.
	Asked StoredCall
}

// RunItem is one entry of a run's transcript as it is stored.
type RunItem struct {
	Seq    int
	Turn   int
	Item   json.RawMessage
	CallID string // of a tool result, else empty
	At     time.Time
}

// CallRequest asks the ledger to admit one paid call.
type CallRequest struct {
	RunID         string
	Agent         string // whose share of the operation's cap it counts against
	Turn          int
	Kind          string // model or image
	Model         string
	RequestSHA256 string
	Price         Price
	RequestBytes  int64
	// WantOutput is the output limit wished for, MinOutput the least that makes sense.
	WantOutput, MinOutput int64
	// Fixed, when set, is the whole bound, and no output is counted.
	Fixed Nano
	// Images is how many pictures of Size are asked for.
	Images int
	Size   string
}

// StoredRun is a run with everything that its loop was told, for replay.
type StoredRun struct {
	Run       Run
	State     string // running, succeeded, failed
	Error     string
	Operation Operation
	Step      Step
	Items     []RunItem
	Calls     []StoredCall // in the order in which they were admitted
	// Output is what the run ended with, nil unless it succeeded.
	Output json.RawMessage
	// FinishedAt is zero while it goes on.
	StartedAt, FinishedAt time.Time
	Reserved, Overrun     Nano
	// Seal is a hash of how it ended and of its transcript, taken at its end;
	// empty while it goes on, and for runs that ended before there were seals.
	Seal string
	// ClearedAt is when what it was told was cleared, nil while it is kept.
	ClearedAt *time.Time
	// Logged is what the public log says of all that its step's runs have paid,
	// Booked what is booked on them.
	Logged, Booked Nano
	// Newest: no other run of its step began as late.
	Newest bool
}

// StoredCall is one paid call of a run as it was booked.
type StoredCall struct {
	ID             int64
	Turn           int
	Kind           string // model or image
	Agent          string // whose share it counts against, empty for one of an older program
	Model          string
	RequestSHA256  string
	State          string // reserved, settled, failed, unknown
	Reserved, Cost Nano
	Source         CostSource
	Price          Price // that was in force and booked with
	Usage          *Usage
	OutputLimit    int64
	Images         int
	Size           string
	// Answer is byte for byte what was kept, nil for a call that has none.
	Answer       json.RawMessage
	AnswerSHA256 string
	// Lost tells that the process that asked died, or was stopped, meanwhile.
	Lost  bool
	Error string
	At    time.Time
}

// CallGrant is an admitted call.
type CallGrant struct {
	ID          int64
	OutputLimit int64
	Reserved    Nano
}

// CallOutcome is what became of an admitted call.
type CallOutcome struct {
	State     string // settled, failed, unknown
	Cost      Nano
	Source    CostSource
	Usage     *Usage
	LatencyMS int64
	Error     string
	// Lost: its process died or was stopped meanwhile, so it is no failure of
	// the model's.
	Lost bool
	// Answer is what the model said or did wrong, as JSON text, kept for replay;
	// nil for a call that has none to keep.
	Answer json.RawMessage
}

// BudgetError says which wall a call met: run, agent (its share of the cap) or
// operation.
type BudgetError struct{ Wall string }

func (e *BudgetError) Error() string {
	return "budget_exceeded: not even a minimal answer fits in what is left of the " + e.Wall + "'s budget"
}
