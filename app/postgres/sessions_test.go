package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	now := j0
	sessions := w.store.Sessions(func() time.Time { return now })
	w.must(sessions.CommitCtx(w.ctx, "s1", []byte("one"), j0.Add(time.Hour)))
	w.must(sessions.CommitCtx(w.ctx, "s1", []byte("two"), j0.Add(2*time.Hour)))
	w.must(sessions.CommitCtx(w.ctx, "s2", []byte("short"), j0.Add(time.Hour)))
	find := func(token string) string {
		b, found, err := sessions.FindCtx(w.ctx, token)
		w.must(err)
		if found != (b != nil) {
			t.Errorf("%s: found %t with %q", token, found, b)
		}
		return string(b)
	}
	if find("s1") != "two" || find("s2") != "short" || find("s3") != "" {
		t.Errorf("at first: %q %q %q", find("s1"), find("s2"), find("s3"))
	}
	if held := w.dump("sessions"); strings.Contains(held, "s1") || strings.Contains(held, "s2") {
		t.Errorf("the table holds a cookie's token: %s", held)
	}
	now = j0.Add(time.Hour)
	if find("s1") != "two" || find("s2") != "" {
		t.Errorf("after an hour: %q %q", find("s1"), find("s2"))
	}
	w.must(w.store.DeleteExpiredSessions(w.ctx, now))
	if n := w.count("sessions"); n != 1 {
		t.Errorf("%d sessions are kept", n)
	}
	w.must(sessions.DeleteCtx(w.ctx, "s1"))
	if find("s1") != "" {
		t.Error("a session outlives its end")
	}
}

// TestIdleSessionsEnd, and those that are used do not, until their lifetime is
// over.
func TestIdleSessionsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	now := wall
	sessions := w.store.Sessions(func() time.Time { return now })
	user := w.hired("viewer")["viewer"]
	for _, token := range []string{"used", "idle"} {
		w.must(sessions.CommitCtx(w.ctx, token, []byte("data"), wall.Add(app.SessionLifetime)))
		w.must(sessions.SignIn(w.ctx, token, user, "password", token))
	}
	for hour := 1; hour <= 11; hour++ {
		now = wall.Add(time.Duration(hour) * time.Hour)
		_, session, err := sessions.SignedIn(w.ctx, "used")
		w.must(err)
		w.must(sessions.Touch(w.ctx, "used", session))
		if _, _, err := sessions.SignedIn(w.ctx, "idle"); (err == nil) != (hour < 2) {
			t.Errorf("idle for %d h: %v", hour, err)
		}
	}
	members, err := sessions.Members(w.ctx)
	if err != nil || members[0].Sessions != 1 || !members[0].SeenAt.Equal(now) {
		t.Errorf("%+v, %v", members, err)
	}
	if open, err := sessions.SessionsOf(w.ctx, user.ID); err != nil || len(open) != 1 || open[0].Browser != "used" || !open[0].StartedAt.Equal(wall) || !open[0].SeenAt.Equal(now) {
		t.Errorf("%+v, %v", open, err)
	}
	w.must(w.store.DeleteExpiredSessions(w.ctx, now))
	if n := w.count("sessions"); n != 1 {
		t.Errorf("%d sessions are kept", n)
	}
	now = wall.Add(app.SessionLifetime)
	if _, _, err := sessions.SignedIn(w.ctx, "used"); !isKind(err, app.NotFound) {
		t.Errorf("after its lifetime: %v", err)
	}
	if members, err := sessions.Members(w.ctx); err != nil || members[0].Sessions != 0 || members[0].SeenAt == nil {
		t.Errorf("%+v, %v", members, err)
	}
}

// TestAnEndedSessionIsNobodysWhenItIsSavedLate: a request that was under way
// when its session was ended brings back no one.
func TestAnEndedSessionIsNobodysWhenItIsSavedLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	sessions := w.store.Sessions(func() time.Time { return wall })
	user := w.hired("viewer")["viewer"]
	w.must(sessions.CommitCtx(w.ctx, "s", []byte("data"), wall.Add(time.Hour)))
	w.must(sessions.SignIn(w.ctx, "s", user, "password", ""))
	_, session, err := sessions.SignedIn(w.ctx, "s")
	w.must(err)
	w.must(w.store.EndSession(w.ctx, user, session.ID, j0))
	w.must(sessions.CommitCtx(w.ctx, "s", []byte("late"), wall.Add(time.Hour)))
	if _, _, err := sessions.SignedIn(w.ctx, "s"); !isKind(err, app.NotFound) {
		t.Errorf("it is somebody's again: %v", err)
	}
}

// TestSignInIsOfTheAccountAsItWasRead: what was checked before must still hold.
func TestSignInIsOfTheAccountAsItWasRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	all := w.hired("admin", "viewer", "approver")
	sessions := w.store.Sessions(func() time.Time { return wall })
	w.must(w.store.DisableUser(w.ctx, all["viewer"].ID, all["admin"], j0))
	w.must(w.store.ChangePassword(w.ctx, all["approver"], "new", j0))
	for _, name := range []string{"viewer", "approver"} {
		w.must(sessions.CommitCtx(w.ctx, name, []byte("data"), wall.Add(time.Hour)))
		if err := sessions.SignIn(w.ctx, name, all[name], "password", ""); !isKind(err, app.Conflict) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := sessions.SignedIn(w.ctx, name); !isKind(err, app.NotFound) {
			t.Errorf("%s is in: %v", name, err)
		}
	}
}

func TestEndingSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	all := w.hired("admin", "viewer")
	sessions := w.store.Sessions(func() time.Time { return wall })
	ids := map[string]string{}
	for token, name := range map[string]string{"v1": "viewer", "v2": "viewer", "v3": "viewer", "a": "admin"} {
		w.must(sessions.CommitCtx(w.ctx, token, []byte("data"), wall.Add(time.Hour)))
		w.must(sessions.SignIn(w.ctx, token, all[name], "password", token))
		_, session, err := sessions.SignedIn(w.ctx, token)
		w.must(err)
		ids[token] = session.ID
	}
	for _, id := range []string{ids["a"], "1", "00000000-0000-4000-8000-000000000000"} { // not the viewer's
		if err := w.store.EndSession(w.ctx, all["viewer"], id, j0); !isKind(err, app.NotFound) {
			t.Errorf("the viewer ends %s: %v", id, err)
		}
	}
	w.must(w.store.EndSession(w.ctx, all["viewer"], ids["v1"], j0))
	w.must(w.store.EndOtherSessions(w.ctx, all["viewer"], ids["v2"], j0))
	rows := w.count("admin_audit")
	w.must(w.store.EndOtherSessions(w.ctx, all["viewer"], ids["v2"], j0)) // none is left
	if w.count("admin_audit") != rows {
		t.Error("the audit holds what did not happen")
	}
	for token, in := range map[string]bool{"v1": false, "v2": true, "v3": false, "a": true} {
		if _, _, err := sessions.SignedIn(w.ctx, token); (err == nil) != in {
			t.Errorf("%s: %v", token, err)
		}
	}
	w.must(w.store.EndSessionsOf(w.ctx, all["viewer"].ID, all["admin"], j0))
	if got := w.lastAudit(); got != `admin user.sign_out viewer: {"sessions": 1} → {"sessions": 0}` {
		t.Errorf("the audit says %s", got)
	}
}

func TestAChallengeIsTakenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	sessions := w.store.Sessions(func() time.Time { return wall })
	if err := sessions.KeepChallenge(w.ctx, "none", "c"); !isKind(err, app.Denied) {
		t.Errorf("without a session: %v", err)
	}
	w.must(sessions.CommitCtx(w.ctx, "s", []byte("data"), wall.Add(time.Hour)))
	for round := range 20 {
		want := fmt.Sprint("c", round)
		w.must(sessions.KeepChallenge(w.ctx, "s", want))
		taken := 0
		for _, err := range together(16, func(int) error {
			got, err := sessions.TakeChallenge(w.ctx, "s")
			if err == nil && got != want {
				t.Errorf("took %q, want %q", got, want)
			}
			return err
		}) {
			if err == nil {
				taken++
			} else if !isKind(err, app.NotFound) {
				t.Error(err)
			}
		}
		if taken != 1 {
			t.Fatalf("it was taken %d times", taken)
		}
	}
}
