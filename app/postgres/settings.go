package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// Settings returns what holds now.
func (s *Store) Settings(ctx context.Context) (app.Settings, error) { return s.settings(ctx, s.pool) }

// settings reads on db: inside a transaction it must be that one, since another
// connection may not be free until the transaction ends.
func (s *Store) settings(ctx context.Context, db dbsqlc.DBTX) (app.Settings, error) {
	rows, err := s.q.NewestSettings(ctx, db)
	if err != nil {
		return app.Settings{}, fmt.Errorf("read settings: %w", err)
	}
	stored := make(map[string]json.RawMessage, len(rows))
	for _, r := range rows {
		stored[r.Key] = r.Value
	}
	return app.DefaultSettings().With(stored)
}

// SetSetting makes value hold for key from now on, whatever held before.
func (s *Store) SetSetting(ctx context.Context, key string, value json.RawMessage, by string, now time.Time) error {
	return s.changeSetting(ctx, key, value, by, now, func(dbsqlc.Setting) error { return nil })
}
