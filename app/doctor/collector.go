package doctor

import (
	"context"
	"net/http"

	"github.com/jonboulle/clockwork"
)

// Collector hands the receiver of traces an empty batch. header is what it
// wants along with one.
func Collector(wall clockwork.Clock, address string, header http.Header) Check {
	s := newService(wall, "traces", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS")
	return one(s.name, func(ctx context.Context) Finding {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, http.NoBody)
		if err != nil {
			return s.broken("", "It is no web address: check OTEL_EXPORTER_OTLP_ENDPOINT.")
		}
		req.Header = header.Clone()
		req.Header.Set("Content-Type", "application/x-protobuf")
		res, err := s.client().Do(req)
		if err != nil {
			return s.failed(err)
		}
		defer res.Body.Close()
		if c := s.seen(); c.status < 300 || c.status == http.StatusBadRequest { // some take no empty batch
			return s.ok("%s takes them", c.host)
		}
		return s.failed(nil)
	})
}
