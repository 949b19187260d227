// Package sites builds the relaunched sites from templates, as static bundles
// whose bytes depend on nothing but their input, and checks them.
package sites

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"
	"time"

	"vivra/app"
	"vivra/templates"
)

// Bundle is a built site.
type Bundle = app.Bundle

// Template is one design of a site.
type Template struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Fields      []Field `json:"fields"`

	pages *template.Template
	css   string
}

// Field is one place for words. Max counts characters, of each item when the
// field holds several; MaxItems is 0 for a single text.
type Field struct {
	Name     string `json:"name"`
	Max      int    `json:"max"`
	MinItems int    `json:"min_items"`
	MaxItems int    `json:"max_items"`
	Required bool   `json:"required"`
	Hint     string `json:"hint"`
}

// Fields are the words that an agent writes.
type Fields struct {
	Hero     string   `json:"hero"`
	Tagline  string   `json:"tagline"`
	Lore     []string `json:"lore"`       // plain paragraphs
	HowToBuy []string `json:"how_to_buy"` // steps
	Socials  []Link   `json:"socials"`
}

// Link leads off the site.
type Link struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// Facts are what code knows; no model writes them.
type Facts struct {
	Name    string // outside text
	Ticker  string // outside text, without $
	ChainID int64
	Chain   string // name for people
	Address string // the official address, EIP-55
	// Tokenomics are figures read on chain, already written for people.
	Tokenomics []Figure
	// Market is the last known state, nil when there is none.
	Market  *app.Market
	Holders int // 0: unknown
	Burned  float64
	// SiteURL is where the site will be, PublicURL where Vivra is; both without a closing slash.
	SiteURL     string
	PublicURL   string
	BuyURL      string // may be empty, as the next two
	ChartURL    string
	ExplorerURL string
	Takeover    Takeover
}

// Figure is one number with its name.
type Figure struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// Takeover tells visitors who runs the token now.
type Takeover struct {
	URL       string // the live page
	StartedAt time.Time
}

// Kit is what the designer made; any part may be missing.
type Kit struct {
	Palette []string // four colours as #rrggbb
	Logo    []byte   // PNG
	OG      []byte   // PNG, 1200×630
	Favicon []byte   // PNG
}

// Input fills a template.
type Input struct {
	Template string
	Fields   Fields
	Facts    Facts
	Kit      Kit
}

// shelf reads the embedded templates; they are part of the program, so a fault
// in them is a bug.
var shelf = sync.OnceValue(func() []Template {
	var all []Template
	for _, name := range []string{"signal", "classic", "terminal", "playful"} {
		t := Template{Name: name, css: mustRead("base.css") + mustRead(name+"/style.css")}
		if err := json.Unmarshal([]byte(mustRead(name+"/manifest.json")), &t); err != nil {
			panic(fmt.Errorf("sites/%s/manifest.json: %w", name, err))
		}
		t.pages = template.Must(template.New(name).Funcs(helpers).ParseFS(templates.FS, "sites/shared.html", "sites/"+name+"/index.html"))
		all = append(all, t)
	}
	return all
})

func mustRead(name string) string {
	b, err := templates.FS.ReadFile("sites/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Templates returns the designs.
func Templates() []Template { return slices.Clone(shelf()) }

func find(name string) (Template, error) {
	var names []string
	for _, t := range shelf() {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Template{}, app.Errorf(app.Invalid, "template: there is no %q. Choose one of %s.", name, strings.Join(names, ", "))
}
