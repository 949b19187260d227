package app

import "time"

// Said is one post of an account on X: out, or about to be.
type Said struct {
	Text string
	At   time.Time
	// Waiting tells that it is not out yet.
	Waiting bool
	// Reply tells that it answers another account's post.
	Reply bool
}
