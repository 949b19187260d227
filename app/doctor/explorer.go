package doctor

import (
	"context"
	"net/http"

	"github.com/jonboulle/clockwork"
)

// Explorer looks whether the pages that we link to are there.
func Explorer(wall clockwork.Clock, baseURL string) Check {
	s := newService(wall, "explorer", "EXPLORER_BASE_URL", "")
	return one(s.name, func(ctx context.Context) Finding {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, baseURL, nil)
		if err != nil {
			return s.broken("", "It is no web address: check EXPLORER_BASE_URL.")
		}
		res, err := s.client().Do(req)
		if err != nil {
			return s.failed(err)
		}
		defer res.Body.Close()
		c := s.seen()
		switch {
		case c.status < 400, c.status == http.StatusForbidden: // some let no programs in, and people all the same
			return s.ok("%s answers %d", c.host, c.status)
		case c.status >= 500 || c.status == http.StatusTooManyRequests:
			return s.warning("", "%s fails (%d), so links to it lead nowhere: try again later.", c.host, c.status)
		}
		return s.broken("", "%s answers %d, so links to it lead nowhere: check EXPLORER_BASE_URL.", c.host, c.status)
	})
}
