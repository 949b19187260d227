package doctor

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"

	"github.com/jonboulle/clockwork"
)

// Metrics asks for the numbers at the address where vivra serve offers them, as
// a scraper does.
func Metrics(wall clockwork.Clock, addr, path string) Check {
	s := newService(wall, "metrics", "VIVRA_METRICS_ADDR", "")
	return one(s.name, func(ctx context.Context) Finding {
		at := reachable(addr)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+path, nil)
		if err != nil {
			return s.broken("", "It is no host:port: check VIVRA_METRICS_ADDR.")
		}
		res, err := s.client().Do(req)
		switch what, where := s.fault(err); {
		case err != nil && where == address:
			return off(s.name, "nobody serves %s%s now: start vivra serve", at, path)
		case err != nil:
			return s.broken("", "%s: %s.", capital(what), s.remedy(where))
		}
		defer res.Body.Close()
		if text, err := io.ReadAll(io.LimitReader(res.Body, 4<<20)); res.StatusCode == http.StatusOK && bytes.Contains(text, []byte("vivra_")) && err == nil {
			return s.ok("scrapers find them at %s%s", at, path)
		}
		return s.broken("", "Something that is not Vivra answers at %s (%d): give VIVRA_METRICS_ADDR another port.", at, res.StatusCode)
	})
}

// reachable is where this machine reaches what listens at addr.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("localhost", port)
	}
	return addr
}
