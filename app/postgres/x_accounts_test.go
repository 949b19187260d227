package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

func account(version int, expires time.Time) postgres.XAccount {
	return postgres.XAccount{Handle: "ember", UserID: "7", KeyID: "k1", AccessSealed: fmt.Appendf(nil, "access-%d", version),
		RefreshSealed: fmt.Appendf(nil, "refresh-%d", version), Scopes: []string{"tweet.write"}, ExpiresAt: expires}
}

// A refresh token works once: many that want a new one get it from one call.
func TestTokensAreRefreshedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.must(w.store.SaveXAccount(w.ctx, account(1, j0), j0))
	calls := 0 // the account's lock guards it
	for _, err := range together(20, func(int) error {
		got, err := w.store.ChangeXAccount(w.ctx, "ember", j0, func(a postgres.XAccount) (postgres.XAccount, error) {
			if a.ExpiresAt.After(j0) {
				return a, nil
			}
			calls++
			return account(1+calls, j0.Add(2*time.Hour)), nil
		})
		if err == nil && string(got.AccessSealed) != "access-2" {
			return fmt.Errorf("got %s", got.AccessSealed)
		}
		return err
	}) {
		w.must(err)
	}
	got, err := w.store.XAccount(w.ctx, "ember")
	if err != nil || calls != 1 || string(got.RefreshSealed) != "refresh-2" || !got.ExpiresAt.Equal(j0.Add(2*time.Hour)) {
		t.Errorf("%d calls, kept %+v, %v", calls, got, err)
	}
}

func TestRefreshKeepsWhatItGot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.must(w.store.SaveXAccount(w.ctx, account(1, j0.Add(time.Hour)), j0))
	refresh := func(a postgres.XAccount, err error) error {
		_, err = w.store.ChangeXAccount(w.ctx, "ember", j0, func(postgres.XAccount) (postgres.XAccount, error) { return a, err })
		return err
	}
	kept := func() string {
		a, err := w.store.XAccount(w.ctx, "ember")
		w.must(err)
		return string(a.RefreshSealed)
	}
	// New tokens may end when the old ones would have.
	w.must(refresh(account(2, j0.Add(time.Hour)), nil))
	if kept() != "refresh-2" {
		t.Errorf("kept %s", kept())
	}
	if err := refresh(account(3, j0.Add(2*time.Hour)), errors.New("refused")); err == nil || kept() != "refresh-2" {
		t.Errorf("%v, kept %s", err, kept())
	}
	lost := account(3, j0.Add(2*time.Hour))
	lost.NeedsReconnect = true
	w.must(refresh(lost, nil))
	if a, err := w.store.XAccount(w.ctx, "ember"); err != nil || !a.NeedsReconnect {
		t.Errorf("%+v, %v", a, err)
	}
	w.must(w.store.SaveXAccount(w.ctx, account(4, j0), j0))
	if a, err := w.store.XAccount(w.ctx, "ember"); err != nil || a.NeedsReconnect {
		t.Errorf("connected again: %+v, %v", a, err)
	}
	if _, err := w.store.XAccount(w.ctx, "nobody"); !isKind(err, app.NotFound) {
		t.Errorf("nobody: %v", err)
	}
}

// Names on X do not tell upper case from lower.
func TestLastPostOfAnAccountHoweverItIsSpelt(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 1, app.Dollar)
	t0 := w.approve(v[0], j0)
	e, ok := w.attempt(w.effects(v[0])[0], t0)
	if !ok {
		t.Fatal("it was not attempted")
	}
	w.must(w.store.EffectDone(w.ctx, e, sent("5"), t0))
	w.exec(`UPDATE operations SET x_handle = 'Ember'`)
	all, err := w.store.AccountsOnX(w.ctx)
	w.must(err)
	if len(all) != 1 || all[0].Handle != "Ember" || all[0].LastPost == nil || !all[0].LastPost.At.Equal(t0) {
		t.Errorf("accounts %+v", all)
	}
}
