package orchestrator

// Point is a labelled moment in the life of an effect: tests kill the process
// at each of them, and nothing may be sent twice or lost.
type Point int

// The points, in the order in which an effect comes to them.
const (
	Applying   Point = iota // what follows from a decision is written, not yet committed; the store tells
	Applied                 // it is committed
	Woken                   // the effects that are due are marked, their jobs not yet made
	Attempting              // the attempt is committed, nothing has been sent
	Uploaded                // a picture of a post is at the platform
	Sent                    // the call has ended, one way or another
	Booked                  // what became of the call is committed
	Unknown                 // that nobody knows what became of it is committed
	Found                   // the platform shows it, which is not yet committed
	Missing                 // the platform does not show it, which is not yet committed
	Reconciled              // what was found out is committed
	points
)

// Points returns every point.
func Points() (all []Point) {
	for p := range points {
		all = append(all, p)
	}
	return all
}

func (p Point) String() string {
	return [points]string{"applying", "applied", "woken", "attempting", "uploaded", "sent", "booked", "unknown", "found", "missing", "reconciled"}[p]
}

func (o *Orchestrator) reached(p Point) { o.pass(p.String()) }

func (o *Orchestrator) pass(point string) {
	if o.Reached != nil {
		o.Reached(point)
	}
}
