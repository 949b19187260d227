package doctor

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
)

// Site is the address that visitors, Telegram and X see.
type Site struct {
	service
	url    string
	health string // the address that says whether all is well

	looked chan struct{}
	serves bool // set before looked is closed
}

// NewSite returns the site at a public URL; health is a path of it.
func NewSite(wall clockwork.Clock, publicURL, health string) *Site {
	return &Site{service: newService(wall, "public address", "VIVRA_PUBLIC_URL", ""), url: publicURL, health: publicURL + health, looked: make(chan struct{})}
}

// Check asks the site whether it is up, once.
func (p *Site) Check() Check {
	return one(p.name, func(ctx context.Context) Finding {
		defer close(p.looked)
		within, cancel := half(ctx, p.wall)
		defer cancel()
		f := p.look(within)
		p.serves = f.State == OK || f.State == Warning && p.seen().status == http.StatusOK
		return f
	})
}

// Serves waits for what Check saw, and tells whether Vivra is up there.
func (p *Site) Serves(ctx context.Context) bool {
	select {
	case <-p.looked:
		return p.serves
	case <-ctx.Done():
		return false
	}
}

// half leaves time to those who wait for what is looked at here.
func half(ctx context.Context, wall clockwork.Clock) (context.Context, context.CancelFunc) {
	until, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, until.Sub(wall.Now())/2)
}

func (p *Site) look(ctx context.Context) Finding {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.health, nil)
	if err != nil {
		return p.broken("", "It is no web address: check VIVRA_PUBLIC_URL.")
	}
	res, err := p.client().Do(req)
	if err != nil {
		return p.silent(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10)) // what is cut off is not Vivra's
	switch text := strings.TrimSpace(string(body)); {
	case res.StatusCode == http.StatusOK && text == "ok":
		return p.up()
	case strings.HasPrefix(text, "Vivra is starting"):
		return p.warning("", "Vivra is starting there, or its database does not answer: see the database below, and the log of vivra serve.")
	case res.StatusCode == http.StatusServiceUnavailable && strings.Contains(text, "database"):
		return p.broken("", "Vivra is up there, but its database does not answer: see the database.")
	case p.seen().location != "":
		return p.broken("", "%s sends us on to %s: set VIVRA_PUBLIC_URL to where Vivra is.", p.seen().host, p.seen().location)
	}
	return p.broken("", "Something that is not Vivra answers at %s (%d): check VIVRA_PUBLIC_URL, and the proxy in front.", p.seen().host, res.StatusCode)
}

// silent explains an address that gives no answer. One on this machine only
// means that Vivra is not running.
func (p *Site) silent(err error) Finding {
	what, where := p.fault(err)
	switch {
	case where == address && p.local():
		return off(p.name, "nobody serves %s now: start vivra serve", hostOf(p.url))
	case where == address || where == theirs:
		return p.warning("", "%s: start vivra serve, or check VIVRA_PUBLIC_URL and the proxy in front.", capital(what))
	}
	return p.broken("", "%s: %s.", capital(what), p.remedy(where))
}

func (p *Site) local() bool {
	u, err := url.Parse(p.url)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// soon is how long before its end a certificate should have been renewed.
const soon = 14 * 24 * time.Hour

func (p *Site) up() Finding {
	c := p.seen()
	if c.tls == nil || len(c.tls.PeerCertificates) == 0 {
		if !p.local() {
			return p.warning("Vivra answers", "Visitors and sign-ins are not encrypted, and Telegram brings nothing here: give VIVRA_PUBLIC_URL an https:// address.")
		}
		return p.ok("Vivra answers at %s", c.host)
	}
	left := c.tls.PeerCertificates[0].NotAfter.Sub(p.wall.Now())
	seen := fmt.Sprintf("Vivra answers at %s, %s, certificate good for %s", c.host, tls.VersionName(c.tls.Version), span(left))
	if left < soon {
		return p.warning(seen, "The certificate of %s ends in %s: renew it.", c.host, span(left))
	}
	return p.ok("%s", seen)
}
