package postgres

import (
	"context"
	"fmt"
	"strings"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
	"vivra/app/untrusted"
)

// alike are drawn alike in one font or another, in either case.
var alike = strings.NewReplacer("1", "l", "i", "l", "0", "o", "rn", "m", "vv", "w")

// skeleton is what a hurried reader sees of a name: two names with the same one
// pass for each other.
func skeleton(name string) string {
	return alike.Replace(strings.ToLower(untrusted.Bare(untrusted.Fold(name))))
}

// checkLookalikes refuses a name that passes for a member's, or for what stands
// where a member's would: who approved must be told apart. One name at a time is
// looked at, and the team is small.
func (s *Store) checkLookalikes(ctx context.Context, tx dbsqlc.DBTX, name string) error {
	if untrusted.Normalise(name) != name {
		return app.Errorf(app.Invalid, "A name is written in plain letters and digits.")
	}
	if err := s.q.LockNames(ctx, tx); err != nil {
		return fmt.Errorf("lock names: %w", err)
	}
	names, err := s.q.UserNames(ctx, tx)
	if err != nil {
		return fmt.Errorf("read names: %w", err)
	}
	for _, taken := range names {
		if skeleton(taken) == skeleton(name) {
			return app.Errorf(app.Conflict, "That name is taken, or looks like one that is.")
		}
	}
	for _, reserved := range app.ReservedNames() {
		if skeleton(reserved) == skeleton(name) {
			return app.Errorf(app.Invalid, "That name looks like %q, which stands for what no member did.", reserved)
		}
	}
	return nil
}
