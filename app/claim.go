package app

// Claim is a worker's right to carry out one step. It ends when another worker
// takes the step over: every write under a claim checks it.
type Claim struct {
	OperationID int64
	StepID      int64
	Fence       int64
}
