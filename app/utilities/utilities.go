// Package utilities builds the small things that a community gets to use, from
// templates, and runs their own tests.
package utilities

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"vivra/app"
	"vivra/app/palette"
	"vivra/app/paths"
	"vivra/templates"
)

// Template is one kind of utility.
type Template struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Kind        string          `json:"kind"`      // web or telegram
	Path        string          `json:"path"`      // sub-page of the site, without slashes
	Publishes   string          `json:"publishes"` // what goes where
	Shows       []string        `json:"shows"`
	Config      json.RawMessage `json:"config"` // JSON Schema of the settings

	read  func(json.RawMessage) (config, error)
	pages *template.Template
}

// Context is what code knows of the token.
type Context struct {
	Name    string // outside text
	Ticker  string // outside text, without $
	Address string // EIP-55
	ChainID int64
	APIBase string   // Vivra's public URL, without a closing slash
	Palette []string // four colours as #rrggbb, nil when there is no kit
}

// Bundle is a built utility: a page with its scripts, whose references are
// relative so that it works under any path of a site.
type Bundle struct {
	app.Bundle
	Template string
}

// neutral is the palette of a token that has no kit yet.
var neutral = []string{"#101418", "#2f6fed", "#e2a93b", "#f4f5f2"}

// shelf reads the embedded templates; they are part of the program, so a fault
// in them is a bug.
var shelf = sync.OnceValue(func() []Template {
	all := []Template{
		{Name: "holders-leaderboard", read: reader[leaderboard]}, {Name: "web-minigame", read: reader[minigame]},
		{Name: "tg-quiz-bot", read: reader[quiz]}, {Name: "tg-price-alerts", read: reader[alerts]},
	}
	for i := range all {
		t := &all[i]
		if err := json.Unmarshal([]byte(mustRead(t.Name+"/manifest.json")), t); err != nil {
			panic(fmt.Errorf("utilities/%s/manifest.json: %w", t.Name, err))
		}
		t.pages = template.Must(template.ParseFS(templates.FS, "utilities/shared.html", "utilities/"+t.Name+"/index.html"))
	}
	return all
})

func mustRead(name string) string {
	b, err := templates.FS.ReadFile("utilities/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Templates returns the kinds of utilities.
func Templates() []Template { return slices.Clone(shelf()) }

// Find returns the template of a name.
func Find(name string) (Template, error) {
	var names []string
	for _, t := range shelf() {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Template{}, app.Errorf(app.Invalid, "template: there is no %q. Choose one of %s.", name, strings.Join(names, ", "))
}

// Build checks the settings and fills the template. The same input gives the
// same bytes.
func Build(name string, settings json.RawMessage, c Context) (Bundle, error) {
	t, err := Find(name)
	if err != nil {
		return Bundle{}, err
	}
	if settings, err = Canonical(string(settings)); err != nil {
		return Bundle{}, err
	}
	conf, err := t.read(settings)
	if err != nil {
		return Bundle{}, err
	}
	if _, err := app.ParseAddress(c.Address); err != nil {
		return Bundle{}, err
	}
	if c.Palette == nil {
		c.Palette = neutral
	}
	if problems := palette.Problems(c.Palette); len(problems) > 0 {
		return Bundle{}, app.Errorf(app.Invalid, "%s", strings.Join(problems, " "))
	}
	files, err := t.fill(conf, c)
	if err != nil {
		return Bundle{}, err
	}
	return Bundle{app.NewBundle(files), name}, nil
}

func (t Template) fill(conf config, c Context) (map[string][]byte, error) {
	files, assets := map[string][]byte{}, map[string]string{}
	for _, a := range []struct{ use, ext, content string }{
		{"style", ".css", colours(c.Palette) + mustRead("style.css")},
		{"logic", ".js", mustRead(t.Name + "/logic.js")},
		{"page", ".js", mustRead(t.Name + "/page.js")},
	} {
		name := a.use + "." + app.SHA256Hex([]byte(a.content))[:10] + a.ext
		files["/"+name], assets[a.use] = []byte(a.content), name
	}
	data := map[string]any{
		"Title": conf.title(), "About": t.Description, "Token": c, "Config": conf, "Asset": assets,
		"Data": map[string]any{
			"config": conf, "market": c.APIBase + paths.TokenMarket(c.ChainID, c.Address), "holders": c.APIBase + paths.TokenHolders(c.ChainID, c.Address),
			"token": map[string]any{"name": c.Name, "ticker": c.Ticker, "address": c.Address, "chain_id": c.ChainID},
		},
	}
	var out bytes.Buffer
	if err := t.pages.ExecuteTemplate(&out, "index.html", data); err != nil {
		return nil, fmt.Errorf("fill %s: %w", t.Name, err)
	}
	files["/index.html"] = out.Bytes()
	return files, nil
}

func colours(p []string) string {
	const paper, night = "#fbfaf7", "#111311"
	var css strings.Builder
	css.WriteString(":root{")
	for i, c := range p {
		fmt.Fprintf(&css, "--c%d:%s;--on%d:%s;", i, strings.ToLower(c), i, palette.Ink(c, p))
	}
	accent := palette.Vivid(p[0], p[1:], 3, palette.Ink(p[0], p))
	vivid := palette.Vivid(paper, p, 1, p[1])
	fmt.Fprintf(&css, "--accent:%s;--accent-day:%s;--accent-night:%s}\n", strings.ToLower(accent), palette.Toward(vivid, paper), palette.Toward(vivid, night))
	return css.String()
}
