package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// SettingChanges returns the history of every setting, the newest change first.
func (s *Store) SettingChanges(ctx context.Context) ([]app.SettingChange, error) {
	rows, err := s.q.SettingChanges(ctx, s.pool)
	if err != nil {
		return nil, fmt.Errorf("read the settings' history: %w", err)
	}
	out := make([]app.SettingChange, len(rows))
	for i, r := range rows {
		out[i] = app.SettingChange{ID: r.ID, Key: r.Key, Value: r.Value, By: r.SetBy, At: r.SetAt.UTC()}
	}
	return out, nil
}

// ChangeSetting makes value hold for key from now on, JSON null the default.
// seen is the change that the person who asks for it knew as the newest, 0
// none: when there is a newer one, nothing is changed.
func (s *Store) ChangeSetting(ctx context.Context, key string, value json.RawMessage, seen int64, by string, now time.Time) error {
	return s.changeSetting(ctx, key, value, by, now, func(newest dbsqlc.Setting) error {
		if newest.ID != seen {
			return app.Errorf(app.Conflict, "%s changed this setting on %s, after you opened the page. Nothing was changed: look at it and send yours again.",
				newest.SetBy, newest.SetAt.UTC().Format("2 Jan 2006 at 15:04 UTC"))
		}
		return nil
	})
}

// changeSetting adds a change that agree, given the newest one, lets pass.
func (s *Store) changeSetting(ctx context.Context, key string, value json.RawMessage, by string, now time.Time, agree func(newest dbsqlc.Setting) error) error {
	if _, err := app.DefaultSettings().With(map[string]json.RawMessage{key: value}); err != nil {
		return app.Errorf(app.Invalid, "%s can't be set to %s: %v.", key, value, err)
	}
	return s.audited(ctx, by, "setting.set", key, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		if err := s.q.LockSettings(ctx, tx); err != nil {
			return nil, nil, fmt.Errorf("lock settings: %w", err)
		}
		newest, err := s.q.NewestSetting(ctx, tx, key)
		if err != nil && !noRows(err) {
			return nil, nil, fmt.Errorf("read setting: %w", err)
		}
		if err := agree(newest); err != nil {
			return nil, nil, err
		}
		return newest.Value, value, s.q.AddSetting(ctx, tx, dbsqlc.AddSettingParams{Key: key, Value: value, SetBy: by, SetAt: now})
	})
}
