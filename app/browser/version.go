package browser

import (
	"context"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// Version starts Chromium and returns its name and version.
func (b *Browser) Version(ctx context.Context) (string, error) {
	var product string
	err := b.do(ctx, func(ctx context.Context, p *rod.Page) error {
		v, err := proto.BrowserGetVersion{}.Call(p.Browser().Context(ctx))
		if err == nil {
			product = v.Product
		}
		return err
	})
	return product, wrap("ask for the version", err)
}
