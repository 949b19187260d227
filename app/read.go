package app

import "fmt"

// ReadKind is what X bills by the piece when it is read.
type ReadKind string

// The kinds.
const (
	ReadPost ReadKind = "post"
	ReadUser ReadKind = "user"
)

// Read says how many of a kind were read, for the log.
func (k ReadKind) Read(n int) string {
	name := "post"
	if k == ReadUser {
		name = "account"
	}
	if n != 1 {
		name += "s"
	}
	return fmt.Sprintf("Read %d %s on X", n, name)
}

// ReadRequest asks the ledger to admit one read of X.
type ReadRequest struct {
	OperationID int64
	Agent       string // whose share of the cap it counts against
	Step        string // key, empty for none
	Kind        ReadKind
	// Most is how many pieces it can bring, Least the fewest that make sense.
	Most, Least int
	Price       Nano // of each
	// Forced counts in the agent's share and is not refused by it, as with what a
	// person approved.
	Forced bool
}

// ReadGrant is an admitted read: it may bring so many pieces at most.
type ReadGrant struct {
	ID       int64
	Most     int
	Reserved Nano
}
