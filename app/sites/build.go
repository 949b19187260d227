package sites

import (
	"bytes"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"strings"

	"vivra/app"
	"vivra/app/palette"
	"vivra/app/paths"
)

// neutral is the palette of a site whose token has no kit yet.
var neutral = []string{"#101418", "#2f6fed", "#e2a93b", "#f4f5f2"}

// Build fills the template. The same input gives the same bytes.
func Build(in Input) (Bundle, error) {
	t, err := find(in.Template)
	if err != nil {
		return Bundle{}, err
	}
	if err := joined(append(append(t.problems(in.Fields), in.Facts.problems()...), in.Kit.problems()...)); err != nil {
		return Bundle{}, err
	}
	if in.Kit.Palette == nil {
		in.Kit.Palette = neutral
	}
	if len(in.Kit.Favicon) == 0 {
		if in.Kit.Favicon, err = plainIcon(in.Kit.Palette); err != nil {
			return Bundle{}, err
		}
	}
	files := map[string][]byte{}
	assets := t.assets(in, files)
	for _, page := range []string{"index", "404"} {
		if files["/"+page+".html"], err = t.page(page, in, assets); err != nil {
			return Bundle{}, err
		}
	}
	files["/robots.txt"] = []byte("User-agent: *\nAllow: /\n")
	files["/_headers"] = headers(in.Facts, assets)
	return app.NewBundle(files), nil
}

// assets puts what never changes under names that carry its hash, and returns
// the paths by their use.
func (t Template) assets(in Input, files map[string][]byte) map[string]string {
	paths := map[string]string{}
	for _, a := range []struct {
		use, ext string
		content  []byte
	}{
		{"style", ".css", []byte(colours(in.Kit.Palette) + t.css)},
		{"widget", ".js", []byte(mustRead("widget.js"))},
		{"logo", ".png", in.Kit.Logo}, {"og", ".png", in.Kit.OG}, {"favicon", ".png", in.Kit.Favicon},
	} {
		if len(a.content) == 0 {
			continue
		}
		path := "/" + a.use + "." + app.SHA256Hex(a.content)[:10] + a.ext
		files[path], paths[a.use] = a.content, path
	}
	return paths
}

// colours writes the palette, and its most vivid colour made readable on light
// and on dark paper, as custom properties.
func colours(p []string) string {
	const paper, night = "#fbfaf7", "#111311"
	accent := palette.Vivid(paper, p, 1, p[1])
	var css strings.Builder
	css.WriteString(":root{")
	for i, c := range p {
		fmt.Fprintf(&css, "--c%d:%s;--on%d:%s;", i, strings.ToLower(c), i, palette.Ink(c, p))
	}
	fmt.Fprintf(&css, "--accent:%s;--on-accent:%s;--accent-day:%s;--accent-night:%s;--accent-c0:%s}\n", accent,
		palette.Ink(accent, p), palette.Toward(accent, paper), palette.Toward(accent, night), palette.Toward(accent, p[0]))
	return css.String()
}

// plainIcon is a square of the main colour: without any icon browsers ask for
// one that is not there.
func plainIcon(p []string) ([]byte, error) {
	r, g, b := palette.Channels(p[1])
	at := func(v float64) uint8 { return uint8(v * 255) }
	img := image.NewPaletted(image.Rect(0, 0, 32, 32), color.Palette{color.NRGBA{at(r), at(g), at(b), 255}})
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		return nil, fmt.Errorf("encode icon: %w", err)
	}
	return out.Bytes(), nil
}

func (t Template) page(name string, in Input, assets map[string]string) ([]byte, error) {
	data := map[string]any{
		"Fields": in.Fields, "Facts": in.Facts, "Asset": assets,
		"MarketURL": in.Facts.PublicURL + paths.TokenMarket(in.Facts.ChainID, in.Facts.Address),
	}
	var out bytes.Buffer
	if err := t.pages.ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("fill %s of %s: %w", name, t.Name, err)
	}
	return out.Bytes(), nil
}

// headers allow the page what it needs and nothing else: its own files and our
// public API.
func headers(f Facts, assets map[string]string) []byte {
	api, _ := url.Parse(f.PublicURL) // was checked
	csp := "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src " + api.Scheme + "://" + api.Host +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	var out strings.Builder
	fmt.Fprintf(&out, "/*\n  Content-Security-Policy: %s\n  X-Content-Type-Options: nosniff\n  Referrer-Policy: strict-origin-when-cross-origin\n  Permissions-Policy: camera=(), microphone=(), geolocation=(), payment=()\n", csp)
	for _, use := range []string{"style", "widget", "logo", "og", "favicon"} {
		if assets[use] != "" {
			fmt.Fprintf(&out, "%s\n  Cache-Control: public, max-age=31536000, immutable\n", assets[use])
		}
	}
	return []byte(out.String())
}

// helpers are the templates' functions.
var helpers = template.FuncMap{"usd": usd, "count": count, "short": short, "day": day, "instant": instant, "rfc": rfc, "step": func(i int) int { return i + 1 }}
