package doctor

import (
	"context"
	"net/http"
	"slices"

	"github.com/jonboulle/clockwork"

	"vivra/app/images"
)

// Pictures looks at the endpoint that makes pictures, without having one made.
func Pictures(wall clockwork.Clock, cfg images.Config) Check {
	s := newService(wall, "pictures", "IMAGE_BASE_URL", "IMAGE_API_KEY")
	cfg.HTTP = s.client()
	return one(s.name, func(ctx context.Context) Finding {
		models, err := images.New(cfg).Models(ctx)
		c := s.seen()
		switch {
		case err != nil && c.json && (c.status == http.StatusNotFound || c.status == http.StatusMethodNotAllowed):
			return s.warning("", "%s lists no models, so the key and %s can't be tried without paying: the first picture will tell.", c.host, cfg.Model)
		case err != nil:
			return s.failed(err)
		case !slices.Contains(models, cfg.Model):
			return s.broken("", "%s does not offer the model %s among its %d: point IMAGE_BASE_URL at an endpoint that does.", c.host, cfg.Model, len(models))
		}
		return s.ok("%s offers %s", c.host, cfg.Model)
	})
}
