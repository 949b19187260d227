package postgres

import (
	"context"
	"fmt"

	"vivra/app"
)

// CostsBySource sums an operation's log by where its figures come from, the
// largest sum first.
func (s *Store) CostsBySource(ctx context.Context, operationID int64) ([]app.SourceCost, error) {
	rows, err := s.q.CostsBySource(ctx, s.pool, operationID)
	if err != nil {
		return nil, fmt.Errorf("sum log by source: %w", err)
	}
	out := make([]app.SourceCost, len(rows))
	for i, r := range rows {
		out[i] = app.SourceCost{Source: app.CostSource(r.Source), Cost: app.Nano(r.Cost), Entries: r.Entries}
	}
	return out, nil
}
