package postgres

import (
	"context"
	"fmt"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// endOf is a run with how it ended, and what vouches for that.
func endOf(r dbsqlc.AgentRun) app.StoredRun {
	end := app.StoredRun{Run: runOf(r), State: r.State, Error: r.Error, Output: r.Output, StartedAt: r.StartedAt.UTC(), Reserved: r.ReservedNusd, Overrun: r.OverrunNusd, ClearedAt: r.ClearedAt}
	if r.FinishedAt != nil {
		end.FinishedAt = r.FinishedAt.UTC()
	}
	if r.Seal != nil {
		end.Seal = *r.Seal
	}
	return end
}

// booksOfStep adds what the log and the step's runs say of its cost.
func (s *Store) booksOfStep(ctx context.Context, stored *app.StoredRun) error {
	row, err := s.q.BooksOfStep(ctx, s.pool, stored.Run.ID)
	if err != nil {
		return fmt.Errorf("read the step's books: %w", err)
	}
	stored.Logged, stored.Booked, stored.Newest = app.Nano(row.Logged), app.Nano(row.Booked), row.Newest
	return nil
}
