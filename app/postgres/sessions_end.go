package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// EndSession ends one of the user's sessions.
func (s *Store) EndSession(ctx context.Context, user app.User, id string, now time.Time) error {
	return s.audited(ctx, user.Name, "session.end", user.Name, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		browser, err := s.q.EndSession(ctx, tx, dbsqlc.EndSessionParams{ID: id, UserID: &user.ID})
		if err != nil {
			return nil, nil, notFound(err, "session")
		}
		return map[string]string{"browser": browser}, nil, s.q.AnnounceSessions(ctx, tx)
	})
}

// EndOtherSessions ends all of the user's sessions but one.
func (s *Store) EndOtherSessions(ctx context.Context, user app.User, keep string, now time.Time) error {
	return unlessUnchanged(s.audited(ctx, user.Name, "session.end_others", user.Name, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		return s.endAll(ctx, tx, user.ID, keep)
	}))
}

func (s *Store) endAll(ctx context.Context, tx dbsqlc.DBTX, userID int64, keep string) (before, after any, err error) {
	ended, err := s.endSessions(ctx, tx, userID, keep)
	if err == nil && ended == 0 {
		err = errUnchanged
	}
	return map[string]int64{"sessions": ended}, map[string]int64{"sessions": 0}, err
}

// endSessions also wakes every open page: a stream looks again whose it is.
func (s *Store) endSessions(ctx context.Context, tx dbsqlc.DBTX, userID int64, keep string) (int64, error) {
	ended, err := s.q.EndSessions(ctx, tx, dbsqlc.EndSessionsParams{UserID: &userID, Keep: keep})
	if err != nil {
		return 0, fmt.Errorf("end sessions: %w", err)
	}
	return ended, s.q.AnnounceSessions(ctx, tx)
}

// DeleteExpiredSessions forgets sessions that have ended.
func (s *Store) DeleteExpiredSessions(ctx context.Context, now time.Time) error {
	since := now.Add(-app.SessionIdle)
	return s.q.DeleteExpiredSessions(ctx, s.pool, dbsqlc.DeleteExpiredSessionsParams{Now: now, IdleSince: &since})
}
