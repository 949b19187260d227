package rehearsal_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app/boot"
	"vivra/app/doctor"
	"vivra/app/internal/testdb"
	"vivra/app/rehearsal"
	"vivra/app/rehearsal/chainsim"
	"vivra/app/rehearsal/fault"
	"vivra/app/rehearsal/marketsim"
	"vivra/app/rehearsal/modelsim"
	"vivra/app/telegram"
)

// ward is an application on a local world, as the doctor is told of it.
type ward struct {
	t     *testing.T
	world *rehearsal.World
	cfg   boot.Config
}

// admit starts a world and the application on it, by the clock on the wall.
func admit(t *testing.T) *ward {
	t.Helper()
	clock := clockwork.NewRealClock()
	world, err := rehearsal.Start(rehearsal.Options{Seed: 1, Start: clock.Now().UTC().Truncate(time.Second), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = world.Close() })
	if err := world.Advance(t.Context(), clock.Now().UTC()); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	explorer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	t.Cleanup(explorer.Close)
	cfg := world.Config()
	cfg.Listener, cfg.PublicURL, cfg.DatabaseURL, cfg.DataDir = l, "http://"+l.Addr().String(), testdb.URL(t), t.TempDir()
	cfg.BlobURL, cfg.ExplorerBaseURL = "file://"+cfg.DataDir+"/blobs", explorer.URL
	cfg.AlertWebhookURL, cfg.AlertWebhookSecret = "http://127.0.0.1:1/alerts", "alert-secret-0123456789"
	w := &ward{t, world, cfg}
	w.serve()
	return w
}

// serve returns when the application is up and Telegram has its webhook.
func (w *ward) serve() {
	w.t.Helper()
	ready, ended := make(chan struct{}), make(chan error, 1)
	cfg := w.cfg
	cfg.Ready = func(*boot.App, string) { close(ready) }
	go func() { ended <- boot.Serve(w.t.Context(), cfg, slog.New(slog.DiscardHandler)) }()
	select {
	case <-ready:
	case err := <-ended:
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { <-ended })
	bot := telegram.New(telegram.Config{BaseURL: cfg.TelegramAPIBaseURL, Token: cfg.TelegramBotToken})
	for {
		if set, err := bot.Webhook(w.t.Context()); err != nil {
			w.t.Fatal(err)
		} else if set.URL != "" {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// examine looks at everything, with some of it changed, and holds each service
// to what is expected of it: its state and some of its words.
func (w *ward) examine(t *testing.T, change func(*boot.Config), want map[string]string) doctor.Report {
	t.Helper()
	cfg := w.cfg
	change(&cfg)
	r := boot.Examine(t.Context(), cfg, boot.Examination{Timeout: 20 * time.Second, Key: doctor.SecretKey{Bytes: cfg.SecretKey}})
	seen := map[string]bool{}
	for _, f := range r.Findings {
		seen[f.Service] = true
		expected := cmp.Or(want[f.Service+" "+f.Seen], want[f.Service], "ok")
		state, words, _ := strings.Cut(expected, ": ")
		if string(f.State) != state || !strings.Contains(f.Seen+" "+f.Advice, words) {
			t.Errorf("%s is %s: %s | %s\nwant %s", f.Service, f.State, f.Seen, f.Advice, expected)
		}
	}
	for service := range want {
		if !seen[service] && !seen[strings.Fields(service)[0]] {
			t.Errorf("nothing is said of %s", service)
		}
	}
	if strings.Contains(r.Screen(), "canary") || len(strings.Split(r.Screen(), "\n")) > 41 {
		t.Errorf("the screen is\n%s", r.Screen())
	}
	return r
}

func asItIs(*boot.Config) {}

func TestDoctor(t *testing.T) {
	t.Parallel()
	w := admit(t)
	t.Run("all is well", func(t *testing.T) {
		r := w.examine(t, asItIs, map[string]string{"model": "ok: calls tools, reports usage, streams", "Telegram": "ok: @vivra_local_bot; webhook at 127.0.0.1",
			"chain": "ok: the local chain (1337), block", "Cloudflare": "ok: zone vivra.example, 0 sites", "pictures": "ok: offers gpt-image-1",
			"GeckoTerminal": "ok: coin is worth $3000.00", "X": "ok: it knows our client; no account is connected yet", "public address": "ok: Vivra answers"})
		if !r.Healthy || r.Cost == 0 || len(w.world.Images.Requests()) != 0 {
			t.Errorf("healthy %v, cost %s, %d pictures were made\n%s", r.Healthy, r.Cost, len(w.world.Images.Requests()), r.Screen())
		}
		if len(w.world.X.Posts())+len(w.world.Telegram.Published()) != 0 || w.world.X.Charged() != 0 {
			t.Error("something was published or paid on X")
		}
		if b, err := json.Marshal(r); err != nil || !bytes.Contains(b, []byte(`"healthy":true`)) {
			t.Errorf("%s, %v", b, err)
		}
	})
	t.Run("wrong keys", func(t *testing.T) { w.examine(t, wrongKeys, keysRefused) })
	t.Run("dead ports", func(t *testing.T) { w.examine(t, deadPorts, nobodyThere) })
	t.Run("web pages", func(t *testing.T) {
		page := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			_, _ = rw.Write([]byte("<!doctype html><title>Welcome</title>"))
		}))
		defer page.Close()
		w.examine(t, func(c *boot.Config) { everywhere(c, page.URL) }, webPages)
	})
	t.Run("their own faults", func(t *testing.T) {
		w.fail(500)
		w.examine(t, asItIs, theirFault)
	})
	t.Run("not what is needed", func(t *testing.T) {
		w.world.Model.SetMode(modelsim.Mode{NoTools: []string{"gpt-5-mini"}, NoUsage: []string{"gpt-5"}})
		defer w.world.Model.SetMode(modelsim.Mode{})
		w.examine(t, unfit, notWhatIsNeeded)
	})
	t.Run("without a database", func(t *testing.T) {
		w.examine(t, func(c *boot.Config) {
			c.DatabaseURL = "postgres://vivra:canary-password@127.0.0.1:1/vivra?sslmode=disable"
		}, map[string]string{
			"database": "broken: No database answers at 127.0.0.1:1: start PostgreSQL, or check DATABASE_URL.", "prices": "ok: the database was not asked",
			"secret key": "warning: What it sealed could not be read", "X": "ok: the connected accounts could not be read"})
	})
	t.Run("no model is asked", func(t *testing.T) {
		before := w.world.Model.Count()
		r := boot.Examine(t.Context(), w.cfg, boot.Examination{Timeout: 20 * time.Second, NoModel: true, Key: doctor.SecretKey{Bytes: w.cfg.SecretKey}})
		if !r.Healthy || r.Cost != 0 || w.world.Model.Count() != before {
			t.Errorf("%d calls, cost %s\n%s", w.world.Model.Count()-before, r.Cost, r.Screen())
		}
	})
}

func wrongKeys(c *boot.Config) {
	c.SurplusAPIKey, c.ImageAPIKey, c.XClientSecret, c.CloudflareAPIToken = "canary-model-key", "canary-image-key", "canary-x-secret", "canary-pages-token"
	c.TelegramBotToken = "990001:canary-bot-token"
}

var keysRefused = map[string]string{
	"model":      "broken: does not accept our key (401): check SURPLUS_API_KEY.",
	"pictures":   "broken: does not accept our key (401): check IMAGE_API_KEY.",
	"X":          "broken: X does not know this client (401): X_CLIENT_ID and X_CLIENT_SECRET must be those of OAuth 2.0",
	"Telegram":   "broken: does not accept our key (401): check TELEGRAM_BOT_TOKEN.",
	"Cloudflare": "broken: Cloudflare does not accept our token (403): check CLOUDFLARE_API_TOKEN.",
}

// everywhere points every service at one address.
func everywhere(c *boot.Config, url string) {
	c.SurplusBaseURL, c.ImageBaseURL, c.RPCURL, c.ExplorerBaseURL = url, url, url, url
	c.DexscreenerBaseURL, c.GeckoterminalBaseURL, c.TelegramAPIBaseURL, c.CloudflareAPIBaseURL = url, url, url, url
	c.XAPIBaseURL, c.XAuthBaseURL, c.PublicURL = url, url, url
}

func deadPorts(c *boot.Config) { everywhere(c, "http://127.0.0.1:1") }

var nobodyThere = map[string]string{
	"model":          "broken: Nobody answers at 127.0.0.1:1 (connection refused): check SURPLUS_BASE_URL.",
	"pictures":       "broken: Nobody answers at 127.0.0.1:1 (connection refused): check IMAGE_BASE_URL.",
	"chain":          "broken: Nobody answers at 127.0.0.1:1 (connection refused): check RPC_URL.",
	"explorer":       "broken: Nobody answers at 127.0.0.1:1 (connection refused): check EXPLORER_BASE_URL.",
	"DexScreener":    "broken: Nobody answers at 127.0.0.1:1 (connection refused): check DEXSCREENER_BASE_URL.",
	"GeckoTerminal":  "broken: Nobody answers at 127.0.0.1:1 (connection refused): check GECKOTERMINAL_BASE_URL.",
	"X":              "broken: Nobody answers at 127.0.0.1:1 (connection refused): check X_AUTH_BASE_URL.",
	"Telegram":       "broken: Nobody answers at 127.0.0.1:1 (connection refused): check TELEGRAM_API_BASE_URL.",
	"Cloudflare":     "broken: Nobody answers at 127.0.0.1:1 (connection refused): check CLOUDFLARE_API_BASE_URL.",
	"public address": "off: nobody serves 127.0.0.1:1 now: start vivra serve",
}

var webPages = map[string]string{
	"model":          "broken: answers 200 with an HTML page instead of data: check SURPLUS_BASE_URL.",
	"pictures":       "broken: answers 200 with an HTML page instead of data: check IMAGE_BASE_URL.",
	"chain":          "broken: answers 200 with an HTML page instead of data: check RPC_URL.",
	"DexScreener":    "broken: answers 200 with an HTML page instead of data: check DEXSCREENER_BASE_URL.",
	"GeckoTerminal":  "broken: answers 200 with an HTML page instead of data: check GECKOTERMINAL_BASE_URL.",
	"X":              "broken: answers 200 with an HTML page instead of data: check X_AUTH_BASE_URL.",
	"Telegram":       "broken: answers 200 with an HTML page instead of data: check TELEGRAM_API_BASE_URL.",
	"Cloudflare":     "broken: answers 200 with an HTML page instead of data: check CLOUDFLARE_API_BASE_URL.",
	"public address": "broken: Something that is not Vivra answers at 127.0.0.1",
}

// fail makes each service answer with a status, as often as it will be asked.
func (w *ward) fail(status int) {
	once, twice := fault.Fault{Status: status}, fault.Fault{Status: status, Times: 2}
	w.world.X.Fail(once)
	w.world.Telegram.Fail(once)
	w.world.Images.Fail(once)
	w.world.Pages.Fail(twice)
	w.world.Model.Fail(modelsim.Fault{Status: status, Times: 2})
	w.world.Market.Fail(marketsim.Fault{Status: status, Times: 2})
	w.world.Chain.Fail(chainsim.Fault{Status: status})
}

var theirFault = map[string]string{
	"model":         "broken: fails (500 Internal Server Error): try again later, and if it stays so check SURPLUS_BASE_URL.",
	"pictures":      "broken: fails (500 Internal Server Error): try again later, and if it stays so check IMAGE_BASE_URL.",
	"chain":         "broken: answers 500 with an HTML page instead of data: check RPC_URL.", // as a proxy in front does
	"DexScreener":   "broken: fails (500 Internal Server Error): try again later, and if it stays so check DEXSCREENER_BASE_URL.",
	"GeckoTerminal": "broken: fails (500 Internal Server Error): try again later, and if it stays so check GECKOTERMINAL_BASE_URL.",
	"X":             "broken: fails (500 Internal Server Error): try again later, and if it stays so check X_AUTH_BASE_URL.",
	"Telegram":      "broken: fails (500 Internal Server Error): try again later, and if it stays so check TELEGRAM_API_BASE_URL.",
	"Cloudflare":    "broken: fails (500 Internal Server Error): try again later, and if it stays so check CLOUDFLARE_API_BASE_URL.",
}

// unfit is what answers, and is not what the application needs.
func unfit(c *boot.Config) {
	c.Chain.ChainID, c.Chain.Name, c.Chain.Network = 4663, "Robinhood Chain", "robinhood"
	c.Chain.QuoteUSD, c.SiteDomain = 0, "other.example"
	c.PublicURL = strings.Replace(c.PublicURL, "127.0.0.1", "localhost", 1)
}

var notWhatIsNeeded = map[string]string{
	"model gpt-5-mini": "broken: gpt-5-mini can't call tools, so ",
	"model gpt-5":      "warning: gpt-5 does not report what it used, so each call is booked at the most it can cost: set ",
	"chain":            "broken: RPC_URL serves chain 1337 and not Robinhood Chain (4663): point it at that chain, or set VIVRA_CHAIN.",
	"GeckoTerminal":    `warning: It knows no price of the coin of network "robinhood"`,
	"Cloudflare":       "broken: CLOUDFLARE_ZONE_ID is the zone of vivra.example, and VIVRA_SITE_DOMAIN is other.example: make them fit.",
	"Telegram":         "warning: Its updates go to another address than VIVRA_PUBLIC_URL, at 127.0.0.1",
}
