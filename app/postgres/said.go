package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
)

// How far back, and how much of each kind, is read of what an account has said.
const (
	saidDays = 40
	mostSaid = 300
)

// Said returns what an account on X has posted lately and what waits to be
// posted, the newest first, without what one step says: its own draft is no
// repeat of itself.
func (s *Store) Said(ctx context.Context, account string, stepID int64, now time.Time) ([]app.Said, error) {
	drafts, err := s.q.DraftsOfAccount(ctx, s.pool, dbsqlc.DraftsOfAccountParams{Account: account, StepID: stepID, Most: mostSaid})
	if err != nil {
		return nil, fmt.Errorf("list the account's drafts: %w", err)
	}
	var said []app.Said
	for _, v := range drafts {
		calls, err := effects.Plan(app.Validation{ID: v.ID, Kind: v.Kind, Payload: json.RawMessage(v.Payload)})
		if err != nil {
			return nil, fmt.Errorf("read the draft %s: %w", v.ID, err)
		}
		for _, e := range calls {
			if one, ok := effects.Said(e); ok {
				one.At, one.Waiting = v.CreatedAt.UTC(), true
				said = append(said, one)
			}
		}
	}
	rows, err := s.q.SaidByAccount(ctx, s.pool, dbsqlc.SaidByAccountParams{Account: account, StepID: stepID, Since: now.AddDate(0, 0, -saidDays), Most: mostSaid})
	if err != nil {
		return nil, fmt.Errorf("list the account's posts: %w", err)
	}
	for _, r := range rows {
		if one, ok := effects.Said(app.Effect{Kind: r.Kind, Request: json.RawMessage(r.Request)}); ok {
			one.At, one.Waiting = r.At.UTC(), r.State == app.EffectIntent
			said = append(said, one)
		}
	}
	return said, nil
}
