package postgres_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vivra/app"
)

func TestPasskeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	all := w.hired("admin", "viewer")
	viewer := all["viewer"]
	key := app.Passkey{CredentialID: []byte("c1"), Name: "Laptop", Credential: json.RawMessage(`{"authenticator": {"signCount": 1}}`)}
	w.must(w.store.AddPasskey(w.ctx, viewer, key, j0))
	if got := w.lastAudit(); got != `viewer passkey.add viewer: null → {"passkey": "Laptop"}` {
		t.Errorf("the audit says %s", got)
	}
	if err := w.store.AddPasskey(w.ctx, all["admin"], key, j0); !isKind(err, app.Conflict) {
		t.Errorf("the same key for another: %v", err)
	}
	key.CredentialID, key.Name = []byte("c2"), strings.Repeat("n", 61)
	if err := w.store.AddPasskey(w.ctx, viewer, key, j0); !isKind(err, app.Invalid) {
		t.Errorf("a long name: %v", err)
	}
	p, of, err := w.store.PasskeyByCredential(w.ctx, []byte("c1"))
	if err != nil || of != viewer || p.Name != "Laptop" || p.UsedAt != nil {
		t.Fatalf("%+v of %+v, %v", p, of, err)
	}
	if _, _, err := w.store.PasskeyByCredential(w.ctx, []byte("c3")); !isKind(err, app.NotFound) {
		t.Errorf("an unknown key: %v", err)
	}

	used := 0
	for _, err := range together(8, func(i int) error {
		return w.store.UsePasskey(w.ctx, p, json.RawMessage(fmt.Sprintf(`{"authenticator": {"signCount": %d}}`, 2+i)), j0)
	}) {
		if err == nil {
			used++
		} else if !isKind(err, app.Conflict) {
			t.Error(err)
		}
	}
	if used != 1 {
		t.Errorf("one counter was used %d times", used)
	}
	keys, err := w.store.PasskeysOf(w.ctx, viewer.ID)
	if err != nil || len(keys) != 1 || keys[0].UsedAt == nil {
		t.Fatalf("%+v, %v", keys, err)
	}
	w.must(w.store.SuspectPasskey(w.ctx, viewer, keys[0], json.RawMessage(`{"authenticator": {"cloneWarning": true}}`), j0))
	if got := w.lastAudit(); got != `viewer passkey.suspect viewer: null → {"passkey": "Laptop"}` {
		t.Errorf("the audit says %s", got)
	}
	for by, kind := range map[string]app.Kind{"admin": app.NotFound, "viewer": ""} {
		if err := w.store.RemovePasskey(w.ctx, all[by], p.ID, j0); err != nil && app.KindOf(err) != kind || err == nil && kind != "" {
			t.Errorf("removed by %s: %v", by, err)
		}
	}
	if n := w.count("passkeys"); n != 0 {
		t.Errorf("%d passkeys are kept", n)
	}
	w.must(w.store.DisableUser(w.ctx, viewer.ID, all["admin"], j0))
	if err := w.store.AddPasskey(w.ctx, viewer, app.Passkey{CredentialID: []byte("c4"), Name: "late", Credential: json.RawMessage(`{}`)}, j0); !isKind(err, app.NotFound) {
		t.Errorf("a key for a disabled account: %v", err)
	}
}
