package brand_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vivra/app"
	"vivra/app/brand"
	"vivra/app/browser"
	"vivra/app/rehearsal/imagesim"
)

var (
	chromium *browser.Browser
	keep     = flag.String("keep", "", "folder to keep the pictures in")
)

func TestMain(m *testing.M) {
	flag.Parse()
	chromium = browser.New(browser.Config{})
	code := m.Run()
	chromium.Close()
	os.Exit(code)
}

var colours = []string{"#14213d", "#fca311", "#2a9d8f", "#f1faee"}

// logo is drawn once: encoding it is the slowest part of a fixture.
var logo = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&out, imagesim.Draw("fox 4", imagesim.Colours(strings.Join(colours[1:], " ")))); err != nil {
		panic(err)
	}
	return out.Bytes()
})

func fixture(t testing.TB, tpl brand.Template) brand.Input {
	words := map[string]string{
		"direction": "Night Shift", "concept": "The dev left at dawn; the holders kept the lights on. A fox that works nights, drawn flat and calm, in harbour blue and lamp orange.",
		"tagline": "Left for dead. Kept by its holders.", "top": "Dev sold everything", "bottom": "Holders did not",
		"no": "waiting for the dev to come back", "yes": "running it ourselves, in the open", "question": "isn't this one dead?",
		"answer": "412 holders never sold. You tell me.", "reaction": "ok that's a lot", "title": "Untitled (abandoned)",
		"note": "Mixed liquidity on chain. Abandoned by its maker, kept by everyone else.", "quote": "We did not come back. We never left.",
	}
	in := brand.Input{Template: tpl.Name, Palette: colours, LogoPNG: logo(), Name: "Lamplight Fox", Ticker: "LAMP"}
	for _, text := range tpl.Texts {
		if words[text.Name] == "" {
			t.Fatalf("no fixture for %s of %s", text.Name, tpl.Name)
		}
		in.Texts = append(in.Texts, words[text.Name])
	}
	return in
}

func TestEveryTemplate(t *testing.T) {
	t.Parallel()
	memes := 0
	for _, tpl := range brand.Templates() {
		raw, err := brand.Render(t.Context(), chromium, fixture(t, tpl))
		if err != nil {
			t.Errorf("%s: %v", tpl.Name, err)
			continue
		}
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil || img.Bounds().Size() != image.Pt(tpl.Width, tpl.Height) {
			t.Errorf("%s: %v, %v, want %d×%d", tpl.Name, img.Bounds(), err, tpl.Width, tpl.Height)
		}
		if e := entropy(img); e < .4 {
			t.Errorf("%s looks blank: entropy %.2f", tpl.Name, e)
		}
		if _, _, _, a := img.At(0, 0).RGBA(); (a == 0) != (tpl.Group == "logo") {
			t.Errorf("%s: alpha of the corner is %d", tpl.Name, a)
		}
		if tpl.Group == "meme" {
			memes++
		}
		if *keep != "" {
			if err := os.WriteFile(filepath.Join(*keep, tpl.Name+".png"), raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if memes < 4 {
		t.Errorf("%d meme layouts, want at least 4", memes)
	}
}

// entropy of the grey levels, in bits.
func entropy(img image.Image) float64 {
	var counts [64]float64
	b, n := img.Bounds(), 0.0
	for y := b.Min.Y; y < b.Max.Y; y += 3 {
		for x := b.Min.X; x < b.Max.X; x += 3 {
			r, g, bl, _ := img.At(x, y).RGBA()
			counts[(r+g+bl)/3>>10]++
			n++
		}
	}
	sum := 0.0
	for _, c := range counts {
		if c > 0 {
			sum -= c / n * math.Log2(c/n)
		}
	}
	return sum
}

func TestNameZoo(t *testing.T) {
	t.Parallel()
	for i, name := range []string{
		"A", "Lamplight Fox", "狐狸之光", "ランプの狐とその仲間たち", "등불여우 공동체", "ثعلب المصباح", "שועל המנורה",
		"🦊🔥🦊", `<script>document.body.innerHTML=""</script>`, `"><img src=x onerror=alert(1)>`, strings.Repeat("W", 50), "Supercalifragilistic expialidocious community",
	} {
		for _, kind := range []string{"x-banner", "og", "meme-chat"} {
			tpl, err := brand.Find(kind)
			if err != nil {
				t.Fatal(err)
			}
			in := fixture(t, tpl)
			in.Name = name
			raw, err := brand.Render(t.Context(), chromium, in)
			if err != nil {
				t.Errorf("%s as %q: %v", kind, name, err)
			} else if *keep != "" {
				_ = os.WriteFile(filepath.Join(*keep, fmt.Sprintf("zoo-%s-%02d.png", kind, i)), raw, 0o600)
			}
		}
	}
}

func TestNameIsEscaped(t *testing.T) {
	t.Parallel()
	tpl, _ := brand.Find("og")
	in := fixture(t, tpl)
	in.Name, in.Ticker, in.Texts[0] = "<b>x</b>", "</style><i>", "{{.}}<script>"
	var got string
	_, err := brand.Render(t.Context(), rendererFunc(func(html string) { got = html }), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<b>x", "</style><i>", "}<script>"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q came through", bad)
		}
	}
}

type rendererFunc func(html string)

func (f rendererFunc) Render(_ context.Context, html string, _, _ int) ([]byte, error) {
	f(html)
	return nil, nil
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tpl, _ := brand.Find("meme-caption")
	for want, change := range map[string]func(*brand.Input){
		"template: there is no":         func(in *brand.Input) { in.Template = "poster" },
		"palette: must have exactly 4":  func(in *brand.Input) { in.Palette = in.Palette[:3] },
		"palette[1]: \"red\" is not":    func(in *brand.Input) { in.Palette = []string{"#000000", "red", "#ffffff", "#123456"} },
		"logo: is not a PNG":            func(in *brand.Input) { in.LogoPNG = []byte("GIF89a") },
		"texts[1] (bottom): is missing": func(in *brand.Input) { in.Texts = in.Texts[:1] },
		"texts[0] (top): has 61":        func(in *brand.Input) { in.Texts[0] = strings.Repeat("x", 61) },
		"texts: meme-caption takes at":  func(in *brand.Input) { in.Texts = append(in.Texts, "more") },
		"name: must have":               func(in *brand.Input) { in.Name = " " },
		"ticker: must have":             func(in *brand.Input) { in.Ticker = strings.Repeat("T", 25) },
		"top does not fit its place":    func(in *brand.Input) { in.Texts[0] = strings.Repeat("\ufdfd", 60) },
	} {
		in := fixture(t, tpl)
		in.Palette = append([]string(nil), in.Palette...)
		change(&in)
		if _, err := brand.Render(t.Context(), chromium, in); app.KindOf(err) != app.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func BenchmarkKit(b *testing.B) {
	for b.Loop() {
		for _, tpl := range brand.Templates() {
			if _, err := brand.Render(b.Context(), chromium, fixture(b, tpl)); err != nil {
				b.Fatal(err)
			}
		}
	}
}
