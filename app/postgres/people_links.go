package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// hashOf is what is kept of a token that is shown once: a link's, or the state
// of a connection.
func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// CreateInvite keeps the hash of a token whose link makes one account.
func (s *Store) CreateInvite(ctx context.Context, token, role string, by app.User, expires, now time.Time) error {
	if err := app.CheckRole(role); err != nil {
		return err
	}
	return s.byAdmin(ctx, by, "user.invite", "new "+role, now, func(tx dbsqlc.DBTX, _ []int64) (before, after any, err error) {
		id, err := s.q.CreateInvite(ctx, tx, dbsqlc.CreateInviteParams{TokenSha256: hashOf(token), Role: role, CreatedBy: by.Name, CreatedAt: now, ExpiresAt: expires})
		return nil, map[string]any{"invite": id, "role": role, "expires": expires}, err
	})
}

// CreateReset keeps the hash of a token whose link gives an account a new
// password. Earlier ones for it close.
func (s *Store) CreateReset(ctx context.Context, token string, userID int64, by app.User, expires, now time.Time) (user app.User, err error) {
	err = s.onMember(ctx, userID, by, "user.reset", now, func(tx dbsqlc.DBTX, m member) (before, after any, err error) {
		if user = m.User; user.DisabledAt != nil {
			return nil, nil, app.Errorf(app.Conflict, "%s is disabled. Enable the account first.", user.Name)
		}
		if err := s.closeLinksFor(ctx, tx, user.ID, now); err != nil {
			return nil, nil, err
		}
		id, err := s.q.CreateInvite(ctx, tx, dbsqlc.CreateInviteParams{TokenSha256: hashOf(token), Role: user.Role, CreatedBy: by.Name, ForUser: &user.ID, CreatedAt: now, ExpiresAt: expires})
		return nil, map[string]any{"invite": id, "expires": expires}, err
	})
	return user, err
}

// closeLinksFor closes what would give an account a new password.
func (s *Store) closeLinksFor(ctx context.Context, tx dbsqlc.DBTX, userID int64, now time.Time) error {
	if err := s.q.RevokeLinksFor(ctx, tx, dbsqlc.RevokeLinksForParams{Now: &now, UserID: &userID}); err != nil {
		return fmt.Errorf("close links: %w", err)
	}
	return nil
}

// RevokeInvite closes a link that nobody has used.
func (s *Store) RevokeInvite(ctx context.Context, id string, by app.User, now time.Time) error {
	return s.byAdmin(ctx, by, "user.uninvite", id, now, func(tx dbsqlc.DBTX, _ []int64) (before, after any, err error) {
		was, err := s.q.RevokeInvite(ctx, tx, dbsqlc.RevokeInviteParams{Now: &now, ID: id})
		if noRows(err) {
			return nil, nil, app.Errorf(app.Conflict, "This link was used or revoked already.")
		}
		return map[string]string{"role": was.Role, "made_by": was.CreatedBy}, nil, notFound(err, "link")
	})
}

// InviteByToken is an open link.
func (s *Store) InviteByToken(ctx context.Context, token string, now time.Time) (app.Invite, error) {
	row, err := s.q.InviteByToken(ctx, s.pool, dbsqlc.InviteByTokenParams{TokenSha256: hashOf(token), Now: now})
	if noRows(err) {
		return app.Invite{}, errLinkClosed
	}
	return inviteOf(row.Invite, row.UserName), err
}

// OpenInvites are the links that can still be used, those that end first first.
func (s *Store) OpenInvites(ctx context.Context, now time.Time) ([]app.Invite, error) {
	rows, err := s.q.OpenInvites(ctx, s.pool, now)
	if err != nil {
		return nil, fmt.Errorf("read invites: %w", err)
	}
	out := make([]app.Invite, len(rows))
	for i, r := range rows {
		out[i] = inviteOf(r.Invite, r.UserName)
	}
	return out, nil
}

func inviteOf(i dbsqlc.Invite, forUser string) app.Invite {
	return app.Invite{ID: i.ID, Role: i.Role, ForUser: forUser, CreatedBy: i.CreatedBy, CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt}
}

// UseInvite does what a link is for, once: it makes an account with that name,
// or gives the account it was made for a new password.
func (s *Store) UseInvite(ctx context.Context, token, name, passwordHash string, now time.Time) (user app.User, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		invite, owner, err := s.inviteToUse(ctx, tx, hashOf(token), now)
		if err != nil {
			return err
		}
		if owner != nil {
			user, err = s.renewPassword(ctx, tx, *owner, passwordHash, now)
		} else {
			user, err = s.join(ctx, tx, name, invite, passwordHash, now)
		}
		if err != nil {
			return err
		}
		return s.q.UseInvite(ctx, tx, dbsqlc.UseInviteParams{UsedBy: &user.ID, TokenSha256: invite.TokenSha256})
	})
	return user, err
}

// inviteToUse locks an open link and the account that it is for, if any. The
// account is first, as in all that closes links.
func (s *Store) inviteToUse(ctx context.Context, tx pgx.Tx, hash []byte, now time.Time) (invite dbsqlc.Invite, owner *app.User, err error) {
	seen, err := s.q.InviteByToken(ctx, tx, dbsqlc.InviteByTokenParams{TokenSha256: hash, Now: now})
	if err == nil && seen.Invite.ForUser != nil {
		u, err := s.q.UserToChange(ctx, tx, *seen.Invite.ForUser)
		if err != nil {
			return invite, nil, fmt.Errorf("read account: %w", err)
		}
		user := userOf(u)
		owner = &user
	}
	if err == nil {
		invite, err = s.q.InviteToUse(ctx, tx, dbsqlc.InviteToUseParams{TokenSha256: hash, Now: now})
	}
	if noRows(err) {
		return invite, nil, errLinkClosed
	}
	if err != nil {
		return invite, nil, fmt.Errorf("read invite: %w", err)
	}
	return invite, owner, nil
}

var errLinkClosed = app.Errorf(app.NotFound, "This link was used already, was revoked, or is too old.")

func (s *Store) join(ctx context.Context, tx pgx.Tx, name string, invite dbsqlc.Invite, hash string, now time.Time) (app.User, error) {
	user, err := s.createUser(ctx, tx, name, invite.Role, hash, now)
	if err != nil {
		return user, err
	}
	return user, s.audit(ctx, tx, name, "user.join", name, now, nil, map[string]string{"role": invite.Role, "invited_by": invite.CreatedBy})
}

// renewPassword leaves nothing that signs in but the password: whoever made a
// passkey while the account was theirs is out.
func (s *Store) renewPassword(ctx context.Context, tx pgx.Tx, user app.User, hash string, now time.Time) (app.User, error) {
	if user.DisabledAt != nil {
		return user, errLinkClosed
	}
	ended, err := s.setPassword(ctx, tx, user, hash, now)
	if err != nil {
		return user, err
	}
	removed, err := s.q.RemovePasskeysOf(ctx, tx, user.ID)
	if err != nil {
		return user, fmt.Errorf("remove passkeys: %w", err)
	}
	user.PasswordHash = hash
	return user, s.audit(ctx, tx, user.Name, "user.password", user.Name, now, nil, map[string]any{"by": "one-time link", "sessions_ended": ended, "passkeys_removed": removed})
}
