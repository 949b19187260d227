package sites_test

import (
	"bytes"
	"flag"
	"fmt"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/browser"
	"vivra/app/rehearsal/imagesim"
	"vivra/app/sites"
)

var (
	chromium *browser.Browser
	keep     = flag.String("keep", "", "folder to keep screenshots in")
)

func TestMain(m *testing.M) {
	flag.Parse()
	chromium = browser.New(browser.Config{})
	code := m.Run()
	chromium.Close()
	os.Exit(code)
}

const (
	official = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	wrong    = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
)

var check = sites.CheckInput{OfficialAddress: official, AllowedHosts: []string{"lamp.example.org", "vivra.example.org", "x.com", "t.me", "swap.example.com", "scan.example.com"}}

var colours = []string{"#14213d", "#fca311", "#2a9d8f", "#f1faee"}

// mark is drawn once: encoding it is the slowest part of a fixture.
var mark = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&out, imagesim.Draw("creature 6", imagesim.Colours(strings.Join(colours[1:], " ")))); err != nil {
		panic(err)
	}
	return out.Bytes()
})

func fixture(t testing.TB, template string) sites.Input {
	t.Helper()
	at := time.Date(2027, 1, 4, 9, 30, 0, 0, time.UTC)
	return sites.Input{
		Template: template,
		Fields: sites.Fields{
			Hero: "The dev left. The light stayed on.", Tagline: "A fox that was left for dead, kept by the people who hold it.",
			Lore: []string{
				"It began in March with a drawing of a fox under a street lamp, a good joke and four hundred people in a group chat. For six weeks it was fun.",
				"Then the deployer sold, closed the account and left. The chart went flat. The group did not: somebody kept answering questions, somebody kept a list of who was still there.",
				"Nobody has a plan to get rich here. There is a fox, a lamp, and a rule: everything is done where everyone can see it.",
			},
			HowToBuy: []string{"Get a wallet that you control, and write its words on paper.", "Put a little of the chain's own coin in it, no more than you can lose.", "Open the exchange with the button on this page and compare the address.", "Start small. Liquidity is thin and the price moves."},
			Socials:  []sites.Link{{Label: "X", URL: "https://x.com/lamplightfox"}, {Label: "Telegram", URL: "https://t.me/lamplightfox"}},
		},
		Facts: sites.Facts{
			Name: "Lamplight Fox", Ticker: "LAMP", ChainID: 8453, Chain: "Base", Address: official,
			Tokenomics: []sites.Figure{{"Supply", "1B"}, {"Burned", "42.1M (4.21 %)"}, {"Buy and sell tax", "0 % / 0 %"}, {"Liquidity locked", "100 %"}},
			Market:     &app.Market{PriceUSD: 0.00004213, MarketCapUSD: 42130, LiquidityUSD: 8120.5, Volume24hUSD: 913.2, At: at},
			Holders:    412, Burned: 42_100_000,
			SiteURL: "https://lamp.example.org", PublicURL: "https://vivra.example.org", BuyURL: "https://swap.example.com/#/swap?outputCurrency=" + official,
			ChartURL: "https://scan.example.com/chart", ExplorerURL: "https://scan.example.com/token/" + official,
			Takeover: sites.Takeover{URL: "https://vivra.example.org/operations/lamp", StartedAt: at.AddDate(0, 0, -2)},
		},
		Kit: sites.Kit{Palette: colours, Logo: mark(), OG: mark(), Favicon: mark()},
	}
}

func build(t testing.TB, in sites.Input) sites.Bundle {
	t.Helper()
	b, err := sites.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func names() []string {
	var out []string
	for _, t := range sites.Templates() {
		out = append(out, t.Name)
	}
	return out
}

func TestEveryTemplatePassesItsCheck(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		in := fixture(t, name)
		b := build(t, in)
		if r := sites.Check(b, check); !r.Passed() || r.Addresses < 3 || r.Links < 8 {
			t.Errorf("%s: %+v", name, r)
		} else {
			t.Logf("%s: %d bytes without images, %d files", name, r.Weight, len(b.Files))
		}
		if again := build(t, in); again.ManifestSHA256 != b.ManifestSHA256 || b.Pages != 2 {
			t.Errorf("%s: two builds differ, or %d pages", name, b.Pages)
		}
		if csp := string(b.Files["/_headers"]); !strings.Contains(csp, "script-src 'self'") || !strings.Contains(csp, "connect-src https://vivra.example.org;") {
			t.Errorf("%s: headers %s", name, csp)
		}
	}
	if w := len(widget(t)); w >= 6000 {
		t.Errorf("the widget has %d bytes, the most is 6000", w)
	}
}

func widget(t *testing.T) []byte {
	files := build(t, fixture(t, "signal")).Files
	for name, content := range files {
		if strings.HasPrefix(name, "/widget.") {
			return content
		}
	}
	t.Fatalf("no widget in %v", slices.Collect(maps.Keys(files)))
	return nil
}

func TestBuildWithoutKitAndMarket(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		in := fixture(t, name)
		in.Kit, in.Facts.Market, in.Facts.Holders, in.Facts.BuyURL, in.Facts.ChartURL, in.Facts.ExplorerURL = sites.Kit{}, nil, 0, "", "", ""
		if r := sites.Check(build(t, in), check); !r.Passed() {
			t.Errorf("%s: %+v", name, r.Problems)
		}
	}
}

// TestWrongAddress puts another address wherever one can stand.
func TestWrongAddress(t *testing.T) {
	t.Parallel()
	digits := wrong[2:]
	for place, change := range map[string]func(*sites.Input){
		"hero":       func(in *sites.Input) { in.Fields.Hero = wrong },
		"tagline":    func(in *sites.Input) { in.Fields.Tagline = "new: " + wrong },
		"lore":       func(in *sites.Input) { in.Fields.Lore[1] = "Send to " + strings.ToLower(wrong) },
		"upper case": func(in *sites.Input) { in.Fields.Lore[0] = "0X" + strings.ToUpper(digits) },
		"zero width": func(in *sites.Input) { in.Fields.Lore[0] = "0x" + digits[:9] + "\u200b" + digits[9:] },
		"homoglyph":  func(in *sites.Input) { in.Fields.Lore[0] = "0х" + strings.Replace(digits, "a", "а", 1) },
		"full width": func(in *sites.Input) { in.Fields.Lore[0] = "０ｘ" + digits },
		"one digit":  func(in *sites.Input) { in.Fields.Lore[0] = official[:41] + "c" },
		"too long":   func(in *sites.Input) { in.Fields.Lore[0] = official + "00" },
		"how to buy": func(in *sites.Input) { in.Fields.HowToBuy[0] = "Paste " + wrong },
		"link":       func(in *sites.Input) { in.Facts.BuyURL = "https://swap.example.com/?to=" + wrong },
		"escaped":    func(in *sites.Input) { in.Facts.BuyURL = "https://swap.example.com/?to=%30%78%66" + digits[1:] },
		"social":     func(in *sites.Input) { in.Fields.Socials[0].URL = "https://x.com/" + wrong },
		"figure":     func(in *sites.Input) { in.Facts.Tokenomics[0].Value = wrong },
		"name":       func(in *sites.Input) { in.Facts.Name = wrong },
		"chain":      func(in *sites.Input) { in.Facts.Chain = wrong },
	} {
		for _, name := range names() {
			in := fixture(t, name)
			change(&in)
			if r := sites.Check(build(t, in), check); !has(r, "address") {
				t.Errorf("%s in %s passed: %+v", place, name, r)
			}
		}
	}
}

// TestTamperedBundle changes files after the build.
func TestTamperedBundle(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ rule, file, old, new string }{
		"address in the script": {"address", "/widget", "\"use strict\";", "\"use strict\";const to=\"" + wrong + "\";"},
		"address in the style":  {"address", "/style", "", "/* " + wrong + " */"},
		"address in a meta tag": {"address", "/index.html", "</title>", "</title><meta name=a content=" + wrong + ">"},
		"address as entities":   {"address", "/index.html", "<h1", "<p>&#48;&#120;" + wrong[2:] + "</p><h1"},
		"address cut by tags":   {"address", "/index.html", "<h1", "<p>" + wrong[:9] + "<b>" + wrong[9:20] + "</b>" + wrong[20:] + "</p><h1"},
		"address in headers":    {"address", "/_headers", "nosniff", "nosniff\n  X-To: " + wrong},
		"address missing":       {"address-missing", "/index.html", official, "soon"},
		"foreign link":          {"link", "/index.html", "<h1", `<a href="https://evil.example/">x</a><h1`},
		"foreign script link":   {"link", "/widget", "\"use strict\";", "\"use strict\";fetch('https://evil.example/');"},
		"escaped foreign link":  {"link", "/widget", "\"use strict\";", `"use strict";fetch("https:\/\/evil.example");`},
		"foreign style":         {"link", "/style", "", "@import '//evil.example/a.css';"},
		"javascript link":       {"link", "/index.html", "<h1", `<a href="javascript:alert(1)">x</a><h1`},
		"user in a link":        {"link", "/index.html", "<h1", `<a href="https://x.com@evil.example/">x</a><h1`},
		"dead link":             {"link", "/index.html", "<h1", `<a href="/team">x</a><h1`},
		"image without words":   {"alt", "/index.html", "<h1", `<img src="/robots.txt"><h1`},
		"inline handler":        {"markup", "/index.html", "<h1", `<p onclick="x()">x</p><h1`},
		"too heavy":             {"weight", "/style", "", strings.Repeat("a{}", sites.Budget/3)},
	} {
		b := build(t, fixture(t, "signal"))
		files := maps.Clone(b.Files)
		for name, content := range files {
			if strings.HasPrefix(name, c.file) {
				if c.old == "" {
					files[name] = append([]byte(c.new), content...)
				} else {
					files[name] = bytes.ReplaceAll(content, []byte(c.old), []byte(c.new))
				}
			}
		}
		if r := sites.Check(app.NewBundle(files), check); !has(r, c.rule) {
			t.Errorf("%s passed: %+v", what, r.Problems)
		}
	}
}

func has(r sites.Report, rule string) bool {
	return slices.ContainsFunc(r.Problems, func(p sites.Problem) bool { return p.Rule == rule })
}

func TestFieldsAreChecked(t *testing.T) {
	t.Parallel()
	f := fixture(t, "signal").Fields
	f.Hero, f.Lore, f.HowToBuy[1], f.Socials[0].URL = strings.Repeat("x", 61), nil, " ", "javascript:alert(1)"
	err := sites.CheckFields("signal", f)
	for _, want := range []string{"hero: has 61 characters, the most is 60.", "lore: has 0 items, it takes 1 to 6", "how_to_buy[1]: is missing", "socials[0].url:"} {
		if app.KindOf(err) != app.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in %v", want, err)
		}
	}
	if err := sites.CheckFields("nope", f); err == nil || !strings.Contains(err.Error(), "signal, classic, terminal, playful") {
		t.Errorf("unknown template: %v", err)
	}
}

// TestOutsideTextStaysText fills every field with markup and runs the page.
func TestOutsideTextStaysText(t *testing.T) {
	t.Parallel()
	const evil = `"'><img src=x onerror=window.owned=1>`
	for _, name := range names() {
		in := fixture(t, name)
		in.Fields.Hero, in.Fields.Tagline, in.Fields.Lore, in.Fields.HowToBuy = evil, evil, []string{evil}, []string{evil, evil}
		in.Fields.Socials[0].Label = `"><script>`
		in.Facts.Name, in.Facts.Ticker, in.Facts.Chain = evil, evil, evil
		out, err := chromium.Run(t.Context(), inlined(build(t, in), "index"), `[document.images.length, document.scripts.length, typeof window.owned].join()`)
		if err != nil || string(out) != `"1,1,undefined"` {
			t.Errorf("%s: %s, %v", name, out, err)
		}
	}
}

var (
	styleTag  = regexp.MustCompile(`<link rel="stylesheet" href="([^"]+)">`)
	scriptTag = regexp.MustCompile(`<script src="([^"]+)" defer></script>`)
	imageSrc  = regexp.MustCompile(`src="(/[^"]+\.png)"`)
)

// inlined makes one document of a page, for a browser without a network.
func inlined(b sites.Bundle, page string) string {
	html := string(b.Files["/"+page+".html"])
	html = styleTag.ReplaceAllStringFunc(html, func(s string) string {
		return "<style>" + string(b.Files[styleTag.FindStringSubmatch(s)[1]]) + "</style>"
	})
	html = imageSrc.ReplaceAllStringFunc(html, func(s string) string {
		return fmt.Sprintf("src=%q", dataURI(b.Files[imageSrc.FindStringSubmatch(s)[1]]))
	})
	script := ""
	html = scriptTag.ReplaceAllStringFunc(html, func(s string) string {
		script = "<script>" + string(b.Files[scriptTag.FindStringSubmatch(s)[1]]) + "</script>"
		return ""
	})
	return strings.Replace(html, "</body>", script+"</body>", 1)
}

func TestWidget(t *testing.T) {
	t.Parallel()
	html := inlined(build(t, fixture(t, "signal")), "index")
	const read = `document.querySelector("[data-k=price_usd]").textContent`
	out, err := chromium.Run(t.Context(), html, `new Promise(r => setTimeout(r, 200)).then(() => `+read+`)`)
	if err != nil || string(out) != `"$0.00004213"` {
		t.Errorf("with the API down the price is %s, %v", out, err)
	}
	for _, c := range []struct{ answer, want string }{
		{`{"price_usd":0.5,"mcap_usd":1234567,"at":"2027-01-05T00:00:00Z"}`, `"$0.5"`},
		{`{"market":{"price_usd":12.345}}`, `"$12.35"`},
		{`{"price_usd":"<b>1</b>"}`, `"$0.00004213"`},
		{`[`, `"$0.00004213"`},
	} {
		faked := strings.Replace(html, `<script>"use strict"`, fmt.Sprintf(`<script>window.fetch = async () => new Response(%q);</script><script>"use strict"`, c.answer), 1)
		out, err := chromium.Run(t.Context(), faked, `new Promise(r => setTimeout(r, 100)).then(() => `+read+`)`)
		if err != nil || string(out) != c.want {
			t.Errorf("answer %s shows %s, want %s (%v)", c.answer, out, c.want, err)
		}
	}
}

// TestNoSideways measures that no page is wider than the screen, and keeps
// pictures of them when asked to.
func TestNoSideways(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		for _, width := range []int{360, 1440} {
			in := fixture(t, name)
			html := inlined(build(t, in), "index")
			probe := strings.Replace(html, "</body>", `<script>if (document.documentElement.scrollWidth > innerWidth) document.documentElement.dataset.refused = "too wide: " + document.documentElement.scrollWidth</script></body>`, 1)
			shot, err := chromium.Render(t.Context(), probe, width, 2400)
			if err != nil {
				t.Errorf("%s at %d: %v", name, width, err)
			} else if *keep != "" {
				if err := os.WriteFile(filepath.Join(*keep, fmt.Sprintf("%s-%d.png", name, width)), shot, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	in := fixture(b, "signal")
	for b.Loop() {
		build(b, in)
	}
}
