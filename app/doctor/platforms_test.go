package doctor

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/chain"
	"vivra/app/images"
	"vivra/app/market"
	"vivra/app/pages"
	"vivra/app/postgres"
	"vivra/app/telegram"
	"vivra/app/x"
)

// expect holds a finding to its state and some of its words.
func expect(t *testing.T, name string, f Finding, state State, words string) {
	t.Helper()
	if f.State != state || !strings.Contains(f.Seen+" | "+f.Advice, words) {
		t.Errorf("%s: got %s: %s | %s, want %s with %q", name, f.State, f.Seen, f.Advice, state, words)
	}
}

// paths is a server that answers each path in its own way, others with 404.
type paths map[string]string // path → "status body"

func (p paths) serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, body, _ := strings.Cut(p[r.URL.Path], " ")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(map[string]int{"200": 200, "400": 400, "401": 401, "403": 403}[status] + map[string]int{"": 404}[status])
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

var wall = clockwork.NewRealClock()

func TestAccountsOnX(t *testing.T) {
	t.Parallel()
	at := paths{"/2/oauth2/token": `400 {"error":"invalid_request","error_description":"Value passed for the token was invalid."}`,
		"/2/users/me": `401 {"title":"Unauthorized","status":401}`}.serve(t)
	all := []string{"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"}
	for name, tc := range map[string]struct {
		account postgres.XAccount
		err     error
		state   State
		words   string
	}{
		"connected":   {postgres.XAccount{Handle: "dodo", Scopes: all}, nil, OK, "it knows our client; connected: @dodo"},
		"lost":        {postgres.XAccount{Handle: "dodo", Scopes: all, NeedsReconnect: true}, nil, Warning, "X no longer takes the tokens of @dodo: connect the account again."},
		"half":        {postgres.XAccount{Handle: "dodo", Scopes: all[:3]}, nil, Warning, "@dodo has not granted media.write, offline.access"},
		"no database": {postgres.XAccount{}, errors.New("down"), OK, "could not be read"},
	} {
		list := func(context.Context) ([]postgres.XAccount, error) { return []postgres.XAccount{tc.account}, tc.err }
		expect(t, name, X(wall, x.Config{APIBaseURL: at, AuthBaseURL: at, ClientID: "id", ClientSecret: "secret"}, list).Look(t.Context())[0], tc.state, tc.words)
	}
	none := func(context.Context) ([]postgres.XAccount, error) { return nil, nil }
	other := paths{"/2/oauth2/token": `400 {"error":"invalid_client"}`}.serve(t)
	expect(t, "unknown client", X(wall, x.Config{APIBaseURL: at, AuthBaseURL: other}, none).Look(t.Context())[0], Broken, "X does not know this client")
	expect(t, "no API there", X(wall, x.Config{APIBaseURL: paths{}.serve(t), AuthBaseURL: at}, none).Look(t.Context())[0], Broken, "knows no such address (404): check X_API_BASE_URL.")
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	const hook = "https://vivra.example/telegram/webhook"
	now := time.Now()
	s := newService(wall, "Telegram", "TELEGRAM_API_BASE_URL", "TELEGRAM_BOT_TOKEN")
	public := newService(wall, "Telegram", "TELEGRAM_API_BASE_URL", "TELEGRAM_BOT_TOKEN")
	public.last.host = "api.telegram.org"
	for name, tc := range map[string]struct {
		service service
		set     telegram.Webhook
		hook    string
		serving bool
		state   State
		words   string
	}{
		"set":             {s, telegram.Webhook{URL: hook, Allowed: telegram.AllowedUpdates, Pending: 1}, hook, true, OK, "@bot; webhook at vivra.example, 1 update waits"},
		"not yet":         {s, telegram.Webhook{}, hook, false, OK, "@bot; vivra serve sets its webhook"},
		"refused":         {s, telegram.Webhook{}, hook, true, Warning, "No webhook is set although Vivra is up"},
		"no https":        {public, telegram.Webhook{}, "http://vivra.example/telegram/webhook", false, Warning, "https:// addresses only"},
		"another's":       {s, telegram.Webhook{URL: "https://other.example/x?secret=1", Allowed: telegram.AllowedUpdates}, hook, false, Warning, "at other.example: start vivra serve here"},
		"can't deliver":   {s, telegram.Webhook{URL: hook, Allowed: telegram.AllowedUpdates, Pending: 7, LastError: "Wrong response: 502", LastErrorDate: now.Unix()}, hook, true, Warning, "(Wrong response: 502; 7 wait)"},
		"could not once":  {s, telegram.Webhook{URL: hook, Allowed: telegram.AllowedUpdates, LastError: "Wrong response: 502", LastErrorDate: now.Add(-2 * time.Hour).Unix()}, hook, true, OK, "webhook at"},
		"not all updates": {s, telegram.Webhook{URL: hook, Allowed: telegram.AllowedUpdates[2:]}, hook, true, Warning, "Telegram does not bring message, edited_message"},
	} {
		expect(t, name, tc.service.webhook(tc.set, "@bot", tc.hook, tc.serving), tc.state, tc.words)
	}
	gone := Telegram(wall, telegram.Config{BaseURL: answers(t, 404, "application/json", `{"ok":false,"error_code":404,"description":"Not Found"}`), Token: "1:a"}, hook, nil)
	expect(t, "a mistyped token", gone.Look(t.Context())[0], Broken, "check TELEGRAM_BOT_TOKEN.")
}

func TestCloudflare(t *testing.T) {
	t.Parallel()
	const (
		yes     = `200 {"success":true,"result":{"status":"active"}}`
		list    = `200 {"success":true,"result":[{}],"result_info":{"total_count":12}}`
		no      = `403 {"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}`
		verify  = "/user/tokens/verify"
		sites   = "/accounts/a/pages/projects"
		records = "/zones/z/dns_records"
		zone    = "/zones/z"
	)
	for name, tc := range map[string]struct {
		at    paths
		state State
		words string
	}{
		"well":             {paths{verify: yes, sites: list, records: list, zone: `200 {"success":true,"result":{"name":"vivra.example","status":"active"}}`}, OK, "zone vivra.example, 12 sites"},
		"of an account":    {paths{verify: no, sites: list, records: list, zone: no}, OK, "zone vivra.example"},
		"wrong token":      {paths{verify: no, sites: no}, Broken, "Cloudflare does not accept our token (403): check CLOUDFLARE_API_TOKEN."},
		"wrong account":    {paths{verify: yes, sites: no}, Broken, "does not let our token see the account's Pages (403): check CLOUDFLARE_ACCOUNT_ID"},
		"wrong zone":       {paths{verify: yes, sites: list}, Broken, "does not let our token see the zone's records (404): check CLOUDFLARE_ZONE_ID"},
		"another domain":   {paths{verify: yes, sites: list, records: list, zone: `200 {"success":true,"result":{"name":"example.org"}}`}, Broken, "is the zone of example.org, and VIVRA_SITE_DOMAIN is vivra.example"},
		"a subdomain":      {paths{verify: yes, sites: list, records: list, zone: `200 {"success":true,"result":{"name":"example"}}`}, OK, "zone vivra.example"},
		"not active":       {paths{verify: yes, sites: list, records: list, zone: `200 {"success":true,"result":{"name":"vivra.example","status":"pending"}}`}, Warning, "is not active yet"},
		"token ends":       {paths{verify: `200 {"success":true,"result":{"status":"active","expires_on":"2001-01-01T00:00:00Z"}}`, sites: list, records: list, zone: no}, Warning, "make a new one for CLOUDFLARE_API_TOKEN"},
		"account is full":  {paths{verify: yes, sites: strings.Replace(list, "12", "97", 1), records: list, zone: no}, Warning, "97 of about 100 sites"},
		"no envelope":      {paths{verify: yes, sites: `200 {}`}, Broken, "check CLOUDFLARE_API_BASE_URL and CLOUDFLARE_API_TOKEN."},
		"nothing is there": {paths{}, Broken, "Cloudflare does not accept our token (404)"},
	} {
		f := Pages(wall, pages.Config{APIBaseURL: tc.at.serve(t), Token: "t", AccountID: "a", ZoneID: "z"}, "vivra.example").Look(t.Context())[0]
		expect(t, name, f, tc.state, tc.words)
	}
}

func TestPictures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		at    paths
		state State
		words string
	}{
		"well":      {paths{"/models": `200 {"data":[{"id":"gpt-image-1"}]}`}, OK, "offers gpt-image-1"},
		"no list":   {paths{}, Warning, "lists no models"},
		"no model":  {paths{"/models": `200 {"data":[{"id":"gpt-4"}]}`}, Broken, "does not offer the model gpt-image-1 among its 1"},
		"wrong key": {paths{"/models": `401 {}`}, Broken, "check IMAGE_API_KEY."},
	} {
		expect(t, name, Pictures(wall, images.Config{BaseURL: tc.at.serve(t), Key: "k", Model: "gpt-image-1"}).Look(t.Context())[0], tc.state, tc.words)
	}
}

func TestChainJudgement(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	s := newService(wall, "chain", "RPC_URL", "")
	for name, tc := range map[string]struct {
		found chain.Checkup
		state State
		words string
	}{
		"well":    {chain.Checkup{ChainID: 1, Block: 7, At: now.Add(-3 * time.Second), Node: "Geth/v1.17"}, OK, "a chain (1), block 7 (3 s ago), Geth/v1.17"},
		"another": {chain.Checkup{ChainID: 2, At: now}, Broken, "RPC_URL serves chain 2 and not a chain (1)"},
		"lags":    {chain.Checkup{ChainID: 1, At: now.Add(-9 * time.Minute)}, Warning, "The newest block is 9 min old: the endpoint lags behind"},
		"stands":  {chain.Checkup{ChainID: 1, At: now.Add(-72 * time.Hour)}, Broken, "The newest block is 3 days old: the endpoint stands still"},
		"ahead":   {chain.Checkup{ChainID: 1, At: now.Add(5 * time.Minute)}, Warning, "The newest block is 5 min ahead of this machine's clock"},
		"no logs": {chain.Checkup{ChainID: 1, At: now, Logs: errors.New("The RPC endpoint refused to read logs: limited (code 35).")}, Broken, "holders and trades can't be read, so set RPC_URL to an endpoint with eth_getLogs."},
	} {
		expect(t, name, s.chain(tc.found, 1, "a chain", now), tc.state, tc.words)
	}
}

func TestMarketOfAnUnknownChain(t *testing.T) {
	t.Parallel()
	nowhere := app.TokenRef{ChainID: 99}
	cfg := market.Config{Now: time.Now}
	expect(t, "DexScreener", DexScreener(wall, cfg, nowhere).Look(t.Context())[0], Broken, "No market data service is set up for chain 99: give VIVRA_CHAIN a network.")
	expect(t, "GeckoTerminal", GeckoTerminal(wall, cfg, nowhere, 0).Look(t.Context())[0], Broken, "give VIVRA_CHAIN a network.")
	cfg.Networks = map[int64]market.Network{99: {DexScreener: "here", GeckoTerminal: "here"}}
	cfg.GeckoTerminalURL = paths{}.serve(t)
	expect(t, "no price", GeckoTerminal(wall, cfg, nowhere, 0).Look(t.Context())[0], Warning, `It knows no price of the coin of network "here"`)
	expect(t, "a fixed price", GeckoTerminal(wall, cfg, nowhere, 12).Look(t.Context())[0], OK, "the coin's price is fixed in VIVRA_CHAIN")
}

func TestExplorerAndCollector(t *testing.T) {
	t.Parallel()
	for status, state := range map[int]State{200: OK, 301: OK, 403: OK, 404: Broken, 503: Warning} {
		if f := Explorer(wall, answers(t, status, "text/html", "")).Look(t.Context())[0]; f.State != state {
			t.Errorf("%d: %+v", status, f)
		}
	}
	for status, words := range map[int]string{200: "takes them", 400: "takes them", 401: "check OTEL_EXPORTER_OTLP_HEADERS.", 404: "check OTEL_EXPORTER_OTLP_ENDPOINT."} {
		f := Collector(wall, answers(t, status, "application/json", "{}"), http.Header{}).Look(t.Context())[0]
		if !strings.Contains(f.Seen+f.Advice, words) {
			t.Errorf("%d: %+v", status, f)
		}
	}
}

// TestProgram: what is built in fits, and a changed prompt is told.
func TestProgram(t *testing.T) {
	t.Parallel()
	if got := differing("1  a.md\n2  b.md\n", "1  a.md\n3  b.md\n4  c.md\n"); strings.Join(got, " ") != "b.md c.md" {
		t.Errorf("got %v", got)
	}
	changed := Program(fstest.MapFS{"cm.md": {Data: []byte("new")}}, fstest.MapFS{"prompts.lock": {Data: []byte("00  cm.md\n")}}, nil, nil).Look(t.Context())[0]
	expect(t, "a changed prompt", changed, Broken, "cm.md is not what specs/prompts.lock pins: if that is meant, make pin and build anew.")
	f := Program(nil, nil, nil, errorText("specs/cm.yaml:3: unknown tool\nspecs/cm.yaml:4: more")).Look(t.Context())[0]
	expect(t, "a fault", f, Broken, "specs/cm.yaml:3: unknown tool (and more): mend it, and build anew.")
}
