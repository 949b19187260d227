package app

import "time"

// ModelProbe is what was found of a model at an endpoint when it was asked for
// one small tool call.
type ModelProbe struct {
	Endpoint string // SHA-256 of its base URL
	Model    string
	AskedAt  time.Time
	// Answered is false while it is being asked, and when nobody could be reached.
	Answered bool
	Tools    bool // it can be made to call a tool: no agent works without
	Usage    bool // it reports what it used: without, the most is booked
	Streams  bool // it answers bit by bit: without, nobody sees a run think
	Cost     Nano
	Fault    string // why there was no answer, or no tool call
}
