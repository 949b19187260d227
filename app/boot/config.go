package boot

import (
	"net"
	"path/filepath"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app/tools"
)

// Config is everything the application is told. cmd reads it from the
// environment; the rehearsal makes its own.
type Config struct {
	DatabaseURL    string // empty: a private server under DataDir
	PostgresBinDir string
	Addr           string
	Listener       net.Listener // takes the place of Addr when set
	PublicURL      string
	DataDir        string
	SecretKey      []byte // 32 bytes
	ClientJS       string
	BlobURL        string

	Services
	Telemetry

	// Chain says what is known of the chain behind RPCURL; zero is
	// RobinhoodChain.
	Chain ChainConfig

	// Clock is the product's time, Wall the time of leases; nil is the real clock.
	Clock, Wall clockwork.Clock
	// Pace is how many of Clock's seconds pass in one of Wall's; 0 is one.
	Pace float64
	// Lease is how long a silent worker keeps its claim; 0 is a minute.
	Lease time.Duration
	// Workers is how many jobs run at a time here; 0 is 20.
	Workers int
	// Browser takes the place of a Chromium of the application's own when set.
	Browser Browser
	// ProbeModels has the models in use tried in the background, at their price.
	ProbeModels bool
	// Reached is told each labelled point of a run; tests kill the process there.
	Reached func(point string)
	// Ready is called once the application serves, with the token of the link
	// that creates the first account, empty when there is one already.
	Ready func(a *App, invite string)
}

// Browser draws our own HTML and runs our own scripts. app/browser implements it.
type Browser interface {
	tools.Renderer
	tools.Runner
	Close()
}

// Services says where the outside is and how we are known there.
type Services struct {
	SiteDomain string

	SurplusBaseURL, SurplusAPIKey            string
	ImageBaseURL, ImageAPIKey                string
	RPCURL, ExplorerBaseURL                  string
	DexscreenerBaseURL, GeckoterminalBaseURL string
	XAPIBaseURL, XAuthBaseURL                string
	XAuthorizeBaseURL                        string
	XClientID, XClientSecret                 string
	TelegramAPIBaseURL                       string
	TelegramBotToken, TelegramWebhookSecret  string
	CloudflareAPIBaseURL, CloudflareAPIToken string
	CloudflareAccountID, CloudflareZoneID    string

	// Where alerts are brought beside the pages; empty: nowhere.
	AlertTelegramChat                   string // a chat's number
	AlertWebhookURL, AlertWebhookSecret string
}

func (c Config) withDefaults() Config {
	if c.Clock == nil {
		c.Clock = clockwork.NewRealClock()
	}
	if c.Wall == nil {
		c.Wall = clockwork.NewRealClock()
	}
	if c.Lease == 0 {
		c.Lease = time.Minute
	}
	if c.Workers == 0 {
		c.Workers = 20
	}
	if c.Chain.ChainID == 0 {
		c.Chain = RobinhoodChain()
	}
	if c.BlobURL == "" {
		c.BlobURL = "file://" + filepath.ToSlash(filepath.Join(c.DataDir, "blobs"))
	}
	return c
}
