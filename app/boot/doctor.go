package boot

import (
	"context"
	"net/http"
	"path/filepath"
	"time"

	"vivra/app"
	"vivra/app/agents"
	"vivra/app/browser"
	"vivra/app/chain"
	"vivra/app/doctor"
	"vivra/app/images"
	"vivra/app/market"
	"vivra/app/openai"
	"vivra/app/pages"
	"vivra/app/paths"
	"vivra/app/private"
	"vivra/app/telegram"
	"vivra/app/telemetry"
	"vivra/app/tools"
	"vivra/app/x"
	"vivra/prompts"
	"vivra/specs"
)

// Examination says how to look at everything the application stands on.
type Examination struct {
	Timeout time.Duration // of each look
	NoModel bool          // no model is asked, so nothing is paid
	Key     doctor.SecretKey
	Secrets []string // what must not be shown beside the secrets of the Config
	// Collector receives traces, empty when none are sent; Header goes along.
	Collector string
	Header    http.Header
}

// Examine looks at every outside service and changes nothing. The application
// may be running or not.
func Examine(ctx context.Context, cfg Config, how Examination) doctor.Report {
	cfg = cfg.withDefaults()
	e := examination{Config: cfg, Examination: how,
		db:   doctor.NewDatabase(cfg.Wall, cfg.DatabaseURL, private.Config{DataDir: filepath.Join(cfg.DataDir, "postgres"), BinDir: cfg.PostgresBinDir}),
		site: doctor.NewSite(cfg.Wall, cfg.PublicURL, "/healthz")}
	defer e.db.Close()
	looks := doctor.Examination{Timeout: how.Timeout, Wall: cfg.Wall, Secrets: doctor.NewSecrets(append(cfg.secrets(), how.Secrets...)...)}
	return looks.Examine(ctx, e.checks())
}

type examination struct {
	Config
	Examination
	db   *doctor.Database
	site *doctor.Site

	catalogue *agents.Catalogue
	fault     error
}

func (e *examination) checks() []doctor.Check {
	e.catalogue, e.fault = agents.Load(specs.FS, prompts.FS, tools.All(tools.Deps{}), func(string) bool { return true }) // prices have a check of their own
	all := []doctor.Check{
		doctor.Program(prompts.FS, specs.FS, e.catalogue, e.fault),
		e.db.Check(), doctor.Key(e.Key, e.accounts), doctor.Folder(e.DataDir), doctor.Files(e.Wall, e.BlobURL), e.site.Check(),
		doctor.Prices(e.known, ImageModel, "1024x1024"), e.models(), e.pictures(),
	}
	all = append(all, e.chains()...)
	all = append(all, e.platforms()...)
	all = append(all, e.alerts()...)
	if e.MetricsAddr != "" {
		all = append(all, doctor.Metrics(e.Wall, e.MetricsAddr, telemetry.Path))
	}
	if e.Examination.Collector != "" {
		all = append(all, doctor.Collector(e.Wall, e.Examination.Collector, e.Header))
	}
	return all
}

func (e *examination) models() doctor.Check {
	switch {
	case e.SurplusBaseURL == "":
		return doctor.NotConfigured("model", "SURPLUS_BASE_URL and SURPLUS_API_KEY", "no agent can think")
	case e.NoModel:
		return doctor.ModelsNotAsked()
	}
	return doctor.Models(e.Wall, openai.Config{BaseURL: e.SurplusBaseURL, APIKey: e.SurplusAPIKey}, e.known)
}

func (e *examination) pictures() doctor.Check {
	if e.ImageBaseURL == "" {
		return doctor.NotConfigured("pictures", "IMAGE_BASE_URL and IMAGE_API_KEY", "the designer gets none")
	}
	return doctor.Pictures(e.Wall, images.Config{BaseURL: e.ImageBaseURL, Key: e.ImageAPIKey, Model: ImageModel})
}

// chains are the chain and those who tell of it.
func (e *examination) chains() []doctor.Check {
	rpc := doctor.NotConfigured("chain", "RPC_URL", "no token can be read")
	if e.RPCURL != "" {
		rpc = doctor.Chain(e.Wall, chain.Config{RPCURL: e.RPCURL, ChainID: e.Chain.ChainID, Quote: e.Chain.Quote, Now: e.Clock.Now}, e.Chain.Name)
	}
	explorer := doctor.NotConfigured("explorer", "EXPLORER_BASE_URL", "pages link to none")
	if e.ExplorerBaseURL != "" {
		explorer = doctor.Explorer(e.Wall, e.ExplorerBaseURL)
	}
	quote := app.TokenRef{ChainID: e.Chain.ChainID, Address: e.Chain.Quote}
	prices := market.Config{DexScreenerURL: e.DexscreenerBaseURL, GeckoTerminalURL: e.GeckoterminalBaseURL, Networks: e.Chain.networks(), Now: e.Clock.Now}
	return []doctor.Check{rpc, explorer, doctor.DexScreener(e.Wall, prices, quote), doctor.GeckoTerminal(e.Wall, prices, quote, e.Chain.QuoteUSD)}
}

// platforms are where the agents publish, and what draws for them.
func (e *examination) platforms() []doctor.Check {
	onX := doctor.NotConfigured("X", "X_CLIENT_ID and X_CLIENT_SECRET", "nothing is posted there")
	if e.XClientID != "" {
		onX = doctor.X(e.Wall, x.Config{APIBaseURL: e.XAPIBaseURL, AuthBaseURL: e.XAuthBaseURL, ClientID: e.XClientID, ClientSecret: e.XClientSecret}, e.accounts)
	}
	bot := doctor.NotConfigured("Telegram", "TELEGRAM_BOT_TOKEN and TELEGRAM_WEBHOOK_SECRET", "no group is set up or guarded")
	if e.TelegramBotToken != "" {
		bot = doctor.Telegram(e.Wall, telegram.Config{BaseURL: e.TelegramAPIBaseURL, Token: e.TelegramBotToken}, e.PublicURL+paths.TelegramWebhook(), e.site.Serves)
	}
	sites := doctor.NotConfigured("Cloudflare", "VIVRA_SITE_DOMAIN and CLOUDFLARE_*", "no site is published")
	if e.CloudflareAPIToken != "" {
		sites = doctor.Pages(e.Wall, pages.Config{APIBaseURL: e.CloudflareAPIBaseURL, Token: e.CloudflareAPIToken, AccountID: e.CloudflareAccountID, ZoneID: e.CloudflareZoneID}, e.SiteDomain)
	}
	return []doctor.Check{onX, bot, sites, doctor.Browser(e.Wall, browser.Config{})}
}
