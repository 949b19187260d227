package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	_ "image/png" // what the browser draws
	"strings"

	"github.com/jonboulle/clockwork"

	"vivra/app/browser"
)

// glyphs tells which scripts come out as boxes: each sign is drawn beside one
// that no font has.
const glyphs = `(() => {
	const drawn = text => {
		const c = document.createElement("canvas");
		c.width = c.height = 40;
		const g = c.getContext("2d");
		g.font = "24px sans-serif";
		g.fillText(text, 4, 30);
		return c.toDataURL();
	};
	const box = drawn("\u{10FFFE}"), none = drawn("");
	return Object.entries({emoji: "\u{1F98B}", Chinese: "\u7740", Korean: "\uAE00"})
		.filter(([, sign]) => [box, none].includes(drawn(sign))).map(([name]) => name);
})()`

const page = `<!doctype html><html><body style="margin:0;background:#123456"></body></html>`

// Browser starts a Chromium of its own and has it draw.
func Browser(wall clockwork.Clock, cfg browser.Config) Check {
	const name = "browser"
	return one(name, func(ctx context.Context) Finding {
		b := browser.New(cfg)
		defer b.Close()
		began := wall.Now()
		version, err := b.Version(ctx)
		if err != nil {
			return broken(name, "", "Chromium does not start (%s): apt-get install chromium.", sentence(innermost(err)))
		}
		png, err := b.Render(ctx, page, 32, 16)
		if err != nil {
			return broken(name, version, "Chromium starts and does not draw (%s): install it anew.", sentence(innermost(err)))
		}
		latency := wall.Since(began)
		if size, _, err := image.DecodeConfig(bytes.NewReader(png)); err != nil || size.Width != 32 || size.Height != 16 {
			return broken(name, version, "Chromium draws something else than it is told: install it anew.")
		}
		version = strings.Replace(strings.TrimPrefix(version, "Headless"), "/", " ", 1)
		if boxes := boxes(ctx, b); len(boxes) > 0 {
			return warning(name, version, "Pictures show boxes instead of %s: apt-get install fonts-noto-color-emoji fonts-noto-cjk.", enumerate(boxes))
		}
		f := ok(name, "%s, starts and draws", version)
		f.Latency = latency.Milliseconds()
		return f
	})
}

func boxes(ctx context.Context, b *browser.Browser) []string {
	var names []string
	raw, err := b.Run(ctx, page, glyphs)
	if err != nil || json.Unmarshal(raw, &names) != nil {
		return nil // it draws: that is what was asked
	}
	return names
}
