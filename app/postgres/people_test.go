package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

// hired makes accounts with a password, the role being the name's first word.
func (w *world) hired(names ...string) map[string]app.User {
	w.t.Helper()
	all := map[string]app.User{}
	for _, name := range names {
		role, _, _ := strings.Cut(name, ".")
		u, err := w.store.CreateUser(w.ctx, name, role, "hash of "+name, "cli", j0)
		w.must(err)
		all[name] = u
	}
	return all
}

// dump is everything that a table holds.
func (w *world) dump(table string) (text string) {
	w.t.Helper()
	w.scan([]any{&text}, `SELECT coalesce(string_agg(t::text, ' '), '') FROM `+table+` t`)
	return text
}

// lastAudit is the newest audit row as a line.
func (w *world) lastAudit() string {
	w.t.Helper()
	rows, err := w.store.Audit(w.ctx, 1)
	w.must(err)
	r := rows[0]
	return fmt.Sprintf("%s %s %s: %s → %s", r.User, r.Action, r.Subject, r.Before, r.After)
}

func TestInvitesWorkOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	if some, err := w.store.HasAdmin(w.ctx); err != nil || some {
		t.Errorf("there is an admin: %t, %v", some, err)
	}
	w.must(w.store.CreateInvite(w.ctx, "token-1", "approver", app.User{Name: "start"}, j0.Add(time.Hour), j0))
	names := []string{"ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal"}
	won := 0
	for _, err := range together(len(names), func(i int) error {
		_, err := w.store.UseInvite(w.ctx, "token-1", names[i], "hash", j0)
		return err
	}) {
		if err == nil {
			won++
		} else if !isKind(err, app.NotFound) || !strings.Contains(err.Error(), "used already") {
			t.Error(err)
		}
	}
	if won != 1 || w.count("users") != 1 || w.count("users WHERE role = 'approver'") != 1 || w.count("admin_audit WHERE action = 'user.join'") != 1 {
		t.Errorf("one invite made %d accounts", won)
	}
	for _, table := range []string{"invites", "admin_audit"} {
		if strings.Contains(w.dump(table), "token-1") {
			t.Errorf("%s keeps the token itself", table)
		}
	}
}

func TestInvitesExpire(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.must(w.store.CreateInvite(w.ctx, "token", "admin", app.User{Name: "start"}, j0.Add(time.Hour), j0))
	for _, tt := range []struct {
		token string
		at    time.Time
		open  bool
	}{{"token", j0, true}, {"token", j0.Add(time.Hour - time.Second), true}, {"token", j0.Add(time.Hour), false}, {"another", j0, false}} {
		if invite, err := w.store.InviteByToken(w.ctx, tt.token, tt.at); (err == nil) != tt.open || tt.open && invite.Role != "admin" || !tt.open && !isKind(err, app.NotFound) {
			t.Errorf("%s at %s: %+v, %v", tt.token, tt.at, invite, err)
		}
		if !tt.open {
			if _, err := w.store.UseInvite(w.ctx, tt.token, "ann", "hash", tt.at); !isKind(err, app.NotFound) {
				t.Errorf("%s at %s: %v", tt.token, tt.at, err)
			}
		}
	}
	// A name that can't be had does not use the invite up.
	w.hired("viewer")
	for name, kind := range map[string]app.Kind{"viewer": app.Conflict, "": app.Invalid, strings.Repeat("n", 61): app.Invalid, "<b>": app.Invalid} {
		if _, err := w.store.UseInvite(w.ctx, "token", name, "hash", j0); !isKind(err, kind) {
			t.Errorf("the name %q: %v", name, err)
		}
	}
	user, err := w.store.UseInvite(w.ctx, "token", "bea", "hash", j0)
	if err != nil || user.Role != "admin" || user.Handle == "" {
		t.Errorf("%+v, %v", user, err)
	}
	if got, err := w.store.UserByName(w.ctx, "bea"); err != nil || got != user {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := w.store.UserByName(w.ctx, "nobody"); !isKind(err, app.NotFound) {
		t.Errorf("nobody: %v", err)
	}
}

func TestInvitesAreRevoked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	admin := w.hired("admin")["admin"]
	w.must(w.store.CreateInvite(w.ctx, "token", "viewer", admin, j0.Add(time.Hour), j0))
	open, err := w.store.OpenInvites(w.ctx, j0)
	if err != nil || len(open) != 1 || open[0].CreatedBy != "admin" || open[0].Role != "viewer" {
		t.Fatalf("%+v, %v", open, err)
	}
	w.must(w.store.RevokeInvite(w.ctx, open[0].ID, admin, j0))
	if got := w.lastAudit(); !strings.Contains(got, "admin user.uninvite "+open[0].ID) || !strings.Contains(got, `"viewer"`) {
		t.Errorf("the audit says %s", got)
	}
	if _, err := w.store.UseInvite(w.ctx, "token", "eve", "hash", j0); !isKind(err, app.NotFound) {
		t.Errorf("a revoked link: %v", err)
	}
	for id, kind := range map[string]app.Kind{open[0].ID: app.Conflict, "1": app.NotFound} {
		if err := w.store.RevokeInvite(w.ctx, id, admin, j0); !isKind(err, kind) {
			t.Errorf("revoking %s again: %v", id, err)
		}
	}
	if open, err := w.store.OpenInvites(w.ctx, j0); err != nil || len(open) != 0 {
		t.Errorf("%+v, %v", open, err)
	}
}

// TestTheLastAdminStays while several admins turn on one another at a time, in
// every way that would leave none.
func TestTheLastAdminStays(t *testing.T) {
	t.Parallel()
	for round := range 6 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, app.Dollar)
			all := w.hired("admin.a", "admin.b", "admin.c")
			w.must(ignore(w.store.CreateUser(w.ctx, "admin.unused", "admin", "", "cli", j0))) // can't sign in: is no admin to count on
			names := []string{"admin.a", "admin.b", "admin.c"}
			errs := together(12, func(i int) error {
				by, whom := all[names[i%3]], all[names[(i+i/3)%3]] // others and themselves
				if i%2 == 0 {
					return w.store.DisableUser(w.ctx, whom.ID, by, j0)
				}
				return w.store.ChangeRole(w.ctx, whom.ID, "viewer", by, j0)
			})
			for _, err := range errs {
				if err != nil && !isKind(err, app.Conflict) && !isKind(err, app.Denied) {
					t.Error(err)
				}
			}
			if n := w.count("users WHERE role = 'admin' AND disabled_at IS NULL AND password_hash <> ''"); n != 1 {
				t.Errorf("%d admins are left, want 1: %v", n, errs)
			}
			if n := w.count("admin_audit WHERE action IN ('user.disable', 'user.role')"); n != w.count("users WHERE disabled_at IS NOT NULL")+w.count("users WHERE role = 'viewer'") {
				t.Errorf("%d changes are in the audit", n)
			}
		})
	}
}

func ignore(_ app.User, err error) error { return err }

// TestWhatEndsWhenAMemberIsShutOut: sessions, the links for it, and those it
// made to come back through.
func TestWhatEndsWhenAMemberIsShutOut(t *testing.T) {
	t.Parallel()
	for action, change := range map[string]func(*world, app.User, app.User) error{
		"user.role":    func(w *world, u, by app.User) error { return w.store.ChangeRole(w.ctx, u.ID, "approver", by, j0) },
		"user.disable": func(w *world, u, by app.User) error { return w.store.DisableUser(w.ctx, u.ID, by, j0) },
	} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, app.Dollar)
			all := w.hired("admin.a", "admin.b")
			a, b := all["admin.a"], all["admin.b"]
			sessions := w.store.Sessions(func() time.Time { return wall })
			for token, u := range map[string]app.User{"of a": a, "of b": b} {
				w.must(sessions.CommitCtx(w.ctx, token, []byte("data"), wall.Add(time.Hour)))
				w.must(sessions.SignIn(w.ctx, token, u, "password", "Firefox"))
			}
			w.must(w.store.CreateInvite(w.ctx, "back door", "admin", b, j0.Add(time.Hour), j0))
			w.must(ignore(w.store.CreateReset(w.ctx, "for b", b.ID, a, j0.Add(time.Hour), j0)))
			w.must(ignore(w.store.CreateReset(w.ctx, "for a", a.ID, a, j0.Add(time.Hour), j0)))

			w.must(change(w, b, a))
			if got := w.lastAudit(); !strings.HasPrefix(got, "admin.a "+action+" admin.b: ") || !strings.Contains(got, `"sessions_ended": 1`) {
				t.Errorf("the audit says %s", got)
			}
			if _, _, err := sessions.SignedIn(w.ctx, "of b"); !isKind(err, app.NotFound) {
				t.Errorf("its session goes on: %v", err)
			}
			if u, _, err := sessions.SignedIn(w.ctx, "of a"); err != nil || u.ID != a.ID {
				t.Errorf("another's session ended: %v", err)
			}
			for token, open := range map[string]bool{"back door": false, "for b": false, "for a": true} {
				if _, err := w.store.InviteByToken(w.ctx, token, j0); (err == nil) != open {
					t.Errorf("the link %s: %v", token, err)
				}
			}
			if err := w.store.CreateInvite(w.ctx, "late", "admin", b, j0.Add(time.Hour), j0); !isKind(err, app.Denied) {
				t.Errorf("an admin that was makes a link: %v", err)
			}
			rows := w.count("admin_audit")
			if err := change(w, b, a); err != nil || w.count("admin_audit") != rows {
				t.Errorf("the same once more: %v, and %d audit rows", err, w.count("admin_audit")-rows)
			}
		})
	}
}

func TestNewPasswordByLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	all := w.hired("admin", "viewer")
	sessions := w.store.Sessions(func() time.Time { return wall })
	w.must(sessions.CommitCtx(w.ctx, "s", []byte("data"), wall.Add(time.Hour)))
	w.must(sessions.SignIn(w.ctx, "s", all["viewer"], "password", ""))
	w.must(ignore(w.store.CreateReset(w.ctx, "first", all["viewer"].ID, all["admin"], j0.Add(time.Hour), j0)))
	w.must(ignore(w.store.CreateReset(w.ctx, "second", all["viewer"].ID, all["admin"], j0.Add(time.Hour), j0)))
	if _, err := w.store.UseInvite(w.ctx, "first", "", "new", j0); !isKind(err, app.NotFound) {
		t.Errorf("the earlier link: %v", err)
	}
	if invite, err := w.store.InviteByToken(w.ctx, "second", j0); err != nil || invite.ForUser != "viewer" {
		t.Errorf("%+v, %v", invite, err)
	}
	user, err := w.store.UseInvite(w.ctx, "second", "somebody else", "new", j0)
	if err != nil || user.Name != "viewer" || user.PasswordHash != "new" || w.count("users") != 2 {
		t.Errorf("%+v, %v", user, err)
	}
	if _, _, err := sessions.SignedIn(w.ctx, "s"); !isKind(err, app.NotFound) {
		t.Errorf("a session outlives the password: %v", err)
	}
	if got := w.lastAudit(); !strings.HasPrefix(got, "viewer user.password viewer: ") || strings.Contains(got, "new") {
		t.Errorf("the audit says %s", got)
	}
	w.must(ignore(w.store.CreateReset(w.ctx, "third", all["viewer"].ID, all["admin"], j0.Add(time.Hour), j0)))
	w.must(w.store.DisableUser(w.ctx, all["viewer"].ID, all["admin"], j0))
	if _, err := w.store.CreateReset(w.ctx, "fourth", all["viewer"].ID, all["admin"], j0.Add(time.Hour), j0); !isKind(err, app.Conflict) {
		t.Errorf("a link for a disabled account: %v", err)
	}
	w.must(w.store.EnableUser(w.ctx, all["viewer"].ID, all["admin"], j0))
	if _, err := w.store.UseInvite(w.ctx, "third", "", "again", j0); !isKind(err, app.NotFound) {
		t.Errorf("a link outlived its account's being disabled: %v", err)
	}
}

// TestOfTwoPasswordsAtATimeOneIsSet: the other was asked of an account that is
// no more as it was.
func TestOfTwoPasswordsAtATimeOneIsSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	user := w.hired("viewer")["viewer"]
	errs := together(8, func(i int) error { return w.store.ChangePassword(w.ctx, user, fmt.Sprint("new ", i), j0) })
	if n := len(slices.DeleteFunc(errs, func(err error) bool { return isKind(err, app.Conflict) })); n != 1 || w.count("admin_audit WHERE action = 'user.password'") != 1 {
		t.Errorf("%d passwords were set: %v", n, errors.Join(errs...))
	}
	w.must(w.store.Rehash(w.ctx, user, "rehash of the old one"))
	if got, err := w.store.UserByID(w.ctx, user.ID); err != nil || !strings.HasPrefix(got.PasswordHash, "new ") {
		t.Errorf("a late rehash took a new password's place: %q, %v", got.PasswordHash, err)
	}
}

// TestALinkIsUsedWhileItsAccountChanges: whoever comes first, nobody waits for
// the other for ever, and a disabled account gets no password.
func TestALinkIsUsedWhileItsAccountChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	all := w.hired("admin", "viewer")
	for round := range 12 {
		token, viewer := fmt.Sprint("token", round), all["viewer"]
		w.must(ignore(w.store.CreateReset(w.ctx, token, viewer.ID, all["admin"], j0.Add(time.Hour), j0)))
		errs := together(2, func(i int) error {
			if i == 0 {
				return ignore(w.store.UseInvite(w.ctx, token, "", token, j0))
			}
			return w.store.DisableUser(w.ctx, viewer.ID, all["admin"], j0)
		})
		if errs[1] != nil || errs[0] != nil && !isKind(errs[0], app.NotFound) {
			t.Fatalf("round %d: %v", round, errs)
		}
		w.must(w.store.EnableUser(w.ctx, viewer.ID, all["admin"], j0))
		if got, err := w.store.UserByID(w.ctx, viewer.ID); err != nil || (got.PasswordHash == token) != (errs[0] == nil) {
			t.Errorf("round %d: %v, and the password is %q", round, errs[0], got.PasswordHash)
		}
	}
}

// TestNamesThatPassForAnother are refused: who approved must be told apart.
func TestNamesThatPassForAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.hired("admin.Ada", "viewer.bill")
	for want, names := range map[app.Kind][]string{
		app.Conflict: {"ADMIN.ada", "admin.Ada", "viewer.blll", "viewer.b1ll", "VIEWER.BILL", "vievver.bill", "viewer.bíll"},
		app.Invalid: {"аdmin.ada", "admιn.ada", "ａdmin.ada", "admin.ada\u200b", "admin ada", "policy", "Policy", "pol1cy", "POLlCY", "system", "team", "cli", "c1i", "start", "vivra", "Vivra",
			"..", "--x", "_x", ".admin", "мiр", "Ⅳictor", "²nd", "٤نuser", "a", "", strings.Repeat("a", 41)},
		"": {"ada", "żółw", "мира", "山田たろう", "li.4", "4ever", "Ann-Marie_2"},
	} {
		for _, name := range names {
			if _, err := w.store.CreateUser(w.ctx, name, app.RoleViewer, "", "cli", j0); want == "" && err != nil || want != "" && !isKind(err, want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
	made := 0
	for _, err := range together(8, func(i int) error {
		return ignore(w.store.CreateUser(w.ctx, []string{"zoe.l", "zoe.1", "ZOE.I", "zoe.i"}[i%4], app.RoleViewer, "", "cli", j0))
	}) {
		if err == nil {
			made++
		} else if !isKind(err, app.Conflict) {
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("%d of the names that look alike were made", made)
	}
}

// TestNamesAreFoundAsTheyAreTyped: a phone begins with a capital and ends with a blank.
func TestNamesAreFoundAsTheyAreTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.hired("viewer.Élodie")
	for _, typed := range []string{"viewer.Élodie", "Viewer.élodie ", " VIEWER.ÉLODIE\t"} {
		if u, err := w.store.UserByName(w.ctx, typed); err != nil || u.Name != "viewer.Élodie" {
			t.Errorf("%q is %q, %v", typed, u.Name, err)
		}
	}
}
