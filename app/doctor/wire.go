package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// wire carries the calls to one service and remembers the last, so that a
// failure is told in the same words whoever the service is.
type wire struct {
	wall    clockwork.Clock
	carrier *http.Transport

	mu   sync.Mutex
	last call
}

// call is one exchange, as far as it came.
type call struct {
	host     string
	err      error
	status   int
	html     bool
	json     bool
	location string // the host it leads to, of a redirect
	latency  time.Duration
	tls      *tls.ConnectionState
}

func newWire(wall clockwork.Clock) *wire {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableKeepAlives = true
	return &wire{wall: wall, carrier: t}
}

// client bounds nothing, since each check has its own time, and follows no
// redirect: that would carry our key on, and the address should be the right one.
func (w *wire) client() *http.Client {
	return &http.Client{Transport: w, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	began := w.wall.Now()
	res, err := w.carrier.RoundTrip(req)
	c := call{host: req.URL.Host, err: err, latency: w.wall.Since(began)}
	if err == nil {
		c.status, c.tls = res.StatusCode, res.TLS
		kind := res.Header.Get("Content-Type")
		c.html, c.json = strings.HasPrefix(kind, "text/html"), strings.Contains(kind, "json")
		if to, err := res.Location(); err == nil && c.status >= 300 && c.status < 400 {
			c.location = to.Host
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = c
	return res, err
}

func (w *wire) seen() call {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// cause says where a failure lies, and so what to do about it.
type cause int

const (
	elsewhere   cause = iota // what the service itself said
	address                  // not the right place, or nobody there
	key                      // not the right key
	unpaid                   // no credit
	theirs                   // the service's own trouble
	unencrypted              // TLS does not hold
)

// fault says what went wrong with a call, and where that lies. err is what the
// adapter made of it.
func (w *wire) fault(err error) (string, cause) {
	c := w.seen()
	switch {
	case c.host == "": // no call was made
		return sentence(err), elsewhere
	case c.err != nil:
		return c.unanswered()
	case c.location != "":
		return fmt.Sprintf("%s sends us on to %s", c.host, c.location), address
	case c.html:
		return fmt.Sprintf("%s answers %d with an HTML page instead of data", c.host, c.status), address
	case c.status == http.StatusUnauthorized || c.status == http.StatusForbidden:
		return fmt.Sprintf("%s does not accept our key (%d)", c.host, c.status), key
	case c.status == http.StatusPaymentRequired:
		return fmt.Sprintf("%s wants to be paid first (402)", c.host), unpaid
	case c.status == http.StatusNotFound:
		return fmt.Sprintf("%s knows no such address (404)", c.host), address
	case c.status == http.StatusTooManyRequests:
		return fmt.Sprintf("%s limits our rate (429)", c.host), theirs
	case c.status >= http.StatusInternalServerError:
		return fmt.Sprintf("%s fails (%d %s)", c.host, c.status, http.StatusText(c.status)), theirs
	}
	return sentence(err), elsewhere
}

// unanswered explains a call that brought no answer.
func (c call) unanswered() (string, cause) {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var network *net.OpError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(c.err, &dns) && !dns.IsTimeout:
		return fmt.Sprintf("there is no host %s", c.host), address
	case errors.As(c.err, &certificate):
		return fmt.Sprintf("the certificate of %s does not hold: %s", c.host, reason(certificate.Err)), unencrypted
	case errors.As(c.err, &record) || strings.Contains(c.err.Error(), "HTTP response to HTTPS client"):
		return fmt.Sprintf("%s speaks plain HTTP, not HTTPS", c.host), unencrypted
	case errors.As(c.err, &network) && network.Op == "dial" && !network.Timeout():
		return fmt.Sprintf("nobody answers at %s (%s)", c.host, reason(network.Err)), address
	case errors.Is(c.err, context.DeadlineExceeded) || errors.As(c.err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("%s gave no answer in time", c.host), theirs
	}
	return fmt.Sprintf("%s broke the connection (%s)", c.host, reason(c.err)), theirs
}

// reason is the innermost cause in few words.
func reason(err error) string {
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var system interface{ Temporary() bool }
	switch {
	case errors.As(err, &host):
		return "it was made for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "it has expired, or our clock is wrong"
	case errors.As(err, &unknown):
		return "nobody we trust has signed it"
	case errors.As(err, &system):
		text := err.Error()
		return strings.TrimSpace(text[strings.LastIndex(text, ": ")+1:])
	}
	return strings.TrimSpace(err.Error())
}

// sentence is an adapter's error without its final stop.
func sentence(err error) string {
	if err == nil {
		return "it answered something unexpected"
	}
	return strings.TrimRight(strings.TrimSpace(err.Error()), ".")
}

// hostOf is the part of an address that may be shown.
func hostOf(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		return u.Host
	}
	return "the address"
}

// innermost is what an error was about in the first place.
func innermost(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}
