package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
)

// TestAnAccountIsConnected the whole way, and nothing that opens it is told
// anywhere.
func TestAnAccountIsConnected(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	v := b.visitor("admin")
	if got := b.tells(v, "dodo_back"); !strings.Contains(got, "not connected yet") || !strings.Contains(got, "Speaks for DODO") {
		t.Errorf("before: %s", got)
	}
	address := b.sets(v, "@DODO_back ")
	asked, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := asked.Query()
	if q.Get("redirect_uri") != b.url+"/admin/accounts/callback" || q.Get("scope") != strings.Join(app.XScopes(), " ") || q.Get("code_challenge_method") != "S256" || strings.Contains(address, "+") {
		t.Errorf("X is asked with %s", address)
	}
	back := b.consents(address, "Dodo_Back", "allow")
	res := v.get(back)
	if res.StatusCode != http.StatusSeeOther || res.Header.Get("Referrer-Policy") != "no-referrer" || strings.Contains(res.Header.Get("Location"), "code") {
		t.Errorf("the callback answers %s to %s", res.Status, res.Header.Get("Location"))
	}
	if text := spoken(v.get(res.Header.Get("Location")).doc(t), "[role=status]"); !strings.Contains(text, "@dodo_back is connected.") {
		t.Errorf("it says %q", text)
	}
	got := b.tells(v, "dodo_back")
	for _, want := range []string{"connected", "now by admin", "May read posts, write posts, read profiles, upload pictures, stay connected.", "Last post none from here", "28 Nov, 11:35 UTC"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in: %s", want, got)
		}
	}
	audit := b.stored()
	for _, want := range []string{"x_account.connect_begin", "x_account.connect", `"never connected"`, `"user_id"": ""` + ours} {
		if !strings.Contains(audit, want) {
			t.Errorf("the audit lacks %s", want)
		}
	}
	account, err := b.app.Desk.Account(t.Context(), "dodo_back")
	if err != nil || account.UserID != ours {
		t.Fatalf("%+v, %v", account, err)
	}
	code := must2(url.Parse(back)).Query().Get("code")
	for where, text := range map[string]string{"the database": b.stored(), "the log": b.said.String(), "the page": v.get("/admin/accounts").body, "the audit": v.get("/admin/audit").body} {
		for _, secret := range []string{account.AccessToken, "refresh-" + ours, code, q.Get("state")} {
			if strings.Contains(text, secret) {
				t.Errorf("%s tells %s", where, secret)
			}
		}
	}
}

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestOnlyTheOneWhoAskedConnects: what X leads back with counts once, in the
// session that asked, for ten minutes.
func TestOnlyTheOneWhoAskedConnects(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	b.prepareSums()
	v := b.visitor("admin")
	back := b.consents(b.sets(v, "dodo_back"), "Dodo_Back", "allow")
	for _, path := range []string{"/admin/accounts/callback?state=made-up&code=c", "/admin/accounts/callback?state=&code=c", "/admin/accounts/callback?error=access_denied", back + "x"} {
		b.unchanged("the admin's GET "+path, func() {
			if res := v.follows(path); strings.Contains(path, "=made-up") && (res.StatusCode != http.StatusConflict || !strings.Contains(res.body, "belongs to nothing")) {
				t.Errorf("%s answers %s", path, res.Status)
			}
		})
	}
	for _, name := range []string{"", "viewer", "approver", "admin"} {
		other := b.visitor(name)
		b.unchanged("another "+name+"'s GET of the callback", func() {
			for _, program := range programs {
				other.visit(http.MethodGet, back, program)
				other.visit(http.MethodHead, back, program)
			}
		})
	}
	if res := v.follows(back); !strings.Contains(res.body, "@dodo_back is connected.") {
		t.Errorf("who asked gets %s: %s", res.Status, spoken(res.doc(t), "main"))
	}
	b.unchanged("the same answer again", func() {
		if res := v.follows(back); !strings.Contains(res.body, "@dodo_back is connected.") {
			t.Errorf("a reload says %s", spoken(res.doc(t), "main"))
		}
	})
	late := b.consents(b.sets(v, "dodo_back"), "Dodo_Back", "allow")
	b.wall.Advance(app.ConnectWithin)
	b.unchanged("an answer after ten minutes", func() {
		if res := v.follows(late); res.StatusCode != http.StatusConflict || !strings.Contains(res.body, "more than ten minutes") {
			t.Errorf("a late answer: %s", res.Status)
		}
	})
}

// TestWhoMayConnect: nobody but an admin.
func TestWhoMayConnect(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	for _, name := range []string{"viewer", "approver"} {
		v := b.visitor(name)
		if got := v.get("/admin/accounts").doc(t).Find("main form").Length(); got != 0 {
			t.Errorf("a %s sees %d forms", name, got)
		}
	}
	v := b.visitor("admin")
	for _, bad := range []string{"", "@", "two words", "a_name_of_sixteen", "ünïcode", "a/b"} {
		res := v.post("/admin/accounts/connections", url.Values{"csrf": {v.csrf()}, "handle": {bad}})
		if res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(spoken(res.doc(t), "[role=alert]"), "1 to 15 letters") || b.count("x_connections") != 0 {
			t.Errorf("%q: %s", bad, res.Status)
		}
	}
}

// TestWhatCanGoWrong at X: each time it is said what happened and what to do,
// and nothing is changed.
func TestWhatCanGoWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault    func(b *booth)
		account  string
		decision string
		says     []string
	}{
		"denied":        {nil, "Dodo_Back", "deny", []string{"denied at X", "Nothing was changed"}},
		"wrong account": {nil, "someone_else", "allow", []string{"signed in as @someone_else, and not as @dodo_back", "X has taken the tokens back", "Sign in to X as @dodo_back"}},
		"wrong account, kept by X": {func(b *booth) { b.answers("/2/oauth2/revoke", always(503)) }, "someone_else", "allow",
			[]string{"X did not take the tokens back", "remove the application in the settings of that account"}},
		"expired code": {func(b *booth) {
			b.answers("/2/oauth2/token", func() int { b.wall.Advance(31 * time.Second); return 0 })
		}, "Dodo_Back", "allow", []string{"for 30 seconds", "Press Connect again"}},
		"X down":         {func(b *booth) { b.answers("/2/oauth2/token", always(503)) }, "Dodo_Back", "allow", []string{"X did not give us the tokens", "Nothing was connected"}},
		"client unknown": {func(b *booth) { b.answers("/2/oauth2/token", always(401)) }, "Dodo_Back", "allow", []string{"check X_CLIENT_ID and X_CLIENT_SECRET"}},
		"nameless":       {func(b *booth) { b.answers("/2/users/me", always(500)) }, "Dodo_Back", "allow", []string{"did not say of which account", "X has taken the tokens back"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t)
			v := b.visitor("admin")
			if c.fault != nil {
				c.fault(b)
			}
			res := v.follows(b.consents(b.sets(v, "dodo_back"), c.account, c.decision))
			for _, want := range c.says {
				if said := spoken(res.doc(t), "[role=alert]"); !strings.Contains(said, want) {
					t.Errorf("%q is not in: %s", want, said)
				}
			}
			if b.count("x_accounts") != 0 {
				t.Error("something was kept")
			}
			access, refresh := b.x.Tokens(theirs)
			if kept := name == "wrong account, kept by X"; (access+refresh > 0) != kept {
				t.Errorf("X holds %d and %d tokens of the other account", access, refresh)
			}
			b.answers("", always(0))
			if res := b.connects(v); !strings.Contains(res.body, "@dodo_back is connected.") {
				t.Errorf("the next try says %s", spoken(res.doc(t), "main"))
			}
		})
	}
}

// TestConnectingIsPaid by an operation that speaks with the account and goes on,
// to the last nano-dollar of what X bills, whoever X was signed in as; where the
// cap leaves nothing X is not asked.
func TestConnectingIsPaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, account, says string
		booked, asked         bool
	}{
		"connected":      {"", "Dodo_Back", "@dodo_back is connected.", true, true},
		"another one":    {"", "someone_else", "and not as @dodo_back", true, true},
		"paused":         {"UPDATE operations SET state = 'paused'", "Dodo_Back", "@dodo_back is connected.", true, true},
		"no room":        {"UPDATE operations SET cap_nusd = 9999999", "Dodo_Back", "The cap of dodo is used up", false, false},
		"ended":          {"UPDATE operations SET state = 'stopped', stop_reason = 'x'", "Dodo_Back", "@dodo_back is connected.", false, true},
		"no operation's": {"UPDATE operations SET x_handle = ''", "Dodo_Back", "@dodo_back is connected.", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t)
			if c.before != "" {
				_, err := b.db.Exec(t.Context(), c.before)
				b.must(err)
			}
			v := b.visitor("admin")
			res := v.follows(b.consents(b.sets(v, "dodo_back"), c.account, "allow"))
			if said := spoken(res.doc(t), "main"); !strings.Contains(said, c.says) {
				t.Errorf("it says %s", said)
			}
			booked, billed := testop.Balanced(t, b.app.Store, b.op), b.x.Charges().Reads
			if (billed > 0) != c.asked || c.booked && booked != billed || !c.booked && booked != 0 {
				t.Errorf("booked %s, billed %s", booked, billed)
			}
			if access, refresh := b.x.Tokens(ours); !c.asked && access+refresh > 0 {
				t.Error("X holds tokens that nobody has")
			}
		})
	}
}

// TestDisconnect forgets the tokens whatever X says, and says what X said.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		says   string
	}{"revoked": {0, "X has taken them back"}, "X down": {503, "X did not take them back"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t)
			v := b.visitor("admin")
			b.connects(v)
			b.answers("/2/oauth2/revoke", always(c.status))
			const form = `form[action="/admin/accounts/dodo_back/disconnection"]`
			res := v.submit(v.get("/admin/accounts"), form, nil)
			if said := spoken(v.follows(res.Header.Get("Location")).doc(t), "[role=status]"); !strings.Contains(said, c.says) || !strings.Contains(said, "are forgotten") {
				t.Errorf("it says %q", said)
			}
			if access, refresh := b.x.Tokens(ours); (access+refresh == 0) != (c.status == 0) {
				t.Errorf("X holds %d and %d tokens", access, refresh)
			}
			if n := b.count("x_accounts WHERE state = 'disconnected' AND user_id = '" + ours + "' AND length(access_sealed) + length(refresh_sealed) + length(previous_sealed) = 0"); n != 1 {
				t.Errorf("the tokens are not forgotten: %s", b.stored())
			}
			page := v.get("/admin/accounts")
			if page.doc(t).Find(form).Length() != 0 || !strings.Contains(b.tells(v, "dodo_back"), "The team has disconnected it") {
				t.Errorf("the page says %s", b.tells(v, "dodo_back"))
			}
			if res := v.post("/admin/accounts/dodo_back/disconnection", url.Values{"csrf": {v.csrf()}}); res.StatusCode != http.StatusConflict {
				t.Errorf("once more: %s", res.Status)
			}
			if _, err := b.app.Desk.Account(t.Context(), "dodo_back"); app.KindOf(err) != app.Unavailable {
				t.Errorf("who needs the account hears %v", err)
			}
			if res := b.connects(v); !strings.Contains(res.body, "@dodo_back is connected.") || strings.Contains(res.body, "another account") {
				t.Errorf("again: %s", spoken(res.doc(t), "main"))
			}
		})
	}
}

// TestWhatWaitsGoesOutAfterConnectingAgain: an account that is lost holds what
// was approved back, and the approval stands when it is back.
func TestWhatWaitsGoesOutAfterConnectingAgain(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(b *booth, v *visitor){
		"its owner took the consent back": func(b *booth, _ *visitor) { b.x.Forget(ours) },
		"renewed, and killed before it was kept": func(b *booth, _ *visitor) {
			b.spendBehindOurBack()
			b.clock.Advance(2 * time.Hour)
		},
		"disconnected": func(b *booth, v *visitor) {
			v.submit(v.get("/admin/accounts"), `form[action$="/disconnection"]`, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t)
			v := b.visitor("admin")
			b.connects(v)
			b.clock.Advance(2 * time.Minute)
			testop.Approve(t, b.app.Store, b.propose("a"), b.now)
			lose(b, v)
			for range 3 { // the first is where X refuses the token before its time
				b.carryOut()
				b.clock.Advance(10 * time.Minute)
			}
			if e := b.effect(); e.State != app.EffectIntent || len(b.x.Posts()) != 0 {
				t.Fatalf("it is %s: %s", e.State, e.Error)
			}
			said := b.tells(v, "dodo_back")
			for _, want := range []string{"Waits to be sent 1 call", "Held back: "} {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in: %s", want, said)
				}
			}
			if name != "disconnected" && (!strings.Contains(said, "must be connected again") || !b.alertedOnce()) {
				t.Errorf("it says %s", said)
			}
			b.connects(v)
			b.clock.Advance(10 * time.Minute)
			b.carryOut()
			if e := b.effect(); e.State != app.EffectDone || len(b.x.Posts()) != 1 {
				t.Errorf("after connecting again it is %s: %s", e.State, e.Error)
			}
			if said := b.tells(v, "dodo_back"); !strings.Contains(said, "Waits to be sent nothing") || strings.Contains(said, "none from here") {
				t.Errorf("it says %s", said)
			}
		})
	}
}

// TestAnotherNumberOfTheSameNameVoidsApprovals, by design: an approval is for
// the account that was connected.
func TestAnotherNumberOfTheSameNameVoidsApprovals(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	v := b.visitor("admin")
	b.connects(v)
	_, err := b.db.Exec(t.Context(), "UPDATE x_accounts SET user_id = '7'")
	b.must(err)
	approved := b.propose("a")
	testop.Approve(t, b.app.Store, approved, b.now)
	if res := b.connects(v); !strings.Contains(res.body, "another account than before") {
		t.Errorf("it says %s", spoken(res.doc(t), "[role=status]"))
	}
	b.clock.Advance(2 * time.Minute)
	b.carryOut()
	if v, err := b.app.Store.Validation(t.Context(), approved.ID); err != nil || v.State != app.ValidationVoid || len(b.x.Posts()) != 0 {
		t.Errorf("what was approved is %s, %d posts, %v", v.State, len(b.x.Posts()), err)
	}
}

// carryOut attempts the effects that are due, as workers do.
func (b *booth) carryOut() {
	b.t.Helper()
	all, err := b.app.Store.Effects(b.t.Context(), b.op.ID)
	b.must(err)
	for _, e := range all {
		if e.State == app.EffectIntent {
			_ = b.app.Orchestrator.CarryOut(b.t.Context(), e.ID) // the rows tell what failed
		}
	}
}

func (b *booth) effect() app.EffectStatus {
	b.t.Helper()
	all, err := b.app.Store.Effects(b.t.Context(), b.op.ID)
	b.must(err)
	if len(all) != 1 {
		b.t.Fatalf("there are %d effects", len(all))
	}
	return all[0]
}

// alertedOnce tells whether the team was told of the account once.
func (b *booth) alertedOnce() bool {
	return b.count("alerts WHERE kind = 'x_account' AND subject LIKE '@%'") == 1
}

// spendBehindOurBack uses the refresh token as a process does that is killed
// before it keeps what it got.
func (b *booth) spendBehindOurBack() {
	b.t.Helper()
	a, err := b.app.Store.XAccount(b.t.Context(), "dodo_back")
	b.must(err)
	secret, err := b.app.Desk.Seal.Open(a.RefreshSealed, "x refresh dodo_back")
	b.must(err)
	_, err = b.app.Desk.X.Refresh(b.t.Context(), secret, b.clock.Now())
	b.must(err)
}
