package desk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"vivra/app"
	"vivra/app/desk"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/internal/testprocess"
	"vivra/app/postgres"
	"vivra/app/rehearsal/xsim"
	"vivra/app/x"
)

// landing is an account on X whose token has just ended, and an operation that
// speaks with it.
type landing struct {
	*desk.Desk
	t    *testing.T
	x    *xsim.Server
	db   *pgxpool.Pool
	spec poster
	op   app.Operation

	mu        sync.Mutex
	now       time.Time
	refreshed int
}

func newLanding(t *testing.T) *landing {
	t.Helper()
	l := &landing{t: t, now: testop.J0}
	l.x = xsim.New(xsim.Options{Now: l.clock, ClientID: "us", ClientSecret: "s3", Accounts: []xsim.Account{
		{ID: userID, Username: handle, AccessToken: "access-0", RefreshToken: "refresh-0"}}})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/oauth2/token") {
			l.mu.Lock()
			l.refreshed++
			l.mu.Unlock()
		}
		l.x.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	l.spec = poster{Name: "one", Database: testdb.URL(t), X: web.URL, Posts: 50}
	var err error
	if l.db, err = pgxpool.New(t.Context(), l.spec.Database); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.db.Close)
	l.open()
	l.op = testop.Of(t, l.Store, app.NewOperation{Token: testop.Token(1), Slug: "dodo", J0: testop.J0, Cap: app.Dollar, XHandle: handle})
	token := x.Token{AccessToken: "access-0", RefreshToken: "refresh-0", Scopes: []string{"tweet.write"}, ExpiresAt: testop.J0.Add(2 * time.Hour)}
	if err := l.ConnectX(t.Context(), handle, userID, token); err != nil {
		t.Fatal(err)
	}
	l.later(2 * time.Hour)
	return l
}

// later turns the clock; the desk is opened anew at that time, as by another
// process.
func (l *landing) later(d time.Duration) {
	l.mu.Lock()
	l.now = l.now.Add(d)
	l.mu.Unlock()
	l.open()
}

func (l *landing) open() {
	l.t.Helper()
	l.spec.Now = l.clock()
	d, closed, err := l.spec.open(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(closed)
	l.Desk = d
}

func (l *landing) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *landing) asked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refreshed
}

func (l *landing) account() postgres.XAccount {
	l.t.Helper()
	a, err := l.Store.XAccount(l.t.Context(), handle)
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

// works tells whether the account's token, renewed if need be, is taken by X.
func (l *landing) works() error {
	a, err := l.Account(l.t.Context(), handle)
	if err == nil {
		_, err = l.X.Me(l.t.Context(), a.AccessToken)
	}
	return err
}

// TestTwoProcessesRenewOnce: a hundred posts by two processes in the instant at
// which the token has ended take one renewal, and all go out.
func TestTwoProcessesRenewOnce(t *testing.T) {
	t.Parallel()
	l := newLanding(t)
	another := l.spec
	another.Name = "two"
	first, second := start(t, l.spec), start(t, another)
	var both sync.WaitGroup
	for _, p := range []*testprocess.Process{first, second} {
		both.Go(func() {
			if p.Killed(t) {
				t.Error("a process was killed")
			}
		})
	}
	both.Wait()
	if n := len(l.x.Posts()); n != 100 || l.asked() != 1 {
		t.Errorf("%d posts after %d renewals, want 100 after 1", n, l.asked())
	}
	if access, refresh := l.x.Tokens(userID); access == 0 || refresh != 1 {
		t.Errorf("X holds %d access and %d refresh tokens: the family is lost", access, refresh)
	}
	l.later(2 * time.Hour)
	if err := l.works(); err != nil {
		t.Errorf("the next renewal: %v", err)
	}
}

// TestKilledWhileRenewing with kill -9 at each point: nothing of what X has
// given is lost before it has answered; what only the dead process had is gone,
// which one alert says, and X is not asked over and over.
func TestKilledWhileRenewing(t *testing.T) {
	t.Parallel()
	for point, recovered := range map[string]bool{desk.Renewing: true, desk.Renewed: false, desk.Kept: true} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			l := newLanding(t)
			victim := l.spec
			victim.Posts, victim.KillAt = 1, point
			if killed := start(t, victim).Killed(t); !killed || len(l.x.Posts()) != 0 {
				t.Fatalf("it was killed: %t, and made %d posts", killed, len(l.x.Posts()))
			}
			l.open()
			err := l.works()
			if recovered {
				if err != nil || l.asked() != 1 || l.account().NeedsReconnect {
					t.Errorf("after %d renewals: %v", l.asked(), err)
				}
				return
			}
			asked := l.asked()
			for range 3 {
				if err := l.works(); app.KindOf(err) != app.Unavailable || !strings.Contains(err.Error(), "connect") {
					t.Errorf("who needs the account hears %v", err)
				}
			}
			if l.asked() != asked {
				t.Errorf("X was asked %d times more", l.asked()-asked)
			}
			if a := l.account(); !a.NeedsReconnect || a.UserID != userID || !strings.Contains(a.Fault, "invalid") {
				t.Errorf("it is kept as %+v", a)
			}
			if alerts := testop.Alerts(t, l.Store, "x_account"); len(alerts) != 1 || !strings.HasPrefix(alerts[0].Subject, "@"+handle+" ") {
				t.Errorf("alerts: %+v", alerts)
			}
		})
	}
}

// TestDatabaseFailsAtTheNewPair: the process that has it keeps it as soon as the
// database answers again.
func TestDatabaseFailsAtTheNewPair(t *testing.T) {
	t.Parallel()
	l := newLanding(t)
	l.Reached = func(point string) {
		if point == desk.Renewed {
			if _, err := l.db.Exec(context.WithoutCancel(t.Context()), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`); err != nil {
				t.Error(err)
			}
		}
	}
	if err := l.works(); err != nil || l.asked() != 1 {
		t.Errorf("after %d renewals: %v", l.asked(), err)
	}
	l.later(2 * time.Hour)
	if err := l.works(); err != nil || l.asked() != 2 {
		t.Errorf("the next one, the %dth: %v", l.asked(), err)
	}
}

// TestCallerLeaves: what X gives to somebody who has left meanwhile is kept.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	l := newLanding(t)
	ctx, leave := context.WithCancel(t.Context())
	kept := make(chan struct{})
	l.Reached = func(point string) {
		switch point {
		case desk.Renewed:
			leave()
		case desk.Kept:
			close(kept)
		}
	}
	_, _ = l.Account(ctx, handle)
	select {
	case <-kept:
	case <-time.After(30 * time.Second):
		t.Fatal("what X gave was not kept")
	}
	if err := l.works(); err != nil || l.asked() != 1 {
		t.Errorf("after %d renewals: %v", l.asked(), err)
	}
}

// TestXDoesNotRenew: the token that is there is used to its end; then who needs
// the account waits, and nobody is asked to connect it while X may still renew.
func TestXDoesNotRenew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  xsim.Fault
		within bool // X is asked again at once
	}{
		"no answer":   {xsim.Fault{}, false},
		"down":        {xsim.Fault{Status: http.StatusServiceUnavailable}, false},
		"not ours":    {xsim.Fault{Status: http.StatusUnauthorized}, true},
		"too many":    {xsim.Fault{Status: http.StatusTooManyRequests}, true},
		"at its edge": {xsim.Fault{Status: http.StatusBadGateway, HTML: "<p>bad gateway"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLanding(t)
			l.later(-4 * time.Minute)
			c.fault.Path, c.fault.Times = "POST /2/oauth2/token", 20
			l.x.Fail(c.fault)
			if err := l.works(); err != nil {
				t.Errorf("four minutes before its end: %v", err)
			}
			asked := l.asked()
			if _, err := l.Account(t.Context(), handle); err != nil || (l.asked() > asked) != c.within {
				t.Errorf("X was asked again %d times: %v", l.asked()-asked, err)
			}
			l.later(5 * time.Minute)
			err := l.works()
			if untold := app.KindOf(err) == app.Internal; err == nil || untold != (name != "not ours") {
				t.Errorf("after its end: %v", err)
			}
			l.later(10 * time.Minute)
			if err := l.works(); app.KindOf(err) != app.Unavailable || strings.Contains(err.Error(), "connect the account again") {
				t.Errorf("after a while: %v", err)
			}
			if a := l.account(); a.NeedsReconnect || a.Fault == "" || a.FaultSince == nil || !a.FaultSince.Equal(testop.J0.Add(2*time.Hour-4*time.Minute)) {
				t.Errorf("it is kept as %+v", a)
			}
		})
	}
}

// TestXIsBack: what was wrong is forgotten with the next pair.
func TestXIsBack(t *testing.T) {
	t.Parallel()
	l := newLanding(t)
	l.x.Fail(xsim.Fault{Path: "POST /2/oauth2/token", Status: http.StatusServiceUnavailable})
	if err := l.works(); err == nil || l.account().Fault == "" {
		t.Fatalf("X was down: %v", err)
	}
	l.later(time.Minute)
	if err := l.works(); err != nil || l.account().Fault != "" || l.account().RenewAfter != nil {
		t.Errorf("X is back: %v, %+v", err, l.account())
	}
}

// TestThePairBefore: when X does not know the pair that it gave, the one before
// may still be good.
func TestThePairBefore(t *testing.T) {
	t.Parallel()
	l := newLanding(t)
	a := l.account()
	a.PreviousSealed, a.RefreshSealed = a.RefreshSealed, l.Seal.Seal("refresh-that-x-has-lost", "x refresh "+handle)
	if err := l.Store.SaveXAccount(t.Context(), a, l.clock()); err != nil {
		t.Fatal(err)
	}
	if err := l.works(); err != nil || l.account().NeedsReconnect {
		t.Errorf("with the pair before: %v", err)
	}
}

// TestATokenThatXRefusesIsRenewed before its time, once, and not when it is new.
func TestATokenThatXRefusesIsRenewed(t *testing.T) {
	t.Parallel()
	l := newLanding(t)
	l.later(-time.Hour)
	refuse := func() {
		t.Helper()
		l.x.Fail(xsim.Fault{Path: "GET /2/users/me", Status: http.StatusUnauthorized})
		if err := l.works(); err == nil {
			t.Error("X has not refused")
		}
	}
	refuse()
	if err := l.works(); err != nil || l.asked() != 1 {
		t.Errorf("after %d renewals: %v", l.asked(), err)
	}
	refuse()
	if err := l.works(); err != nil || l.asked() != 1 {
		t.Errorf("a new token was renewed: %d renewals, %v", l.asked(), err)
	}
	l.TokenRefused(t.Context(), "a token of nobody")
	l.later(time.Minute)
	l.TokenRefused(t.Context(), "access-0") // the one before: it was renewed long ago
	if err := l.works(); err != nil || l.asked() != 1 {
		t.Errorf("after %d renewals: %v", l.asked(), err)
	}
}
