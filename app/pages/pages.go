// Package pages puts finished sites on Cloudflare Pages by direct upload.
package pages

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/cloudflare/cloudflare-go/v6/dns"
	"github.com/cloudflare/cloudflare-go/v6/option"
)

// Config says where Cloudflare is and whose account and zone are used.
type Config struct {
	APIBaseURL string // https://api.cloudflare.com/client/v4
	Token      string // needs Pages:Edit on the account and DNS:Edit on the zone
	AccountID  string
	ZoneID     string
	// HTTP is optional; the default gives a call 60 seconds.
	HTTP *http.Client
	// Wait is optional; it pauses before something is tried or looked at again.
	Wait func(context.Context, time.Duration) error
}

// Host deploys sites.
type Host struct {
	cfg  Config
	http *http.Client
	dns  *dns.RecordService
}

// New returns a host. It starts nothing.
func New(cfg Config) *Host {
	cfg.APIBaseURL = strings.TrimRight(cfg.APIBaseURL, "/")
	if cfg.Wait == nil {
		cfg.Wait = pause
	}
	client := &http.Client{Timeout: 60 * time.Second}
	if cfg.HTTP != nil {
		client = cfg.HTTP
	}
	records := dns.NewRecordService(
		option.WithBaseURL(cfg.APIBaseURL+"/"), option.WithAPIToken(cfg.Token),
		option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithMiddleware(refuse),
	)
	return &Host{cfg, client, records}
}

// Deployment is one version of a site.
type Deployment struct {
	Project string // name of the Pages project
	Host    string // host name the site is to have, empty for none
	Files   map[string][]byte
	// Key names the effect this deployment carries out: a second Deploy with
	// the same key finds the first one instead of creating another.
	Key string
}

// Receipt is what a deployment left behind.
type Receipt struct {
	DeploymentID   string `json:"deployment_id"`
	URL            string `json:"url"` // of this version, whatever comes later
	Files          int    `json:"files"`
	Bytes          int64  `json:"bytes"`
	ManifestSHA256 string `json:"manifest_sha256"`
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
