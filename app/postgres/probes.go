package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// How long what a model answered holds, and how long one that is being asked is
// left to the process that asks.
const (
	probeHolds = 24 * time.Hour
	probeAsks  = 10 * time.Minute
)

// ClaimModelProbe tells whether this process is to ask a model now: nobody has
// lately, and nobody is.
func (s *Store) ClaimModelProbe(ctx context.Context, endpoint, model string, now time.Time) (bool, error) {
	n, err := s.q.ClaimModelProbe(ctx, s.pool, dbsqlc.ClaimModelProbeParams{Endpoint: endpoint, Model: model, Now: now,
		AnsweredBefore: now.Add(-probeHolds), AskedBefore: now.Add(-probeAsks)})
	if err != nil {
		return false, fmt.Errorf("claim model probe: %w", err)
	}
	return n == 1, nil
}

// SaveModelProbe keeps what was found. One that was not answered is asked again
// after a while.
func (s *Store) SaveModelProbe(ctx context.Context, p app.ModelProbe) error {
	err := s.q.SaveModelProbe(ctx, s.pool, dbsqlc.SaveModelProbeParams{Endpoint: p.Endpoint, Model: p.Model, Answered: p.Answered, Tools: p.Tools,
		Usage: p.Usage, Streams: p.Streams, CostNusd: int64(p.Cost), Fault: plain(p.Fault)})
	if err != nil {
		return fmt.Errorf("keep model probe: %w", err)
	}
	return nil
}

// ModelProbes returns what is known of the models at an endpoint.
func (s *Store) ModelProbes(ctx context.Context, endpoint string) ([]app.ModelProbe, error) {
	rows, err := s.q.ModelProbes(ctx, s.pool, endpoint)
	if err != nil {
		return nil, fmt.Errorf("read model probes: %w", err)
	}
	out := make([]app.ModelProbe, len(rows))
	for i, r := range rows {
		out[i] = app.ModelProbe{Endpoint: r.Endpoint, Model: r.Model, AskedAt: r.AskedAt.UTC(), Answered: r.Answered, Tools: r.Tools,
			Usage: r.Usage, Streams: r.Streams, Cost: app.Nano(r.CostNusd), Fault: r.Fault}
	}
	return out, nil
}
