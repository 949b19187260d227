package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vivra/app/postgres"
)

// TestUserCommands let somebody in by a link that is printed once, and is in no
// log and no list.
func TestUserCommands(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": database(t), "USER": "ada", "VIVRA_PUBLIC_URL": "https://vivra.example"}
	code, said := asked(t, env, "user", "add", "bob", "--role", "approver")
	at := strings.Index(said, "https://vivra.example/admin/setup/")
	if code != 0 || at < 0 || !strings.Contains(said, "bob, approver: this link works once, until 20") {
		t.Fatalf("exit code %d: %s", code, said)
	}
	first := strings.TrimPrefix(strings.TrimSpace(said[at:]), "https://vivra.example/admin/setup/")
	if code, said := asked(t, env, "user", "add", "bob", "--role", "viewer"); code != failed || !strings.Contains(said, "That name is taken") {
		t.Errorf("twice: exit code %d: %s", code, said)
	}

	code, said = asked(t, env, "user", "reset", "bob", "--json")
	var link struct{ Name, Role, Link, Expires, Error string }
	if err := json.Unmarshal([]byte(said), &link); code != 0 || err != nil || link.Name != "bob" || link.Role != "approver" || link.Expires == "" {
		t.Fatalf("exit code %d: %v: %s", code, err, said)
	}
	store, err := postgres.Open(t.Context(), env["DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	list := func(want ...string) {
		t.Helper()
		for _, flags := range [][]string{nil, {"--json"}} {
			code, said := asked(t, env, append([]string{"user", "list"}, flags...)...)
			for _, w := range want {
				if code != 0 || !strings.Contains(said, w) || strings.Contains(said, "setup") {
					t.Errorf("exit code %d: %q is not in\n%s", code, w, said)
				}
			}
		}
	}
	list("bob", "approver", "link not used")
	now := instantOf(t, link.Expires).AddDate(0, 0, -6)
	if _, err := store.UseInvite(t.Context(), first, "", "hash", now); err == nil {
		t.Error("the first link outlived the second")
	}
	token := link.Link[strings.LastIndex(link.Link, "/")+1:]
	if user, err := store.UseInvite(t.Context(), token, "", "hash", now); err != nil || user.Name != "bob" {
		t.Errorf("%+v, %v", user, err)
	}
	list("active")
	rows, err := store.Audit(t.Context(), 10)
	if err != nil || len(rows) != 4 || rows[3].User != "ada (command line)" || rows[3].Action != "user.create" || rows[1].Action != "user.reset" {
		t.Errorf("the audit says %+v, %v", rows, err)
	}
}

func TestUserCommandsThatAreWrong(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": database(t)}
	if code, said := asked(t, env, "migrate"); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	if code, said := asked(t, env, "user", "list"); code != 0 || !strings.Contains(said, "There is no account yet") {
		t.Errorf("nobody: exit code %d: %s", code, said)
	}
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"user":                             {misused, "expected one of"},
		"user add":                         {misused, "Try: vivra user add --help"},
		"user add bob":                     {misused, "--role"},
		"user add bob --role owner":        {misused, "must be one of"},
		"user add <b> --role viewer":       {failed, "A name has 2 to 40 letters"},
		"user reset nobody":                {failed, "There is no such account."},
		"user reset nobody --json":         {failed, `{"error":"There is no such account."}`},
		"user add <b> --role admin --json": {failed, `{"error":"A name has 2 to 40`},
	} {
		if code, said := asked(t, env, strings.Fields(args)...); code != want.code || !strings.Contains(said, want.says) {
			t.Errorf("%s: exit code %d: %s", args, code, said)
		}
	}
	if code, said := asked(t, map[string]string{"DATABASE_URL": "mysql://x"}, "user", "list", "--json"); code != misused || !strings.Contains(said, `{"error":`) {
		t.Errorf("a bad environment: exit code %d: %s", code, said)
	}
}

func instantOf(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
