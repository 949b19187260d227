// Package brand fills the brand templates: boards, profile pictures, banners,
// logos and memes, each of exactly its size.
package brand

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"image"
	"slices"
	"strings"
	"sync"

	"vivra/app"
	"vivra/templates"
)

// Template is one kind of picture.
type Template struct {
	Name        string `json:"name"`
	Group       string `json:"group"` // board, profile, banner, logo, meme
	Description string `json:"description"`
	Width       int    `json:"width"` // pixels
	Height      int    `json:"height"`
	File        string `json:"file"` // empty: the mark alone, scaled
	Texts       []Text `json:"texts"`
}

// Text is one place for words in a template.
type Text struct {
	Name     string `json:"name"`
	Max      int    `json:"max"` // characters
	Required bool   `json:"required"`
	Hint     string `json:"hint"`
}

// Input fills a template. Name and Ticker are outside text. Texts are in the
// order of the template's own.
type Input struct {
	Template string
	Palette  []string // four colours as #rrggbb: ground, main, second, light
	LogoPNG  []byte
	Name     string
	Ticker   string // without $
	Texts    []string
}

// Renderer draws HTML as a PNG of exactly width by height pixels.
type Renderer interface {
	Render(ctx context.Context, html string, width, height int) ([]byte, error)
}

type book struct {
	templates []Template
	pages     *template.Template
}

// load reads the embedded manifest and pages; both are part of the program, so
// a fault in them is a bug.
var load = sync.OnceValue(func() book {
	raw, err := templates.FS.ReadFile("brand/manifest.json")
	if err != nil {
		panic(err)
	}
	var manifest struct {
		Templates []Template `json:"templates"`
	}
	if err := json.Unmarshal(raw, &manifest); err != nil {
		panic(fmt.Errorf("brand/manifest.json: %w", err))
	}
	return book{manifest.Templates, template.Must(template.ParseFS(templates.FS, "brand/*.html"))}
})

// Templates returns the templates in the manifest's order.
func Templates() []Template { return slices.Clone(load().templates) }

// Find returns the template of a name.
func Find(name string) (Template, error) {
	var names []string
	for _, t := range load().templates {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Template{}, app.Errorf(app.Invalid, "template: there is no %q. Choose one of %s.", name, strings.Join(names, ", "))
}

// Render draws in as a PNG of exactly the template's size.
func Render(ctx context.Context, r Renderer, in Input) ([]byte, error) {
	t, err := Find(in.Template)
	if err != nil {
		return nil, err
	}
	logo, err := in.check(t)
	if err != nil {
		return nil, err
	}
	if t.File == "" {
		return scaled(logo, t.Width)
	}
	html, err := page(t, in, logo)
	if err != nil {
		return nil, err
	}
	png, err := r.Render(ctx, html, t.Width, t.Height)
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", t.Name, err)
	}
	return png, nil
}

// page returns the filled HTML, with all it needs inside.
func page(t Template, in Input, logo image.Image) (string, error) {
	data := newTheme(in.Palette, logo).data()
	texts := map[string]string{}
	for i, text := range t.Texts {
		if i < len(in.Texts) {
			texts[text.Name] = strings.TrimSpace(in.Texts[i])
		}
	}
	data["Text"], data["Name"], data["Ticker"] = texts, strings.TrimSpace(in.Name), strings.TrimSpace(in.Ticker)
	data["Width"], data["Height"] = t.Width, t.Height
	data["Logo"] = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(in.LogoPNG))
	var out bytes.Buffer
	if err := load().pages.ExecuteTemplate(&out, t.File, data); err != nil {
		return "", fmt.Errorf("fill %s: %w", t.Name, err)
	}
	return out.String(), nil
}
