package app

import "time"

// ContinuousStep is a step that is made while an operation runs, beside its
// calendar: what it depends on has happened when it is made.
type ContinuousStep struct {
	OperationID int64
	Key         string // cm.mentions.1790000000000000000
	Task        string // the key without its number
	Agent       string
	Due         time.Time
	Input       any  // as JSON
	Validates   bool // its output is a validation
}

// BesideStep is a step beside the calendar as pages show it.
type BesideStep struct {
	Step
	Mentions int    // that it reads
	To       string // whom it answers, by the name on X: outside text, empty when unknown
}

// StepsBeside are the newest steps beside an operation's calendar, what is open
// or has failed before the rest.
type StepsBeside struct {
	Steps        []BesideStep
	Count, Ended int  // of all, whether they are among Steps or not
	Cost         Nano // of all
}
