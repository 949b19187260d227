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
