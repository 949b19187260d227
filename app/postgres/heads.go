package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// WriteHeads has each log that goes on say once in a UTC day where it stood, so
// that whoever keeps what they were told, such as a feed reader, can hold the log
// against it. Days that nobody was there for are not made up for.
func (s *Store) WriteHeads(ctx context.Context, now time.Time) error {
	midnight := now.UTC().Truncate(24 * time.Hour)
	ids, err := s.q.LogsWithoutHead(ctx, s.pool, midnight)
	if err != nil {
		return fmt.Errorf("list logs without a head: %w", err)
	}
	var faults []error
	for _, id := range ids {
		if err := s.writeHead(ctx, id, midnight, now); err != nil && !errors.Is(err, errNothing) {
			faults = append(faults, fmt.Errorf("write the head of the log of operation %d: %w", id, err))
		}
	}
	return errors.Join(faults...)
}

func (s *Store) writeHead(ctx context.Context, id int64, midnight, now time.Time) error {
	return s.inOperation(ctx, id, now, func(t *opTx) error {
		lacks, err := s.q.LogLacksHead(ctx, t, dbsqlc.LogLacksHeadParams{OperationID: id, Midnight: midnight}) // again, now that it is locked
		if err != nil {
			return fmt.Errorf("look for today's head: %w", err)
		}
		if !lacks || t.op.State.Final() {
			return errNothing
		}
		t.add(app.EventLine{Kind: app.HeadKind, Agent: "system", Summary: app.HeadSummary(t.op.Seq, t.head)})
		return nil
	})
}
