package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// KeepTokenReading keeps what was read of a token at an instant, unless
// something newer of its kind is kept.
func (s *Store) KeepTokenReading(ctx context.Context, tokenID int64, kind app.ReadingKind, reading any, at time.Time) error {
	err := s.q.KeepTokenReading(ctx, s.pool, dbsqlc.KeepTokenReadingParams{TokenID: tokenID, Kind: string(kind), At: at, Reading: mustJSON(reading)})
	if err != nil {
		return fmt.Errorf("keep what was read of a token: %w", err)
	}
	return nil
}

// TokenReading returns what was last read of a token, as JSON of the kind's
// type, and when.
func (s *Store) TokenReading(ctx context.Context, ref app.TokenRef, kind app.ReadingKind) (json.RawMessage, time.Time, error) {
	row, err := s.q.TokenReading(ctx, s.pool, dbsqlc.TokenReadingParams{ChainID: ref.ChainID, Address: ref.Address[:], Kind: string(kind)})
	if err != nil {
		return nil, time.Time{}, notFound(err, "reading of this token")
	}
	return row.Reading, row.At.UTC(), nil
}

// MetricsOfToken returns the newest measurements of a token since an instant,
// oldest first.
func (s *Store) MetricsOfToken(ctx context.Context, ref app.TokenRef, since time.Time, most int) ([]app.Metrics, error) {
	rows, err := s.q.MetricsOfToken(ctx, s.pool, dbsqlc.MetricsOfTokenParams{ChainID: ref.ChainID, Address: ref.Address[:], Since: since, Most: int32(most)})
	return metrics(rows, err)
}

func metrics(rows []dbsqlc.Metric, err error) ([]app.Metrics, error) {
	if err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	out := make([]app.Metrics, len(rows))
	for i, r := range rows {
		if err := json.Unmarshal(r.Reading, &out[i]); err != nil {
			return nil, fmt.Errorf("read metrics: %w", err)
		}
	}
	return out, nil
}
