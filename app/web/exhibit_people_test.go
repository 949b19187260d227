package web_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"vivra/app"
)

// ---- web.Accounts

func (x *exhibit) UserByName(_ context.Context, name string) (app.User, error) {
	return x.user(func(u app.User) bool { return strings.EqualFold(u.Name, strings.TrimSpace(name)) })
}

func (x *exhibit) user(is func(app.User) bool) (app.User, error) {
	defer x.lock()()
	if i := slices.IndexFunc(x.users, is); i >= 0 {
		return x.users[i], x.down
	}
	return app.User{}, app.Errorf(app.NotFound, "There is no such account.")
}

func (x *exhibit) Rehash(_ context.Context, user app.User, hash string) error {
	defer x.lock()()
	for i := range x.users {
		if x.users[i].ID == user.ID {
			x.users[i].PasswordHash = hash
		}
	}
	return x.down
}

func (x *exhibit) ChangePassword(_ context.Context, user app.User, _ string, _ time.Time) error {
	return x.tell("password of %s", user.Name)
}
func (x *exhibit) ChangeRole(_ context.Context, id int64, role app.Role, by app.User, _ time.Time) error {
	if err := app.CheckRole(role); err != nil {
		return err
	}
	return x.tell("role of %d is %s by %s", id, role, by.Name)
}
func (x *exhibit) DisableUser(_ context.Context, id int64, by app.User, _ time.Time) error {
	return x.tell("disable %d by %s", id, by.Name)
}
func (x *exhibit) EnableUser(_ context.Context, id int64, by app.User, _ time.Time) error {
	return x.tell("enable %d by %s", id, by.Name)
}
func (x *exhibit) EndSessionsOf(_ context.Context, id int64, by app.User, _ time.Time) error {
	return x.tell("end sessions of %d by %s", id, by.Name)
}
func (x *exhibit) RemovePasskeysOf(_ context.Context, id int64, by app.User, _ time.Time) error {
	return x.tell("remove passkeys of %d by %s", id, by.Name)
}
func (x *exhibit) EndSession(context.Context, app.User, string, time.Time) error { return x.down }
func (x *exhibit) EndOtherSessions(context.Context, app.User, string, time.Time) error {
	return x.down
}

func (x *exhibit) CreateInvite(_ context.Context, _ string, role app.Role, by app.User, _, _ time.Time) error {
	if err := app.CheckRole(role); err != nil {
		return err
	}
	return x.tell("invite %s by %s", role, by.Name)
}

func (x *exhibit) CreateReset(_ context.Context, _ string, id int64, by app.User, _, _ time.Time) (app.User, error) {
	return app.User{ID: id, Name: "viewer"}, x.tell("reset %d by %s", id, by.Name)
}

func (x *exhibit) RevokeInvite(_ context.Context, id string, by app.User, _ time.Time) error {
	return x.tell("revoke %s by %s", id, by.Name)
}

func (x *exhibit) OpenInvites(context.Context, time.Time) ([]app.Invite, error) {
	return []app.Invite{{ID: "i1", Role: app.RoleApprover, CreatedBy: "ada", CreatedAt: today, ExpiresAt: today.AddDate(0, 0, 7)},
		{ID: "i2", Role: app.RoleViewer, ForUser: "viewer", CreatedBy: "admin", CreatedAt: today, ExpiresAt: today.AddDate(0, 0, 6)}}, x.down
}

func (x *exhibit) InviteByToken(_ context.Context, token string, _ time.Time) (app.Invite, error) {
	switch token {
	case "invite":
		return app.Invite{Role: app.RoleAdmin}, x.down
	case "reset":
		return app.Invite{Role: app.RoleViewer, ForUser: "viewer"}, x.down
	}
	return app.Invite{}, app.Errorf(app.NotFound, "This link was used already, was revoked, or is too old.")
}

func (x *exhibit) UseInvite(ctx context.Context, token, name, hash string, now time.Time) (app.User, error) {
	if _, err := x.InviteByToken(ctx, token, now); err != nil {
		return app.User{}, err
	}
	defer func() { _ = x.tell("invite used by %s", name) }()
	defer x.lock()()
	u := app.User{ID: int64(len(x.users) + 1), Name: name, Role: app.RoleAdmin, PasswordHash: hash}
	x.users = append(x.users, u)
	return u, x.down
}

func (x *exhibit) PasskeysOf(context.Context, int64) ([]app.Passkey, error) {
	used := today.Add(-time.Hour)
	return []app.Passkey{{ID: "p1", Name: "Laptop <b>", Credential: must(map[string]any{}), CreatedAt: j0, UsedAt: &used},
		{ID: "p2", Name: "Phone", Credential: must(map[string]any{"authenticator": map[string]bool{"cloneWarning": true}}), CreatedAt: j0}}, x.down
}

func (x *exhibit) PasskeyByCredential(context.Context, []byte) (app.Passkey, app.User, error) {
	return app.Passkey{}, app.User{}, app.Errorf(app.NotFound, "There is no such passkey.")
}
func (x *exhibit) AddPasskey(context.Context, app.User, app.Passkey, time.Time) error { return x.down }
func (x *exhibit) RemovePasskey(_ context.Context, user app.User, id string, _ time.Time) error {
	return x.tell("remove passkey %s of %s", id, user.Name)
}
func (x *exhibit) UsePasskey(context.Context, app.Passkey, json.RawMessage, time.Time) error {
	return x.down
}
func (x *exhibit) SuspectPasskey(context.Context, app.User, app.Passkey, json.RawMessage, time.Time) error {
	return x.down
}

// memory is a session store for tests that need no database.
type memory struct {
	x  *exhibit
	mu sync.Mutex
	m  map[string][]byte
	by map[string]int64 // the user of a session
}

func newMemory(x *exhibit) *memory {
	return &memory{x: x, m: map[string][]byte{}, by: map[string]int64{}}
}

func (s *memory) Find(token string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.m[token]
	return b, ok, nil
}

func (s *memory) Commit(token string, b []byte, _ time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[token] = b
	return nil
}

func (s *memory) Delete(token string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, token)
	delete(s.by, token)
	return nil
}

func (s *memory) FindCtx(_ context.Context, token string) ([]byte, bool, error) { return s.Find(token) }
func (s *memory) CommitCtx(_ context.Context, token string, b []byte, e time.Time) error {
	return s.Commit(token, b, e)
}
func (s *memory) DeleteCtx(_ context.Context, token string) error { return s.Delete(token) }

func (s *memory) SignIn(_ context.Context, token string, user app.User, _, _ string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by[token] = user.ID
	return nil
}

func (s *memory) SignedIn(_ context.Context, token string) (app.User, app.Session, error) {
	s.mu.Lock()
	id := s.by[token]
	s.mu.Unlock()
	user, err := s.x.user(func(u app.User) bool { return u.ID == id })
	return user, app.Session{ID: "s1", Current: true}, err
}

func (s *memory) Touch(context.Context, string, app.Session) error { return nil }

func (s *memory) SessionsOf(context.Context, int64) ([]app.Session, error) {
	const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	return []app.Session{{ID: "s1", Browser: chrome, StartedAt: today.Add(-time.Hour), SeenAt: today},
		{ID: "s2", Browser: hostile, StartedAt: today.Add(-3 * time.Hour), SeenAt: today.Add(-time.Hour)}}, s.x.down
}

func (s *memory) Members(context.Context) (all []app.Member, err error) {
	defer s.x.lock()()
	for _, u := range s.x.users {
		all = append(all, app.Member{User: u, Passkeys: 2, Sessions: 1, SeenAt: &today})
	}
	left := today.AddDate(0, 0, -2)
	all = append(all, app.Member{User: app.User{ID: 98, Name: "newcomer", Role: app.RoleViewer}},
		app.Member{User: app.User{ID: 99, Name: "a.name-as_long.as-names_can.be-40-letters", Role: app.RoleApprover, PasswordHash: "x", DisabledAt: &left}, SeenAt: &left})
	return all, s.x.down
}

func (s *memory) KeepChallenge(context.Context, string, string) error { return nil }
func (s *memory) TakeChallenge(context.Context, string) (string, error) {
	return "", app.Errorf(app.NotFound, "There is no such challenge.")
}
