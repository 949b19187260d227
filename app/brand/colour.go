package brand

import (
	"html/template"
	"image"
	"math"
	"strings"

	"vivra/app/palette"
)

// theme is a palette with the colours that stand out on each of its own.
type theme struct {
	colours [4]string
	on      [4]string // text on each colour
	accent  string    // the most vivid one that is clear on the ground
	plate   string    // the one on which the mark stands out best
}

func newTheme(colours []string, logo image.Image) theme {
	var t theme
	for i := range t.colours {
		t.colours[i] = strings.ToLower(colours[i])
	}
	for i, c := range t.colours {
		t.on[i] = palette.Ink(c, t.colours[:])
	}
	t.accent = palette.Vivid(t.colours[0], t.colours[1:], 3.5, t.on[0])
	t.plate = t.behind(logo)
	return t
}

// behind returns the colour from which most of the mark's pixels differ: a
// mark in two colours must not lose either.
func (t theme) behind(logo image.Image) string {
	best, score := t.colours[0], -1.0
	for _, c := range t.colours {
		if s := separation(c, logo); s > score {
			best, score = c, s
		}
	}
	return best
}

// separation is the share of the mark's pixels that differ clearly from c.
func separation(c string, logo image.Image) float64 {
	r0, g0, b0 := palette.Channels(c)
	box, clear, all := logo.Bounds(), 0.0, 0.0
	step := max(1, box.Dx()/64)
	for y := box.Min.Y; y < box.Max.Y; y += step {
		for x := box.Min.X; x < box.Max.X; x += step {
			r, g, b, a := logo.At(x, y).RGBA()
			if a < 0x8000 {
				continue
			}
			all++
			dr, dg, db := float64(r)/float64(a)-r0, float64(g)/float64(a)-g0, float64(b)/float64(a)-b0
			clear += min(1, math.Sqrt(dr*dr+dg*dg+db*db)/.45)
		}
	}
	return clear / max(1, all)
}

// data names the colours for a template. They were checked to be #rrggbb.
func (t theme) data() map[string]any {
	css := func(s string) template.CSS { return template.CSS(s) }
	return map[string]any{
		"C0": css(t.colours[0]), "C1": css(t.colours[1]), "C2": css(t.colours[2]), "C3": css(t.colours[3]),
		"On0": css(t.on[0]), "On1": css(t.on[1]), "On2": css(t.on[2]), "On3": css(t.on[3]),
		"Accent": css(t.accent), "OnAccent": css(palette.Ink(t.accent, t.colours[:])),
		"Plate": css(t.plate), "OnPlate": css(palette.Ink(t.plate, t.colours[:])),
	}
}
