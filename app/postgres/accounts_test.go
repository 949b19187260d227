package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

func TestSettingsKeepHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	for i, seconds := range []string{"600", "7200"} {
		w.must(w.store.SetSetting(w.ctx, "x.post_spacing_s", json.RawMessage(seconds), []string{"ada", "bob"}[i], j0.Add(time.Duration(i)*time.Hour)))
	}
	w.must(w.store.SetSetting(w.ctx, "budget.share_percent.cm", json.RawMessage(`25`), "ada", j0))
	got, err := w.store.Settings(w.ctx)
	if err != nil || got.PostSpacing != 2*time.Hour || got.Share("cm", 1000) != 250 || got.Share("scanner", 1000) != 400 || got.Share("designer", 1000) != 500 || got.MaxTurns != 25 {
		t.Errorf("%+v, %v", got, err)
	}
	if n := w.count("settings WHERE key = 'x.post_spacing_s'"); n != 2 {
		t.Errorf("%d values are kept", n)
	}
	audit, err := w.store.Audit(w.ctx, 2)
	if err != nil || audit[1].User != "bob" || audit[1].Subject != "x.post_spacing_s" || string(audit[1].After) != "7200" {
		t.Errorf("the audit says %+v, %v", audit, err)
	}
	rows, audited := w.count("settings"), w.count("admin_audit")
	for key, value := range map[string]string{"x.post_spacing": "600", "": "1", "x.post_spacing_s": `"soon"`, "links.allowlist": `7`, "llm.prices.gpt-5": `{}`, "llm.model.cm": `5`, "budget.share_percent.cm": `101`, "budget.share_percent.": `1`, "run.retries": `-1`, "nothing": `null`, "step.retries_s": `{}`} {
		if err := w.store.SetSetting(w.ctx, key, json.RawMessage(value), "ada", j0); !isKind(err, app.Invalid) || !strings.HasPrefix(err.Error(), key+" can't be set to") {
			t.Errorf("%q = %s: %v", key, value, err)
		}
	}
	if w.count("settings") != rows || w.count("admin_audit") != audited {
		t.Error("a refused setting left something behind")
	}
}

func TestInvitesWorkOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	if any, err := w.store.HasUsers(w.ctx); err != nil || any {
		t.Errorf("there are users: %t, %v", any, err)
	}
	w.must(w.store.CreateInvite(w.ctx, "token-1", "approver", j0.Add(time.Hour), j0))
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
	if strings.Contains(w.dump("invites"), "token-1") {
		t.Error("the token itself is kept")
	}
}

func (w *world) dump(table string) (text string) {
	w.t.Helper()
	w.scan([]any{&text}, `SELECT string_agg(t::text, ' ') FROM `+table+` t`)
	return text
}

func TestInvitesExpire(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.must(w.store.CreateInvite(w.ctx, "token", "admin", j0.Add(time.Hour), j0))
	for _, tt := range []struct {
		token string
		at    time.Time
		open  bool
	}{{"token", j0, true}, {"token", j0.Add(time.Hour - time.Second), true}, {"token", j0.Add(time.Hour), false}, {"another", j0, false}} {
		if open, err := w.store.InviteOpen(w.ctx, tt.token, tt.at); err != nil || open != tt.open {
			t.Errorf("%s at %s: open %t, %v", tt.token, tt.at, open, err)
		}
		if !tt.open {
			if _, err := w.store.UseInvite(w.ctx, tt.token, "ann", "hash", tt.at); !isKind(err, app.NotFound) {
				t.Errorf("%s at %s: %v", tt.token, tt.at, err)
			}
		}
	}
	// A name that can't be had does not use the invite up.
	if _, err := w.store.CreateUser(w.ctx, "ann", "viewer", "hash", "cli", j0); err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]app.Kind{"ann": app.Conflict, "": app.Invalid, strings.Repeat("n", 61): app.Invalid} {
		if _, err := w.store.UseInvite(w.ctx, "token", name, "hash", j0); !isKind(err, kind) {
			t.Errorf("the name %q: %v", name, err)
		}
	}
	user, err := w.store.UseInvite(w.ctx, "token", "bea", "hash", j0)
	if err != nil || user.Role != "admin" {
		t.Errorf("%+v, %v", user, err)
	}
	if got, err := w.store.UserByName(w.ctx, "bea"); err != nil || got != user {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := w.store.UserByName(w.ctx, "nobody"); !isKind(err, app.NotFound) {
		t.Errorf("nobody: %v", err)
	}
}

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

func TestAlertsAreRaisedAndAcknowledgedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	for _, err := range together(8, func(int) error { return w.store.RaiseAlert(w.ctx, w.op.ID, "raid", "chat", "Look.", j0) }) {
		w.must(err)
	}
	w.must(w.store.RaiseAlert(w.ctx, w.op.ID, "raid", "another chat", "Look.", j0))
	if got := w.alerts("raid"); len(got) != 2 {
		t.Fatalf("alerts %v", got)
	}
	all, err := w.store.Alerts(w.ctx)
	w.must(err)
	won := 0
	for _, err := range together(8, func(int) error { return w.store.AcknowledgeAlert(w.ctx, all[0].ID, ada, j0) }) {
		if err == nil {
			won++
		} else if !isKind(err, app.Conflict) {
			t.Error(err)
		}
	}
	if won != 1 || len(w.alerts("raid")) != 1 || w.count("admin_audit WHERE action = 'alert.acknowledge'") != 1 {
		t.Errorf("acknowledged %d times", won)
	}
}
