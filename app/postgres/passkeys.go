package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

func passkeyOf(p dbsqlc.Passkey) app.Passkey {
	return app.Passkey{ID: p.ID, CredentialID: p.CredentialID, Name: p.Name, Credential: p.Credential, CreatedAt: p.CreatedAt, UsedAt: p.UsedAt}
}

// PasskeysOf are the user's passkeys, the oldest first.
func (s *Store) PasskeysOf(ctx context.Context, userID int64) ([]app.Passkey, error) {
	rows, err := s.q.PasskeysOf(ctx, s.pool, userID)
	if err != nil {
		return nil, fmt.Errorf("read passkeys: %w", err)
	}
	out := make([]app.Passkey, len(rows))
	for i, r := range rows {
		out[i] = passkeyOf(r)
	}
	return out, nil
}

// PasskeyByCredential returns a passkey and whose it is.
func (s *Store) PasskeyByCredential(ctx context.Context, credentialID []byte) (app.Passkey, app.User, error) {
	row, err := s.q.PasskeyByCredential(ctx, s.pool, credentialID)
	if err != nil {
		return app.Passkey{}, app.User{}, notFound(err, "passkey")
	}
	return passkeyOf(row.Passkey), userOf(row.User), nil
}

// AddPasskey lets p sign the user in.
func (s *Store) AddPasskey(ctx context.Context, user app.User, p app.Passkey, now time.Time) error {
	return s.audited(ctx, user.Name, "passkey.add", user.Name, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		_, err = s.q.AddPasskey(ctx, tx, dbsqlc.AddPasskeyParams{CredentialID: p.CredentialID, Name: p.Name, Credential: p.Credential, CreatedAt: now, UserID: user.ID})
		switch {
		case isConstraint(err, "passkeys_credential_id_key"):
			return nil, nil, app.Errorf(app.Conflict, "This passkey is known already.")
		case isConstraint(err, "passkeys_name_check"):
			return nil, nil, app.Errorf(app.Invalid, "A passkey's name has 1 to 60 characters.")
		case err != nil:
			return nil, nil, notFound(err, "account")
		}
		return nil, map[string]string{"passkey": p.Name}, nil
	})
}

// RemovePasskey makes one of the user's passkeys worth nothing.
func (s *Store) RemovePasskey(ctx context.Context, user app.User, id string, now time.Time) error {
	return s.audited(ctx, user.Name, "passkey.remove", user.Name, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		name, err := s.q.RemovePasskey(ctx, tx, dbsqlc.RemovePasskeyParams{ID: id, UserID: user.ID})
		if err != nil {
			return nil, nil, notFound(err, "passkey")
		}
		return map[string]string{"passkey": name}, nil, nil
	})
}

// UsePasskey keeps what a use has made of p, its counter above all. Of two uses
// that saw the same counter one is refused.
func (s *Store) UsePasskey(ctx context.Context, p app.Passkey, credential json.RawMessage, now time.Time) error {
	return s.usePasskey(ctx, s.pool, p, credential, now)
}

func (s *Store) usePasskey(ctx context.Context, tx dbsqlc.DBTX, p app.Passkey, credential json.RawMessage, now time.Time) error {
	n, err := s.q.UsePasskey(ctx, tx, dbsqlc.UsePasskeyParams{Credential: credential, Now: &now, ID: p.ID, Before: p.Credential})
	if err != nil {
		return fmt.Errorf("use passkey: %w", err)
	}
	if n == 0 {
		return app.Errorf(app.Conflict, "This passkey was used or removed at the same moment. Try again.")
	}
	return nil
}

// SuspectPasskey keeps that p may have been copied, for its owner and the
// admins to see.
func (s *Store) SuspectPasskey(ctx context.Context, user app.User, p app.Passkey, credential json.RawMessage, now time.Time) error {
	return s.audited(ctx, user.Name, "passkey.suspect", user.Name, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		return nil, map[string]string{"passkey": p.Name}, s.usePasskey(ctx, tx, p, credential, now)
	})
}
