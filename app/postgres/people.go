package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// ChangeRole lets a member do more or less. Its sessions end.
func (s *Store) ChangeRole(ctx context.Context, userID int64, role string, by app.User, now time.Time) error {
	if err := app.CheckRole(role); err != nil {
		return err
	}
	return s.onMember(ctx, userID, by, "user.role", now, func(tx dbsqlc.DBTX, m member) (before, after any, err error) {
		if m.Role == role {
			return nil, nil, errUnchanged
		}
		if err := m.mayStopBeingAdmin(); err != nil {
			return nil, nil, err
		}
		if err := s.q.SetRole(ctx, tx, dbsqlc.SetRoleParams{Role: role, ID: m.ID}); err != nil {
			return nil, nil, fmt.Errorf("set role: %w", err)
		}
		ended, err := s.shutOut(ctx, tx, m.User, now)
		return map[string]any{"role": m.Role}, map[string]any{"role": role, "sessions_ended": ended}, err
	})
}

// DisableUser shuts a member out until it is enabled again.
func (s *Store) DisableUser(ctx context.Context, userID int64, by app.User, now time.Time) error {
	return s.onMember(ctx, userID, by, "user.disable", now, func(tx dbsqlc.DBTX, m member) (before, after any, err error) {
		if m.DisabledAt != nil {
			return nil, nil, errUnchanged
		}
		if err := m.mayStopBeingAdmin(); err != nil {
			return nil, nil, err
		}
		if err := s.q.SetDisabled(ctx, tx, dbsqlc.SetDisabledParams{DisabledAt: &now, ID: m.ID}); err != nil {
			return nil, nil, fmt.Errorf("disable account: %w", err)
		}
		ended, err := s.shutOut(ctx, tx, m.User, now)
		return map[string]any{"disabled": false}, map[string]any{"disabled": true, "sessions_ended": ended}, err
	})
}

// EnableUser lets a member sign in again.
func (s *Store) EnableUser(ctx context.Context, userID int64, by app.User, now time.Time) error {
	return s.onMember(ctx, userID, by, "user.enable", now, func(tx dbsqlc.DBTX, m member) (before, after any, err error) {
		if m.DisabledAt == nil {
			return nil, nil, errUnchanged
		}
		err = s.q.SetDisabled(ctx, tx, dbsqlc.SetDisabledParams{ID: m.ID})
		return map[string]any{"disabled": true}, map[string]any{"disabled": false}, err
	})
}

// EndSessionsOf signs a member out everywhere.
func (s *Store) EndSessionsOf(ctx context.Context, userID int64, by app.User, now time.Time) error {
	return s.onMember(ctx, userID, by, "user.sign_out", now, func(tx dbsqlc.DBTX, m member) (before, after any, err error) {
		return s.endAll(ctx, tx, m.ID, "")
	})
}

// RemovePasskeysOf makes all of a member's passkeys worth nothing, and ends the
// sessions that they may have opened.
func (s *Store) RemovePasskeysOf(ctx context.Context, userID int64, by app.User, now time.Time) error {
	return s.onMember(ctx, userID, by, "user.passkeys", now, func(tx dbsqlc.DBTX, m member) (before, after any, err error) {
		removed, err := s.q.RemovePasskeysOf(ctx, tx, m.ID)
		if err != nil {
			return nil, nil, fmt.Errorf("remove passkeys: %w", err)
		}
		if removed == 0 {
			return nil, nil, errUnchanged
		}
		ended, err := s.endSessions(ctx, tx, m.ID, "")
		return map[string]int64{"passkeys": removed}, map[string]int64{"passkeys": 0, "sessions_ended": ended}, err
	})
}

// shutOut ends a member's sessions and closes the links for it and by it: what
// it might have made to come back through.
func (s *Store) shutOut(ctx context.Context, tx dbsqlc.DBTX, user app.User, now time.Time) (ended int64, err error) {
	if err := s.closeLinksFor(ctx, tx, user.ID, now); err != nil {
		return 0, err
	}
	if err := s.q.RevokeLinksBy(ctx, tx, dbsqlc.RevokeLinksByParams{Now: &now, CreatedBy: user.Name}); err != nil {
		return 0, fmt.Errorf("close links: %w", err)
	}
	if err := s.q.ForgetFirstApprovals(ctx, tx, user.Name); err != nil {
		return 0, fmt.Errorf("forget first approvals: %w", err)
	}
	return s.endSessions(ctx, tx, user.ID, "")
}

// member is an account that is about to be changed, and the admins there are.
type member struct {
	app.User
	admins []int64
}

func (m member) mayStopBeingAdmin() error {
	if slices.Equal(m.admins, []int64{m.ID}) {
		return app.Errorf(app.Conflict, "%s is the last admin who can sign in. Make someone else an admin first.", m.Name)
	}
	return nil
}

// onMember runs fn on a member under the lock that every change of a member
// takes.
func (s *Store) onMember(ctx context.Context, id int64, by app.User, action string, now time.Time, fn func(dbsqlc.DBTX, member) (before, after any, err error)) error {
	u, err := s.UserByID(ctx, id)
	if err != nil {
		return err
	}
	return unlessUnchanged(s.byAdmin(ctx, by, action, u.Name, now, func(tx dbsqlc.DBTX, admins []int64) (before, after any, err error) {
		u, err := s.q.UserToChange(ctx, tx, id)
		if err != nil {
			return nil, nil, fmt.Errorf("read account: %w", err)
		}
		return fn(tx, member{userOf(u), admins})
	}))
}

// errUnchanged keeps an audit row from being written: it was so already.
var errUnchanged = errors.New("unchanged")

func unlessUnchanged(err error) error {
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// byAdmin runs fn with the admins locked, in one order: of several that change
// one another at a time, each sees what the one before has done, and one that
// is no admin any more changes nothing. The command line has no account.
func (s *Store) byAdmin(ctx context.Context, by app.User, action, subject string, now time.Time, fn func(dbsqlc.DBTX, []int64) (before, after any, err error)) error {
	return s.audited(ctx, by.Name, action, subject, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		admins, err := s.q.AdminsToChange(ctx, tx)
		if err != nil {
			return nil, nil, fmt.Errorf("lock admins: %w", err)
		}
		if by.ID != 0 && !slices.Contains(admins, by.ID) {
			return nil, nil, app.Errorf(app.Denied, "Your account is not an admin's any more. Nothing was changed.")
		}
		return fn(tx, admins)
	})
}
