package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// longestDraft is how much of an answer is shown while it comes.
const longestDraft = 64 << 10

// Overhear keeps an open call's answer as far as it has come, for those who
// watch the run. It goes when the call is settled.
func (s *Store) Overhear(ctx context.Context, callID int64, runID, draft string, now time.Time) error {
	text := plain(draft)
	if len(text) > longestDraft {
		text = strings.ToValidUTF8(text[:longestDraft], "")
	}
	if _, err := s.q.SaveDraft(ctx, s.pool, dbsqlc.SaveDraftParams{RunID: runID, CallID: callID, Text: text, At: now}); err != nil {
		return fmt.Errorf("keep draft: %w", err)
	}
	return nil
}

// SuspendStep gives a running step back without booking anything: its lease
// ends at wall, so whoever comes next goes on from its last whole turn. While
// the operation is paused nobody does.
func (s *Store) SuspendStep(ctx context.Context, c app.Claim, wall time.Time) error {
	return s.RenewLease(ctx, c, wall)
}

// OperationState returns where an operation stands.
func (s *Store) OperationState(ctx context.Context, id int64) (app.OperationState, error) {
	state, err := s.q.OperationState(ctx, s.pool, id)
	if err != nil {
		return "", notFound(err, "operation")
	}
	return state, nil
}
