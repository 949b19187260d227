package app

// Job wakes a worker: the truth is in the row it names, so a job that is lost
// or comes twice changes nothing.
type Job struct {
	Kind  JobKind
	ID    int64 // of the step or the effect
	Fence int64 // the claim the job was made for
}

// JobKind says which row a job is about.
type JobKind string

// The kinds of jobs.
const (
	JobStep      JobKind = "step"      // carry out a running step
	JobEffect    JobKind = "effect"    // carry out an approved effect
	JobReconcile JobKind = "reconcile" // find out what became of an effect
	JobMentions  JobKind = "mentions"  // read an operation's mentions; its id is the operation's
)
