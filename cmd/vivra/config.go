package main

import (
	"os"
	"path/filepath"
	"strings"
)

// environment is everything the program is told by variables. It is read once,
// here; .env.example says what each one is for.
type environment struct {
	DatabaseURL    string // empty: a private server under DataDir
	PostgresBinDir string // of the private server; empty: searched for
	Addr           string // host:port
	PublicURL      string // origin, without a slash at its end
	DataDir        string
	SecretKey      string // 32 bytes as hex or base64; empty: kept in DataDir
	SiteDomain     string
	ClientJS       string // file that takes the place of static/live.js
	BlobURL        string // empty: a folder in DataDir

	SurplusBaseURL, SurplusAPIKey string
	ImageBaseURL, ImageAPIKey     string

	RPCURL, ExplorerBaseURL                  string
	Chain                                    string // JSON, what is known of the chain; empty: what the program knows
	DexscreenerBaseURL, GeckoterminalBaseURL string
	XAPIBaseURL, XAuthBaseURL                string
	XAuthorizeBaseURL                        string
	XClientID, XClientSecret                 string
	TelegramAPIBaseURL                       string
	TelegramBotToken, TelegramWebhookSecret  string
	CloudflareAPIBaseURL, CloudflareAPIToken string
	CloudflareAccountID, CloudflareZoneID    string

	// Where alerts are brought beside the pages; empty: nowhere.
	AlertTelegramChat                   string
	AlertWebhookURL, AlertWebhookSecret string

	MetricsAddr string // host:port; empty: no metrics
	// Of the standard variables for telemetry, those that say whether anything
	// is sent, and those whose faults the library would print with their value.
	OTLPEndpoint, OTLPTracesEndpoint string
	OTLPHeaders, OTLPTracesHeaders   string
	OTELDisabled, OTELTracesExporter string
	OTELContent, OTELResource        string
}

// variable is one of them. Faults of a secret one never show its value.
type variable struct {
	name   string
	into   *string
	check  func(string) string // what is wrong with a value, empty when nothing is
	usual  string              // when the variable is not set
	secret bool
}

func (e *environment) variables() []variable {
	all := []variable{
		{name: "DATABASE_URL", into: &e.DatabaseURL, check: isDatabaseURL, secret: true},
		{name: "PG_BIN_DIR", into: &e.PostgresBinDir, check: isFolder},
		{name: "VIVRA_ADDR", into: &e.Addr, check: isListenAddress, usual: "127.0.0.1:8080"},
		{name: "VIVRA_PUBLIC_URL", into: &e.PublicURL, check: isOrigin},
		{name: "VIVRA_DATA_DIR", into: &e.DataDir},
		{name: "VIVRA_SECRET_KEY", into: &e.SecretKey, check: isKey, secret: true},
		{name: "VIVRA_SITE_DOMAIN", into: &e.SiteDomain, check: isDomain},
		{name: "VIVRA_CLIENT_JS", into: &e.ClientJS, check: isFile},
		{name: "BLOB_URL", into: &e.BlobURL, check: isBlobURL, secret: true},
		{name: "SURPLUS_BASE_URL", into: &e.SurplusBaseURL, check: isWebURL},
		{name: "SURPLUS_API_KEY", into: &e.SurplusAPIKey, check: isWord, secret: true},
		{name: "IMAGE_BASE_URL", into: &e.ImageBaseURL, check: isWebURL},
		{name: "IMAGE_API_KEY", into: &e.ImageAPIKey, check: isWord, secret: true},
		{name: "RPC_URL", into: &e.RPCURL, check: isRPCURL, secret: true}, // providers put their key in it
		{name: "VIVRA_CHAIN", into: &e.Chain, check: isChain},
		{name: "EXPLORER_BASE_URL", into: &e.ExplorerBaseURL, check: isWebURL},
		{name: "DEXSCREENER_BASE_URL", into: &e.DexscreenerBaseURL, check: isWebURL, usual: "https://api.dexscreener.com"},
		{name: "GECKOTERMINAL_BASE_URL", into: &e.GeckoterminalBaseURL, check: isWebURL, usual: "https://api.geckoterminal.com/api/v2"},
		{name: "X_API_BASE_URL", into: &e.XAPIBaseURL, check: isWebURL, usual: "https://api.x.com"},
		{name: "X_AUTH_BASE_URL", into: &e.XAuthBaseURL, check: isWebURL, usual: "https://api.x.com"},
		{name: "X_AUTHORIZE_BASE_URL", into: &e.XAuthorizeBaseURL, check: isWebURL, usual: "https://x.com"},
		{name: "X_CLIENT_ID", into: &e.XClientID, check: isWord},
		{name: "X_CLIENT_SECRET", into: &e.XClientSecret, check: isWord, secret: true},
		{name: "TELEGRAM_API_BASE_URL", into: &e.TelegramAPIBaseURL, check: isWebURL, usual: "https://api.telegram.org"},
		{name: "TELEGRAM_BOT_TOKEN", into: &e.TelegramBotToken, check: isBotToken, secret: true},
		{name: "TELEGRAM_WEBHOOK_SECRET", into: &e.TelegramWebhookSecret, check: isWebhookSecret, secret: true},
		{name: "CLOUDFLARE_API_BASE_URL", into: &e.CloudflareAPIBaseURL, check: isWebURL, usual: "https://api.cloudflare.com/client/v4"},
		{name: "CLOUDFLARE_API_TOKEN", into: &e.CloudflareAPIToken, check: isWord, secret: true},
		{name: "CLOUDFLARE_ACCOUNT_ID", into: &e.CloudflareAccountID, check: isCloudflareID},
		{name: "CLOUDFLARE_ZONE_ID", into: &e.CloudflareZoneID, check: isCloudflareID},
		{name: "VIVRA_ALERT_TELEGRAM_CHAT", into: &e.AlertTelegramChat, check: isChat, secret: true},
		{name: "VIVRA_ALERT_WEBHOOK_URL", into: &e.AlertWebhookURL, check: isWebURL, secret: true}, // many have their key in it
		{name: "VIVRA_ALERT_WEBHOOK_SECRET", into: &e.AlertWebhookSecret, check: isAlertSecret, secret: true},
		{name: "VIVRA_METRICS_ADDR", into: &e.MetricsAddr, check: isListenAddress},
		{name: "OTEL_EXPORTER_OTLP_ENDPOINT", into: &e.OTLPEndpoint, check: isWebURL, secret: true},
		{name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", into: &e.OTLPTracesEndpoint, check: isWebURL, secret: true},
		{name: "OTEL_EXPORTER_OTLP_HEADERS", into: &e.OTLPHeaders, check: isHeaderList, secret: true},
		{name: "OTEL_EXPORTER_OTLP_TRACES_HEADERS", into: &e.OTLPTracesHeaders, check: isHeaderList, secret: true},
		{name: "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", into: &e.OTELContent, check: isBoolean},
		{name: "OTEL_RESOURCE_ATTRIBUTES", into: &e.OTELResource, check: isAttributeList},
		{name: "OTEL_TRACES_EXPORTER", into: &e.OTELTracesExporter, check: isTracesExporter},
		{name: "OTEL_SDK_DISABLED", into: &e.OTELDisabled, check: isBoolean},
	}
	return append(all, onlyChecked()...)
}

// parse reads the environment and returns every fault in it, in the order of
// the table above.
func parse(getenv func(string) string) (environment, []fault) {
	var e environment
	var faults []fault
	for _, v := range e.variables() {
		value := strings.TrimSpace(getenv(v.name))
		if value == "" {
			value = v.usual
		} else if problem := v.problem(value); problem != "" {
			faults = append(faults, fault{v.name, problem})
		}
		*v.into = value
	}
	e.fill(getenv, os.Geteuid() == 0)
	return e, append(faults, e.incomplete()...)
}

func (v variable) problem(value string) string {
	if v.check == nil {
		return ""
	}
	problem := v.check(value)
	if problem == "" || v.secret {
		return problem
	}
	return "is " + quote(value) + ", which " + problem
}

// fill derives what depends on other values.
func (e *environment) fill(getenv func(string) string, root bool) {
	e.PublicURL = strings.TrimRight(e.PublicURL, "/")
	if e.PublicURL == "" {
		e.PublicURL = "http://" + localAddress(e.Addr)
	}
	if e.DataDir == "" {
		e.DataDir = usualDataDir(getenv, root)
	}
	if e.BlobURL == "" {
		e.BlobURL = "file://" + filepath.ToSlash(filepath.Join(absolute(e.DataDir), "blobs"))
	}
}

// usualDataDir is where an application's data belongs. Root's home is closed
// to the account its database server runs as, so root's data is not there.
func usualDataDir(getenv func(string) string, root bool) string {
	switch {
	case root:
		return "/var/lib/vivra"
	case filepath.IsAbs(getenv("XDG_DATA_HOME")):
		return filepath.Join(getenv("XDG_DATA_HOME"), "vivra")
	default:
		return filepath.Join(getenv("HOME"), ".local", "share", "vivra")
	}
}

func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}
