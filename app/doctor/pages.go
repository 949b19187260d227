package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/pages"
)

// fullAccount is where Cloudflare's soft limit of 100 projects comes near.
const fullAccount = 90

// Pages looks at our account and zone at Cloudflare; domain is the one that
// sites are to stand under.
func Pages(wall clockwork.Clock, cfg pages.Config, domain string) Check {
	s := newService(wall, "Cloudflare", "CLOUDFLARE_API_BASE_URL", "CLOUDFLARE_API_TOKEN")
	cfg.HTTP = s.client()
	return one(s.name, func(ctx context.Context) Finding {
		found, err := pages.New(cfg).Check(ctx)
		if err != nil {
			return s.refused(err)
		}
		return s.pages(found, domain)
	})
}

// refused says which of our names or rights Cloudflare does not take.
func (s service) refused(err error) Finding {
	c := s.seen()
	var part *pages.CheckError
	if !c.json || c.status < 400 || c.status > 404 || !errors.As(err, &part) {
		return s.failed(err)
	}
	switch part.Part {
	case "pages":
		return s.broken("", "Cloudflare does not let our token see the account's Pages (%d): check CLOUDFLARE_ACCOUNT_ID, and that the token may edit Pages.", c.status)
	case "dns":
		return s.broken("", "Cloudflare does not let our token see the zone's records (%d): check CLOUDFLARE_ZONE_ID, and that the token may edit its DNS.", c.status)
	}
	return s.broken("", "Cloudflare does not accept our token (%d): check CLOUDFLARE_API_TOKEN.", c.status)
}

func (s service) pages(found pages.Checkup, domain string) Finding {
	seen := fmt.Sprintf("zone %s, %s", domain, app.Count(found.Projects, "site", "sites"))
	switch {
	case found.Zone != "" && found.Zone != domain && !strings.HasSuffix(domain, "."+found.Zone):
		return s.broken("", "CLOUDFLARE_ZONE_ID is the zone of %s, and VIVRA_SITE_DOMAIN is %s: make them fit.", found.Zone, domain)
	case !found.Active:
		return s.warning(seen, "The zone of %s is not active yet, so no site there can be reached: finish it at the registrar.", domain)
	case found.Expires != nil && found.Expires.Sub(s.wall.Now()) < soon:
		return s.warning(seen, "The token ends in %s: make a new one for CLOUDFLARE_API_TOKEN.", span(max(0, found.Expires.Sub(s.wall.Now()).Round(time.Second))))
	case found.Projects >= fullAccount:
		return s.warning(seen, "The account has %d of about 100 sites that Cloudflare allows: ask for more, or delete old ones.", found.Projects)
	}
	return s.ok("%s", seen)
}
