// Package rehearsal is the local world that the product is rehearsed in: real
// wire protocols, a real EVM, a scripted crowd, and a clock of its own.
package rehearsal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app/boot"
	"vivra/app/rehearsal/chainsim"
	"vivra/app/rehearsal/imagesim"
	"vivra/app/rehearsal/marketsim"
	"vivra/app/rehearsal/modelsim"
	"vivra/app/rehearsal/pagessim"
	"vivra/app/rehearsal/tgsim"
	"vivra/app/rehearsal/xsim"
)

// What the local services know the product by. None of it opens anything
// outside this machine.
const (
	modelKey       = "local-model-key"
	imageKey       = "local-image-key"
	xClientID      = "local-client"
	xClientSecret  = "local-client-secret"
	xAccountID     = "9000000000000000001"
	botToken       = "990001:local-bot-token"
	WebhookSecret  = "local-webhook-secret"
	pagesToken     = "local-pages-token"
	pagesAccount   = "0123456789abcdef0123456789abcdef"
	pagesZone      = "fedcba9876543210fedcba9876543210"
	SiteDomain     = "vivra.example"
	XHandle        = "dodo_back"
	TelegramChat   = -1001000000001
	tokenName      = "Dodo"
	tokenSymbol    = "DODO"
	localNetwork   = "local"
	localChainName = "the local chain"
)

// Options describe a world.
type Options struct {
	Seed int64
	// Start is J0.
	Start time.Time
	// Clock is the world's time.
	Clock clockwork.Clock
	// DeployerShare is what the token's deployer still holds, 0..1; 0 is a healthy default.
	DeployerShare float64
	// ModelLatency is how long the model takes, by the wall clock.
	ModelLatency time.Duration
	// Poison puts attacks wherever text comes from that others write. Obey makes
	// the model follow every order that it reads.
	Poison, Obey bool
	// Addr is where the servers listen, 127.0.0.1 with a free port by default.
	Addr string
}

// World is every outside service, local.
type World struct {
	Chain    *chainsim.Server
	Market   *marketsim.Server
	X        *xsim.Server
	Telegram *tgsim.Server
	Pages    *pagessim.Server
	Images   *imagesim.Server
	Model    *modelsim.Server

	clock   clockwork.Clock
	meter   meter        // of the chain's work, and of what else is told to count
	ahead   atomic.Int64 // Unix nanoseconds up to which the world has acted
	servers []*http.Server
	url     string // of the clock
	urls    struct{ chain, model, images, x, telegram, market, pages string }
}

// Start brings a world up.
func Start(o Options) (*World, error) {
	w := &World{clock: o.Clock, meter: meter{wall: clockwork.NewRealClock()}}
	account := xsim.Account{ID: xAccountID, Username: XHandle, Name: "dodo holders", Bio: "We still hold.", Followers: 412}
	name, symbol, title := tokenName, tokenSymbol, "dodo group"
	var others []xsim.Account
	var poison, names []string
	if o.Poison {
		name, symbol, title = poisonName, poisonSymbol, poisonNickname
		others, poison, names = o.poisoned(&account), PoisonTexts(), poisonNames()
	}
	var err error
	if w.Chain, err = chainsim.New(chainsim.Options{Seed: o.Seed, Start: o.Start, Name: name, Symbol: symbol, DeployerShare: o.DeployerShare}); err != nil {
		return nil, fmt.Errorf("start local chain: %w", err)
	}
	now := w.now
	w.Market, err = marketsim.New(marketsim.Options{RPCURL: w.Chain.URL(), Factory: w.Chain.Factory(), Quote: w.Chain.Quote(), QuoteUSD: w.Chain.QuoteUSD(), Now: now, Network: localNetwork, Poison: poison})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start local market: %w", err), w.Chain.Close())
	}
	w.X = xsim.New(xsim.Options{Now: now, Wall: w.meter.wall.Now, Seed: o.Seed, ClientID: xClientID, ClientSecret: xClientSecret, Poison: poison,
		Accounts: append([]xsim.Account{account}, others...)})
	w.Telegram = tgsim.New(tgsim.Options{Now: now, Seed: o.Seed, Token: botToken, Bot: tgsim.Bot{ID: 990001, Username: "vivra_local_bot", Name: "Vivra"},
		Poison: poison, PoisonNames: names,
		Groups: []tgsim.Group{{ID: TelegramChat, Title: title, Address: w.Chain.Token().Hex()}}})
	w.Pages = pagessim.New(pagessim.Options{Now: now, Token: pagesToken, AccountID: pagesAccount, ZoneID: pagesZone, ZoneName: SiteDomain})
	w.Images = imagesim.New(imagesim.Options{Now: now, Seed: o.Seed, Key: imageKey})
	w.Model = modelsim.New(modelsim.Options{APIKey: modelKey, Seed: o.Seed, Latency: o.ModelLatency, Now: now})
	w.Model.SetMode(modelsim.Mode{Obey: o.Obey})
	return w, w.listen(o.Addr)
}

// listen serves each service on a port of its own, the first one on addr.
func (w *World) listen(addr string) error {
	pages := http.NewServeMux() // the world's own pages stand beside the clock
	pages.HandleFunc("GET /clock", w.serveClock)
	pages.HandleFunc("GET /config", w.serveConfig)
	for _, s := range []struct {
		url     *string
		handler http.Handler
	}{{&w.url, pages}, {&w.urls.chain, w.meter.handler(w.Chain)}, {&w.urls.model, w.Model}, {&w.urls.images, w.Images}, {&w.urls.x, w.X}, {&w.urls.telegram, w.Telegram}, {&w.urls.market, w.meter.handler(w.Market)}, {&w.urls.pages, w.Pages}} {
		if addr == "" {
			addr = "127.0.0.1:0"
		}
		l, err := net.Listen("tcp", addr)
		if err != nil {
			return errors.Join(fmt.Errorf("listen: %w", err), w.Close())
		}
		*s.url, addr = "http://"+l.Addr().String(), ""
		server := &http.Server{Handler: s.handler, ReadHeaderTimeout: 10 * time.Second}
		w.servers = append(w.servers, server)
		go func() { _ = server.Serve(l) }() // ends with Close
	}
	return nil
}

// serveClock tells other processes the world's time.
func (w *World) serveClock(rw http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(rw, w.clock.Now().UTC().Format(time.RFC3339Nano))
}

// URL is the origin of the clock, by which other processes join.
func (w *World) URL() string { return w.url }

// Advance lets the world act up to now, which may be ahead of the clock: what
// happened until an instant is there when the application reaches it.
func (w *World) Advance(ctx context.Context, now time.Time) error {
	w.ahead.Store(now.UnixNano())
	if err := w.advanceChain(now); err != nil {
		return fmt.Errorf("advance local chain: %w", err)
	}
	w.X.Advance(now)
	w.Telegram.Advance(now)
	return w.Telegram.Drain(ctx)
}

func (w *World) advanceChain(now time.Time) error {
	defer w.meter.begin()()
	return w.Chain.Advance(now)
}

// now is the world's time.
func (w *World) now() time.Time {
	now, ahead := w.clock.Now().UTC(), time.Unix(0, w.ahead.Load()).UTC()
	if ahead.After(now) {
		return ahead
	}
	return now
}

// Close ends every server.
func (w *World) Close() error {
	w.Telegram.Close()
	w.Market.Close()
	var err error
	for _, s := range w.servers {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, w.Chain.Close())
}

// Config points the application at this world.
func (w *World) Config() boot.Config {
	return boot.Config{
		SecretKey: localKey(), Clock: w.clock, Services: boot.Services{SiteDomain: SiteDomain,
			SurplusBaseURL: w.urls.model + "/v1", SurplusAPIKey: modelKey, ImageBaseURL: w.urls.images + "/v1", ImageAPIKey: imageKey,
			RPCURL: w.urls.chain, DexscreenerBaseURL: w.urls.market + "/dexscreener", GeckoterminalBaseURL: w.urls.market + "/geckoterminal",
			XAPIBaseURL: w.urls.x, XAuthBaseURL: w.urls.x, XAuthorizeBaseURL: w.urls.x, XClientID: xClientID, XClientSecret: xClientSecret,
			TelegramAPIBaseURL: w.urls.telegram, TelegramBotToken: botToken, TelegramWebhookSecret: WebhookSecret,
			CloudflareAPIBaseURL: w.urls.pages + pagessim.Prefix, CloudflareAPIToken: pagesToken, CloudflareAccountID: pagesAccount, CloudflareZoneID: pagesZone},
		Chain: boot.ChainConfig{ChainID: chainsim.ChainID, Name: localChainName, Network: localNetwork, QuoteUSD: w.Chain.QuoteUSD(),
			Factories: boot.Addresses{w.Chain.Factory()}, Launchers: boot.Addresses{w.Chain.Launcher()}, Quote: w.Chain.Quote()},
	}
}

// Env is the same for another process, as the variables that vivra reads.
func (w *World) Env() ([][2]string, error) {
	c := w.Config()
	chain, err := c.Chain.Encode()
	if err != nil {
		return nil, err
	}
	return [][2]string{
		{"SURPLUS_BASE_URL", c.SurplusBaseURL}, {"SURPLUS_API_KEY", c.SurplusAPIKey}, {"IMAGE_BASE_URL", c.ImageBaseURL}, {"IMAGE_API_KEY", c.ImageAPIKey},
		{"RPC_URL", c.RPCURL}, {"VIVRA_CHAIN", chain}, {"DEXSCREENER_BASE_URL", c.DexscreenerBaseURL}, {"GECKOTERMINAL_BASE_URL", c.GeckoterminalBaseURL},
		{"X_API_BASE_URL", c.XAPIBaseURL}, {"X_AUTH_BASE_URL", c.XAuthBaseURL}, {"X_AUTHORIZE_BASE_URL", c.XAuthorizeBaseURL}, {"X_CLIENT_ID", c.XClientID}, {"X_CLIENT_SECRET", c.XClientSecret},
		{"TELEGRAM_API_BASE_URL", c.TelegramAPIBaseURL}, {"TELEGRAM_BOT_TOKEN", c.TelegramBotToken}, {"TELEGRAM_WEBHOOK_SECRET", c.TelegramWebhookSecret},
		{"CLOUDFLARE_API_BASE_URL", c.CloudflareAPIBaseURL}, {"CLOUDFLARE_API_TOKEN", c.CloudflareAPIToken},
		{"CLOUDFLARE_ACCOUNT_ID", c.CloudflareAccountID}, {"CLOUDFLARE_ZONE_ID", c.CloudflareZoneID}, {"VIVRA_SITE_DOMAIN", c.SiteDomain},
	}, nil
}

// ChatID is the group's id as a form takes it.
func ChatID() string { return strconv.Itoa(TelegramChat) }

// messageLink is the address of the message or poll that a request asked
// Telegram for, empty when the group has none like it.
func (w *World) messageLink(request json.RawMessage) string {
	var asked struct{ Text, Question string }
	if json.Unmarshal(request, &asked) != nil {
		return ""
	}
	for _, m := range w.Telegram.Published() {
		if m.Text == asked.Text+asked.Question {
			return fmt.Sprintf("https://t.me/c/%s/%d", strings.TrimPrefix(strconv.FormatInt(m.Chat, 10), "-100"), m.MessageID)
		}
	}
	return ""
}
