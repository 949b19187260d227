package app_test

import (
	"path"
	"strings"
	"testing"
)

const module = "vivra/"

// layers lists the packages from the ground up. A package imports those of the
// lines above its own, never of its own line or below. "x/*" is every package
// under x that has no place of its own.
var layers = [][]string{
	{"app", "app/paths", "app/untrusted", "app/xtext", "migrations", "prompts", "specs", "static", "templates"},
	{"app/live", "app/calendar", "app/preflight", "app/edits", "app/scoring", "app/palette", "app/seal", "views/ui", "app/postgres/dbsqlc"},
	{"app/agent", "app/effects", "app/public", "app/scan", "app/dossier", "app/mentions", "app/brand", "app/sites", "app/utilities", "views/layout"},
	{"app/tools", "app/postgres", "app/openai", "app/chain", "app/market", "app/x", "app/telegram", "app/pages", "app/browser",
		"app/blob", "app/images", "app/private", "app/cassette", "app/telemetry", "views/*"},
	{"app/agents", "app/alarm", "app/desk"},
	{"app/runner"},
	{"app/orchestrator", "app/replay"},
	{"app/web", "app/schedule", "app/jobs", "app/doctor"},
	{"app/boot"},
	{"app/rehearsal", "app/rehearsal/*"},
	{"cmd/*"},
}

// neighbours are the imports within one line that are meant.
var neighbours = map[string]string{
	"app/rehearsal":   "app/rehearsal/*",
	"app/rehearsal/*": "app/rehearsal/fault",
}

// doors gives each outside library the packages that may import it. The
// longest path that fits an import counts.
var doors = map[string][]string{
	"github.com/jackc/pgx/v5":                  {"app/postgres", "app/postgres/dbsqlc"},
	"github.com/pressly/goose/v3":              {"app/postgres"},
	"github.com/riverqueue/river/riverdriver":  {"app/postgres", "app/jobs"},
	"github.com/riverqueue/river/rivermigrate": {"app/postgres"},
	"github.com/riverqueue/river":              {"app/jobs"},
	"github.com/riverqueue/river/rivershared":  {},
	"github.com/openai/openai-go":              {"app/openai"},
	"github.com/ethereum/go-ethereum":          {"app/chain", "app/rehearsal", "app/rehearsal/*"},
	"github.com/go-rod/rod":                    {"app/browser"},
	"github.com/cloudflare/cloudflare-go":      {"app/pages"},
	"github.com/labstack/echo/v4":              {"app/web", "cmd/benchlive"},
	"github.com/starfederation/datastar-go":    {"app/web"},
	"github.com/alexedwards/scs":               {"app/web"},
	"github.com/go-webauthn/webauthn":          {"app/web"},
	"github.com/go-co-op/gocron/v2":            {"app/schedule"},
	"github.com/google/jsonschema-go":          {"app/agent", "app/agents"},
	"go.opentelemetry.io":                      {"app/telemetry"},
	"github.com/prometheus":                    {"app/telemetry"},
}

func TestLayers(t *testing.T) {
	for _, p := range packages(t) {
		if p.rank() == 0 && !p.helper() {
			t.Errorf("%s has no place in layers: give it one", p.name)
			continue
		}
		for _, imported := range p.imports() {
			other, own := strings.CutPrefix(imported, module)
			switch {
			case p.helper():
			case own && (pkg{name: other}).helper():
				t.Errorf("%s may not import %s: it helps tests only", p.name, other)
			case own && rank(other) >= p.rank() && !fits(neighbours[place(p.name)], other):
				t.Errorf("%s may not import %s: it stands higher, or beside it", p.name, other)
			}
		}
	}
}

func TestDoors(t *testing.T) {
	for _, p := range packages(t) {
		for _, imported := range p.imports() {
			if library := longest(imported); library != "" && !p.helper() && !fitsAny(doors[library], p.name) {
				t.Errorf("%s may not import %s: its door is %s", p.name, imported, strings.Join(doors[library], ", "))
			}
			if p.name == "app" && strings.Contains(imported, ".") {
				t.Errorf("app may import the standard library only, not %s", imported)
			}
		}
	}
}

func rank(name string) int {
	for i, line := range layers {
		for _, entry := range line {
			if entry == place(name) {
				return i + 1
			}
		}
	}
	return 0
}

func (p pkg) rank() int { return rank(p.name) }

// place is the entry of layers that name belongs to, its own before a general one.
func place(name string) string {
	general := ""
	for _, line := range layers {
		for _, entry := range line {
			if entry == name {
				return entry
			}
			if fits(entry, name) {
				general = entry
			}
		}
	}
	return general
}

func fits(entry, name string) bool {
	under, general := strings.CutSuffix(entry, "/*")
	return entry == name || general && strings.HasPrefix(name, under+"/")
}

func fitsAny(entries []string, name string) bool {
	for _, e := range entries {
		if fits(e, name) {
			return true
		}
	}
	return false
}

func longest(imported string) string {
	best := ""
	for library := range doors {
		if len(library) > len(best) && (imported == library || strings.HasPrefix(imported, library+"/")) {
			best = library
		}
	}
	return best
}

// helper tells whether p only helps tests: such a package may import anything,
// and only tests may import it.
func (p pkg) helper() bool {
	return strings.HasPrefix(p.name, "app/internal/") || strings.HasSuffix(path.Base(p.name), "test")
}
