package orchestrator_test

import (
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/chain"
	"vivra/app/internal/testop"
	"vivra/app/orchestrator"
	"vivra/app/rehearsal/chainsim"
)

// TestStartReadsTheChainFirst: an address that is no ERC-20 is refused with what
// stands there, and nothing is kept of it.
func TestStartReadsTheChainFirst(t *testing.T) {
	t.Parallel()
	sim, err := chainsim.New(chainsim.Options{Start: testop.J0})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Close() })
	o := newOffice(t)
	o.Chain, err = chain.New(chain.Config{RPCURL: sim.URL(), ChainID: chainsim.ChainID, Factories: []app.Address{sim.Factory()}, Quote: sim.Quote(), Now: o.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	o.ChainID = chainsim.ChainID
	counter, err := sim.DeployCounter()
	if err != nil {
		t.Fatal(err)
	}
	start := func(ref app.TokenRef) (app.Operation, error) {
		return o.StartOperation(t.Context(), app.NewOperation{Token: app.Token{Ref: ref}, Cap: app.Dollar}, testop.Person)
	}
	for name, c := range map[string]struct {
		ref  app.TokenRef
		says string
	}{
		"a person's account": {app.TokenRef{Address: sim.EOA()}, "a plain account without code"},
		"nobody":             {app.TokenRef{Address: app.Address{19: 1}}, "is no"},
		"another contract":   {app.TokenRef{Address: counter}, "it is a contract, but"},
		"another chain":      {app.TokenRef{ChainID: 1, Address: sim.Token()}, "chain 1"},
	} {
		if _, err := start(c.ref); app.KindOf(err) != app.Invalid || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if ops, err := o.store.Operations(t.Context()); err != nil || len(ops) != 0 {
		t.Errorf("%d operations were kept: %v", len(ops), err)
	}
	op, err := start(app.TokenRef{Address: sim.Token()})
	if err != nil || op.Token.Symbol != "MOTH" || op.Token.Ref.ChainID != chainsim.ChainID || op.Slug != "moth" || !op.J0.Equal(o.clock.Now()) {
		t.Errorf("%+v: %v", op, err)
	}
	if _, err := start(app.TokenRef{Address: sim.Token()}); app.KindOf(err) != app.Conflict {
		t.Errorf("a second takeover of the same token: %v", err)
	}
}

// TestStartChecksWhatWasEntered: what can't be is refused, what only looks odd is cut.
func TestStartChecksWhatWasEntered(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	good := app.NewOperation{Token: app.Token{Ref: testop.Token(9).Ref}, Cap: app.Dollar, XHandle: " @dodo_back "}
	for name, change := range map[string]func(*app.NewOperation){
		"no cap":            func(in *app.NewOperation) { in.Cap = 0 },
		"a cap below":       func(in *app.NewOperation) { in.Cap = -app.Dollar },
		"envelope below":    func(in *app.NewOperation) { in.Envelope = -1 },
		"a link as account": func(in *app.NewOperation) { in.XHandle = "https://x.com/dodo" },
		"two accounts":      func(in *app.NewOperation) { in.XHandle = "dodo back" },
		"a start long ago":  func(in *app.NewOperation) { in.J0 = o.clock.Now().AddDate(-1, 0, 0) },
		"a start far ahead": func(in *app.NewOperation) { in.J0 = o.clock.Now().AddDate(2, 0, 0) },
		"too long a name":   func(in *app.NewOperation) { in.XHandle = strings.Repeat("d", 16) },
	} {
		in := good
		change(&in)
		if _, err := o.StartOperation(t.Context(), in, testop.Person); app.KindOf(err) != app.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	o.world.set(func() {
		o.world.token.Name, o.world.token.Symbol = strings.Repeat("é", 150)+"\x00", "\xff"+strings.Repeat("s", 60)
	})
	op, err := o.StartOperation(t.Context(), good, testop.Person)
	if err != nil || op.XHandle != handle || op.Token.Name != "Unnamed token" || op.Token.Symbol != "TOKEN" || op.Slug != "token" {
		t.Errorf("%+v: %v", op, err)
	}
	if alerts := testop.Alerts(t, o.store, "token_name"); len(alerts) != 1 || !strings.Contains(alerts[0].Message, "ééé") {
		t.Errorf("the team is told %+v", alerts)
	}
}

// TestSlugs are made of the symbol, or of what was entered, and never collide.
func TestSlugs(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for n, c := range []struct{ symbol, entered, want string }{
		{"DODO", "", "dodo"}, {"dodo", "", "dodo-2"}, {"Dodo!", "", "dodo-3"}, {"💀", "", "token"}, {"", "", "token-2"},
		{"X", "My Takeover!", "my-takeover"}, {"X", "dodo", "dodo-4"}, {"X", "../../etc", "etc"}, {"NEW", "", "new-token"}, {"X", "www", "www-token"},
	} {
		o.world.set(func() { o.world.token.Symbol = c.symbol })
		in := app.NewOperation{Token: app.Token{Ref: testop.Token(byte(n + 1)).Ref}, Slug: c.entered, Cap: app.Dollar}
		op, err := o.StartOperation(t.Context(), in, testop.Person)
		if err != nil || op.Slug != c.want || op.SiteHost != c.want+".vivra.example" {
			t.Errorf("%q %q: slug %q at %q, want %q: %v", c.symbol, c.entered, op.Slug, op.SiteHost, c.want, err)
		}
	}
}

func TestLabel(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]string{
		"DODO": "dodo", "$DODO": "dodo", "dodo2.0": "dodo2-0", "Moth Lamp": "moth-lamp", "  a  b ": "a-b", "a--b__c": "a-b-c", "-x-": "x",
		"Dödö": "dodo", "ＤＯＤＯ": "dodo", "𝐃𝐎𝐃𝐎": "dodo", "ⓓⓞⓓⓞ": "dodo", "ℍODL": "hodl", "ﬁre": "fire", "Ⅷ": "viii", "İstanbul": "istanbul",
		"": "token", "💀": "token", "狗狗": "token", "...": "token", "狗dog": "dog", "xn--80ak6aa92e": "xn-80ak6aa92e",
		"a\u202eb": "ab", "a/../b": "a-b", "<script>": "script", "a\x00b": "ab",
		strings.Repeat("a", 80):                   strings.Repeat("a", 40),
		strings.Repeat("a", 39) + "-" + "bbb":     strings.Repeat("a", 39),
		strings.Repeat("\u0301", 50) + "dodo":     "dodo",
		"a" + strings.Repeat(" ", 60) + "b" + "c": "a",
	} {
		got := orchestrator.Label(symbol)
		if got != want {
			t.Errorf("%q is folded to %q, want %q", symbol, got, want)
		}
		if again := orchestrator.Label(got); again != got {
			t.Errorf("%q is not stable: %q", got, again)
		}
	}
}
