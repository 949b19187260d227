package utilities_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/browser"
	"vivra/app/sites"
	"vivra/app/utilities"
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

var fixtures = map[string]string{
	"holders-leaderboard": `{"title":"Who keeps the lamp lit","size":10,"badges":[{"name":"Lighthouse","min_percent":2},{"name":"Lantern","min_percent":0.5},{"name":"Match","min_percent":0}]}`,
	"web-minigame":        `{"title":"Catch the light","catch":"lamps","dodge":"rugs","seconds":45,"lives":3,"speed":2}`,
	"tg-price-alerts":     `{"title":"Lamp alerts","max_per_member":3,"cooldown_minutes":30,"quiet_from":22,"quiet_to":7}`,
	"tg-quiz-bot": `{"title":"Do you know the fox?","seconds":30,"season_days":7,"questions":[
		{"question":"When did the dev leave?","options":["March","May","Never"],"answer":1,"note":"The last sale was on 3 May."},
		{"question":"How many holders never sold?","options":["412","7"],"answer":0,"note":""},
		{"question":"What does the fox stand under?","options":["A tree","A bridge","A lamp","Nothing"],"answer":2,"note":"It is in the name."}]}`,
}

var lamp = utilities.Context{
	Name: "Lamplight Fox", Ticker: "LAMP", Address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", ChainID: 8453, APIBase: "https://vivra.example.org",
	Palette: []string{"#14213d", "#fca311", "#2a9d8f", "#f1faee"},
}

func build(t *testing.T, name, config string) utilities.Bundle {
	t.Helper()
	b, err := utilities.Build(name, json.RawMessage(config), lamp)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOwnTestsPass(t *testing.T) {
	t.Parallel()
	for _, tpl := range utilities.Templates() {
		b := build(t, tpl.Name, fixtures[tpl.Name])
		passed, failed, log, err := utilities.Test(t.Context(), chromium, b)
		if err != nil || failed > 0 || passed < 5 {
			t.Errorf("%s: %d passed, %d failed, %v\n%s", tpl.Name, passed, failed, err, log)
		}
		if again := build(t, tpl.Name, fixtures[tpl.Name]); again.ManifestSHA256 != b.ManifestSHA256 || b.Pages != 1 {
			t.Errorf("%s: two builds differ, or %d pages", tpl.Name, b.Pages)
		}
	}
}

// TestOwnTestsFail gives settings that fit the schema and make no sense, and
// code that was changed.
func TestOwnTestsFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, new, want string }{
		{"tg-quiz-bot", `"answer":0`, `"answer":3`, "not one of the options"},
		{"tg-quiz-bot", `"A bridge"`, `" a tree "`, "two options are the same"},
		{"tg-price-alerts", `"quiet_to":7`, `"quiet_to":21`, "at least 8 are needed"},
		{"holders-leaderboard", `"min_percent":0.5`, `"min_percent":2`, "share a min_percent"},
	} {
		b := build(t, c.name, strings.Replace(fixtures[c.name], c.old, c.new, 1))
		_, failed, log, err := utilities.Test(t.Context(), chromium, b)
		if err != nil || failed == 0 || !strings.Contains(log, c.want) {
			t.Errorf("%s with %s: %d failed, %v, want %q in\n%s", c.name, c.new, failed, err, c.want, log)
		}
	}
	if _, failed, _, err := utilities.Test(t.Context(), chromium, tampered(t, "n.lives--", "n.lives")); err != nil || failed == 0 {
		t.Errorf("a game without danger passes: %d failed, %v", failed, err)
	}
}

func tampered(t *testing.T, old, new string) utilities.Bundle {
	b := build(t, "web-minigame", fixtures["web-minigame"])
	files := maps.Clone(b.Files)
	for name, content := range files {
		files[name] = bytes.ReplaceAll(content, []byte(old), []byte(new))
	}
	return utilities.Bundle{Bundle: app.NewBundle(files), Template: b.Template}
}

func TestBrokenBundles(t *testing.T) {
	t.Parallel()
	b := tampered(t, "const logic", "const other")
	if passed, failed, log, err := utilities.Test(t.Context(), chromium, b); err != nil || failed == 0 {
		t.Errorf("without its logic: %d passed, %v\n%s", passed, err, log)
	}
	delete(b.Files, "/index.html")
	if _, _, _, err := utilities.Test(t.Context(), chromium, b); err == nil || !strings.Contains(err.Error(), "/index.html") {
		t.Errorf("without its page: %v", err)
	}
}

// TestSchemaAndCheckAgree walks each manifest's schema and breaks the fixture
// at every place in every way that the schema forbids.
func TestSchemaAndCheckAgree(t *testing.T) {
	t.Parallel()
	for _, tpl := range utilities.Templates() {
		var schema, good map[string]any
		if err := json.Unmarshal(tpl.Config, &schema); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(fixtures[tpl.Name]), &good); err != nil {
			t.Fatal(err)
		}
		tries := 0
		breakings(schema, good, func(what string) {
			tries++
			raw, _ := json.Marshal(good)
			if _, err := utilities.Build(tpl.Name, raw, lamp); app.KindOf(err) != app.Invalid || !strings.HasPrefix(err.Error(), "config") {
				t.Errorf("%s, %s: %v", tpl.Name, what, err)
			}
		})
		if tries < 10 {
			t.Errorf("%s: only %d ways to break it", tpl.Name, tries)
		}
		if raw, _ := json.Marshal(good); string(raw) == "" || build(t, tpl.Name, string(raw)).Pages != 1 {
			t.Errorf("%s: the walk did not put the fixture back", tpl.Name)
		}
	}
}

// breakings changes obj in place, calls try, and changes it back.
func breakings(schema, obj map[string]any, try func(what string)) {
	obj["surprise"] = 1
	try("unknown field")
	delete(obj, "surprise")
	for name, raw := range schema["properties"].(map[string]any) {
		rule, old := raw.(map[string]any), obj[name]
		set := func(v any, what string) {
			obj[name] = v
			try(name + " " + what)
			obj[name] = old
		}
		delete(obj, name)
		try(name + " missing")
		obj[name] = old
		set(map[string]any{}, "of another type")
		if most, ok := rule["maxLength"].(float64); ok {
			set(strings.Repeat("é", int(most)+1), "too long")
		}
		if most, ok := rule["maximum"].(float64); ok {
			set(most+1, "too large")
			set(rule["minimum"].(float64)-1, "too small")
		}
		if items, ok := old.([]any); ok {
			set(items[:int(rule["minItems"].(float64))-1], "too few")
			set(slices.Repeat(items, int(rule["maxItems"].(float64))+1), "too many")
			if inner, ok := items[0].(map[string]any); ok {
				breakings(rule["items"].(map[string]any), inner, func(what string) { try(name + "[0]." + what) })
			}
		}
	}
}

func TestOutsideTextStaysText(t *testing.T) {
	t.Parallel()
	const evil = `</script><img src=x onerror=window.owned=1>`
	c := lamp
	c.Name, c.Ticker = evil, evil
	b, err := utilities.Build("web-minigame", json.RawMessage(fmt.Sprintf(`{"title":%q,"catch":"<b>x</b>","dodge":"</p>","seconds":45,"lives":3,"speed":2}`, evil)), c)
	if err != nil {
		t.Fatal(err)
	}
	out, err := chromium.Run(t.Context(), string(b.Files["/index.html"]), `[document.images.length, JSON.parse(document.getElementById("page-data").textContent).token.name].join("|")`)
	if want, _ := json.Marshal("0|" + evil); err != nil || !sameJSON(out, want) {
		t.Errorf("page holds %s, %v", out, err)
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x == y
}

// TestMountedOnASite holds that a utility passes the site's own check as a
// sub-page, and that one with another address does not.
func TestMountedOnASite(t *testing.T) {
	t.Parallel()
	site := app.NewBundle(map[string][]byte{"/index.html": []byte("<p>" + lamp.Address), "/_headers": []byte("/*\n")})
	rules := sites.CheckInput{OfficialAddress: lamp.Address, AllowedHosts: []string{"vivra.example.org"}}
	for _, tpl := range utilities.Templates() {
		whole := site.Mount(tpl.Path, build(t, tpl.Name, fixtures[tpl.Name]).Bundle)
		if r := sites.Check(whole, rules); !r.Passed() || whole.Pages != 2 {
			t.Errorf("%s: %d pages, %+v", tpl.Name, whole.Pages, r.Problems)
		}
		other := lamp
		other.Address = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
		b, err := utilities.Build(tpl.Name, json.RawMessage(fixtures[tpl.Name]), other)
		if err != nil {
			t.Fatal(err)
		}
		if r := sites.Check(site.Mount(tpl.Path, b.Bundle), rules); r.Passed() {
			t.Errorf("%s passes with another address", tpl.Name)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct{ name, config string }{
		"template: there is no \"x\"":                     {"x", `{}`},
		"config.lives: is 9, it must be from 1 to 5.":     {"web-minigame", strings.Replace(fixtures["web-minigame"], `"lives":3`, `"lives":9`, 1)},
		`config: unknown field "colour".`:                 {"web-minigame", `{"colour":1}`},
		"config.seconds: is missing; it is a number from": {"tg-quiz-bot", `{"title":"x"}`},
		"config: a name stands there twice.":              {"web-minigame", strings.Replace(fixtures["web-minigame"], `"lives":3`, `"lives":3,"LIVES":3`, 1)},
		"config: there is more after":                     {"web-minigame", fixtures["web-minigame"] + "{}"},
	} {
		if _, err := utilities.Build(c.name, json.RawMessage(c.config), lamp); app.KindOf(err) != app.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestPagesFit measures that no page is wider than a phone, and keeps pictures
// when asked to.
func TestPagesFit(t *testing.T) {
	t.Parallel()
	for _, tpl := range utilities.Templates() {
		b := build(t, tpl.Name, fixtures[tpl.Name])
		html := string(b.Files["/index.html"])
		for name, content := range b.Files {
			html = strings.Replace(html, `<script src="`+name[1:]+`" defer></script>`, "<script>"+string(content)+"</script>", 1)
			html = strings.Replace(html, `<link rel="stylesheet" href="`+name[1:]+`">`, "<style>"+string(content)+"</style>", 1)
		}
		html = strings.Replace(html, "</body>", `<script>if (document.documentElement.scrollWidth > innerWidth) document.documentElement.dataset.refused = "too wide"</script></body>`, 1)
		shot, err := chromium.Render(t.Context(), html, 360, 1000)
		if err != nil {
			t.Errorf("%s: %v", tpl.Name, err)
		} else if *keep != "" {
			if err := os.WriteFile(filepath.Join(*keep, tpl.Name+".png"), shot, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCanonicalHasEachNameOnce: what is read, shown and kept is one text.
func TestCanonicalHasEachNameOnce(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		`{"b":[{"x":1},{"x":2}],"a":1.50}`: `{"a":1.50,"b":[{"x":1},{"x":2}]}`, ` {"a" : "<"} `: `{"a":"<"}`,
		`{"a":1,"a":1}`: "", `{"a":1,"A":1}`: "", `{"a":1,"\u0061":1}`: "", `{"s":1,"ſ":1}`: "", `{"k":1,"\u212a":1}`: "", `{"q":[{"a":1,"a":2}]}`: "",
		`{"a":1}{}`: "", `{"a":`: "", `gm`: "", ``: "",
	} {
		got, err := utilities.Canonical(config)
		if (err == nil) != (want != "") || string(got) != want || err != nil && app.KindOf(err) != app.Invalid {
			t.Errorf("%s: %s, %v", config, got, err)
		}
	}
}
