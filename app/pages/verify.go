package pages

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// verify fetches every path from the deployment and compares it with what was
// built: Cloudflare accepts wrong hashes and serves errors in their place.
func (h *Host) verify(ctx context.Context, base string, b bundle) error {
	names := make([]string, 0, len(b.manifest))
	for name := range b.manifest {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := h.verifyFile(ctx, base, name, b.content[name]); err != nil {
			return fmt.Errorf("check %s: %w", name, err)
		}
	}
	return nil
}

// verifyFile gives a fresh deployment some seconds to reach the edge.
func (h *Host) verifyFile(ctx context.Context, base, name string, want []byte) error {
	const looks = 5
	var err error
	for n := range looks {
		var got []byte
		if got, err = h.fetch(ctx, base, name); err == nil {
			if bytes.Equal(got, want) {
				return nil
			}
			err = fmt.Errorf("the site serves %d bytes that are not the %d that were built", len(got), len(want))
		}
		if n == looks-1 {
			break
		}
		if waited := h.cfg.Wait(ctx, time.Second<<n); waited != nil {
			return waited
		}
	}
	return err
}

func (h *Host) fetch(ctx context.Context, base, name string) ([]byte, error) {
	address := strings.TrimRight(base, "/") + (&url.URL{Path: pretty(name)}).EscapedPath()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	res, err := h.http.Do(req)
	if err != nil {
		return nil, transportError(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the site answers %d", res.StatusCode)
	}
	return io.ReadAll(io.LimitReader(res.Body, maxFile+1))
}

// pretty is the address Pages serves a file at: pages lose their .html.
func pretty(name string) string {
	if page, ok := strings.CutSuffix(name, "/index.html"); ok {
		return page + "/"
	}
	return strings.TrimSuffix(name, ".html")
}
