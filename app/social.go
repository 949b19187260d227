package app

import (
	"cmp"
	"strings"
	"time"
)

// XUser is an account on X as its author shows it. All but the numbers and the
// instant is outside text.
type XUser struct {
	ID        string
	Username  string // without @
	Name      string
	Bio       string
	CreatedAt time.Time // zero when X does not say
	Followers int
	Following int
	Posts     int
	Protected bool
}

// MentionOverlap is how far back a look at mentions goes behind the newest one
// that is known: X may show a post later than one that was written after it.
const MentionOverlap = 30 * time.Minute

// CompareIDs compares two ids of X as the numbers they are: they are larger
// than what a float holds exactly. The empty id is less than any other.
func CompareIDs(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
