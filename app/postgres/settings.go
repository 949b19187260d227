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

// SetSetting makes value hold for key from now on; the old value stays as history.
func (s *Store) SetSetting(ctx context.Context, key string, value json.RawMessage, by string, now time.Time) error {
	if _, err := app.DefaultSettings().With(map[string]json.RawMessage{key: value}); err != nil {
		return app.Errorf(app.Invalid, "%s can't be set to %s: %v.", key, value, err)
	}
	return s.audited(ctx, by, "setting.set", key, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		return nil, value, s.q.AddSetting(ctx, tx, dbsqlc.AddSettingParams{Key: key, Value: value, SetBy: by, SetAt: now})
	})
}
