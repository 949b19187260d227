package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// ClearMentions forgets what others wrote to operations that ended before an
// instant, wherever it is kept, and returns how many mentions that were: their
// words, what readers were given and answered, and what authors whose last words
// those were show of themselves. What is cleared says so.
func (s *Store) ClearMentions(ctx context.Context, before, now time.Time) (n int64, err error) {
	err = s.again(ctx, func(tx pgx.Tx) error {
		ended, err := s.q.EndedOperations(ctx, tx, before)
		if err != nil {
			return fmt.Errorf("list operations that ended: %w", err)
		}
		if n, err = s.q.ClearMentions(ctx, tx, ended); err != nil {
			return fmt.Errorf("clear mentions: %w", err)
		}
		if err := s.q.ClearReadings(ctx, tx, dbsqlc.ClearReadingsParams{Operations: ended, Task: app.MentionsTask}); err != nil {
			return fmt.Errorf("clear what readers were given: %w", err)
		}
		if err := s.q.ClearAlerts(ctx, tx, dbsqlc.ClearAlertsParams{Operations: ended, Task: app.MentionsTask}); err != nil {
			return fmt.Errorf("clear what alerts quote of readers: %w", err)
		}
		if err := s.clearRuns(ctx, tx, ended, now); err != nil {
			return err
		}
		if err := s.q.ForgetAuthors(ctx, tx); err != nil {
			return fmt.Errorf("forget authors: %w", err)
		}
		return nil
	})
	return n, err
}

// clearRuns clears the transcripts of readers. A seal that held is taken anew of
// what is left; one that did not stays, so that a change is still found.
func (s *Store) clearRuns(ctx context.Context, tx pgx.Tx, operations []int64, now time.Time) error {
	rows, err := s.q.ClearRuns(ctx, tx, dbsqlc.ClearRunsParams{Now: &now, Operations: operations, Task: app.MentionsTask})
	if err != nil {
		return fmt.Errorf("mark runs as cleared: %w", err)
	}
	var all, sealed []string
	for _, r := range rows {
		if all = append(all, r.ID); r.Held {
			sealed = append(sealed, r.ID)
		}
	}
	for _, c := range []struct {
		clear func(context.Context, dbsqlc.DBTX, []string) error
		runs  []string
	}{{s.q.ClearRunItems, all}, {s.q.ClearAnswers, all}, {s.q.ClearDrafts, all}, {s.q.SealClearedRuns, sealed}} {
		if err := c.clear(ctx, tx, c.runs); err != nil {
			return fmt.Errorf("clear transcripts of readers: %w", err)
		}
	}
	return nil
}
