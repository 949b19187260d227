// Package browser keeps one warm Chromium that turns our own HTML into pictures
// and runs scripts in it, cut off from every network.
package browser

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"sync"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"vivra/app"
)

// attempt bounds one try, so that a page that hangs is dropped and tried anew.
const attempt = 30 * time.Second

// Config says which Chromium to use and how hard.
type Config struct {
	Bin      string // path of Chromium; empty: looked for under its usual names
	MaxPages int    // pages at work at one time; 0 means 2
}

// Browser is a pool of pages in one Chromium, which starts at first use and
// again when it died.
type Browser struct {
	bin   string
	slots chan *tab // nil stands for a page not opened yet

	mu     sync.Mutex
	engine *engine
	closed bool
}

// tab is a page and the engine it lives in.
type tab struct {
	page *rod.Page
	home *engine
}

// New returns a browser. Nothing is started before the first call.
func New(c Config) *Browser {
	n := c.MaxPages
	if n <= 0 {
		n = 2
	}
	b := &Browser{bin: c.Bin, slots: make(chan *tab, n)}
	for range n {
		b.slots <- nil
	}
	return b
}

// Find returns the path of Chromium: bin when it is given, else the first of
// the usual names that is on the path.
func Find(bin string) (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
	if bin != "" {
		names = []string{bin}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", app.Errorf(app.Unavailable, "Chromium was not found as %v: install it, on Debian with apt-get install chromium.", names)
}

// Close stops Chromium. Calls made later fail.
func (b *Browser) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.engine != nil {
		b.engine.stop()
		b.engine = nil
	}
}

// Render draws html in exactly width by height pixels and returns a PNG. What
// the page does not paint is transparent. A page that can't show its content
// well says so in data-refused on its root element; that becomes the error.
func (b *Browser) Render(ctx context.Context, html string, width, height int) ([]byte, error) {
	var png []byte
	err := b.do(ctx, func(ctx context.Context, p *rod.Page) (err error) {
		png, err = render(p.Context(ctx), html, width, height)
		return err
	})
	return png, wrap("render page", err)
}

// Run loads html and evaluates a JavaScript expression in it, awaiting the
// promise it may return; the result is its value as JSON.
func (b *Browser) Run(ctx context.Context, html, script string) (json.RawMessage, error) {
	var out json.RawMessage
	err := b.do(ctx, func(ctx context.Context, p *rod.Page) (err error) {
		out, err = run(p.Context(ctx), html, script)
		return err
	})
	return out, wrap("run script", err)
}

// do gives f a page, and a second one when the first was lost with its browser
// or hung.
func (b *Browser) do(ctx context.Context, f func(context.Context, *rod.Page) error) error {
	var err error
	for range 2 {
		if err = b.once(ctx, f); err == nil || ctx.Err() != nil || !lost(err) {
			return err
		}
	}
	return err
}

func (b *Browser) once(ctx context.Context, f func(context.Context, *rod.Page) error) error {
	var t *tab
	select {
	case t = <-b.slots:
	case <-ctx.Done():
		return ctx.Err()
	}
	t, err := b.ready(t)
	if err != nil {
		b.slots <- nil
		return err
	}
	trial, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	err = f(trial, t.page)
	if lost(err) {
		b.drop(t)
		t = nil
	}
	b.slots <- t
	return err
}

// lost tells whether err speaks of the page or the browser, not of its content.
func lost(err error) bool {
	var script *scriptError
	var own *app.Error
	return err != nil && !errors.As(err, &script) && !errors.As(err, &own)
}

// ready returns a page in the engine that lives now.
func (b *Browser) ready(t *tab) (*tab, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, app.Errorf(app.Unavailable, "The browser was closed.")
	}
	if b.engine != nil && !b.engine.alive() {
		b.engine.stop()
		b.engine = nil
	}
	if b.engine == nil {
		e, err := start(b.bin)
		if err != nil {
			return nil, err
		}
		b.engine = e
	}
	if t != nil && t.home == b.engine {
		return t, nil
	}
	page, err := b.engine.open()
	if err != nil {
		return nil, err
	}
	return &tab{page: page, home: b.engine}, nil
}

// drop closes a page from the outside, which also ends a script that never would.
func (b *Browser) drop(t *tab) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, _ = proto.TargetCloseTarget{TargetID: t.page.TargetID}.Call(t.home.browser.Context(ctx))
}
