package app

import "time"

// PaidCall is one paid call of a run as the ledger has it.
type PaidCall struct {
	ID    int64
	Turn  int    // 0 for one that a tool made
	Kind  string // model or image
	Model string
	Began time.Time
	CallOutcome
}

// Gauges are what there is at an instant, for monitoring. Steps and effects are
// those of takeovers that are not over.
type Gauges struct {
	Operations map[string]int // by state
	Steps      map[string]int
	Effects    map[string]int
	// Alerts counts those ever raised, OpenAlerts those nobody has seen to, by
	// kind; what agents raised is one kind.
	Alerts, OpenAlerts map[string]int
	// Waiting outputs have no decision yet.
	Waiting int
	// The oldest of what should have happened by now; nil when nothing is late.
	OldestStep, OldestEffect, OldestWaiting *time.Time
	Cap, Spent, Reserved                    Nano // of takeovers that are not over
}
