// Package palette chooses colours that can be read on one another.
package palette

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Readable is the contrast that WCAG AA asks of text.
const Readable = 4.5

var isColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// Problems says what keeps colours from being a palette, in sentences that
// name the place.
func Problems(colours []string) []string {
	if len(colours) != 4 {
		return []string{fmt.Sprintf("palette: must have exactly 4 colours, it has %d.", len(colours))}
	}
	var problems []string
	for i, c := range colours {
		if !isColour.MatchString(c) {
			problems = append(problems, fmt.Sprintf("palette[%d]: %q is not a colour; write it like #1a2b3c.", i, c))
		}
	}
	return problems
}

// Contrast is the WCAG contrast ratio of two #rrggbb colours, 1 to 21.
func Contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// Ink returns the colour for text on ground: the candidate that stands out
// best when it is readable, else black or white.
func Ink(ground string, candidates []string) string {
	if c := Strongest(ground, candidates); Contrast(c, ground) >= Readable {
		return c
	}
	return Strongest(ground, []string{"#000000", "#ffffff"})
}

// Strongest returns the candidate with the most contrast on ground.
func Strongest(ground string, candidates []string) string {
	best := candidates[0]
	for _, c := range candidates[1:] {
		if Contrast(c, ground) > Contrast(best, ground) {
			best = c
		}
	}
	return best
}

// Vivid returns the candidate with the most colour among those with at least
// the given contrast on ground, otherwise the fallback.
func Vivid(ground string, candidates []string, contrast float64, fallback string) string {
	best, most := fallback, 0.0
	for _, c := range candidates {
		if chroma := Chroma(c); chroma > most && Contrast(c, ground) >= contrast {
			best, most = c, chroma
		}
	}
	return best
}

// Chroma is how far c is from grey, 0 to 1.
func Chroma(c string) float64 {
	r, g, b := Channels(c)
	return max(r, g, b) - min(r, g, b)
}

// Toward mixes c with black or white, whichever ground needs, until it is
// readable on ground.
func Toward(c, ground string) string {
	end := Strongest(ground, []string{"#000000", "#ffffff"})
	for part := 0.0; part < 1; part += .05 {
		if m := mix(c, end, part); Contrast(m, ground) >= Readable {
			return m
		}
	}
	return end
}

func mix(a, b string, part float64) string {
	r0, g0, b0 := Channels(a)
	r1, g1, b1 := Channels(b)
	at := func(x, y float64) int { return int(math.Round(255 * (x + (y-x)*part))) }
	return fmt.Sprintf("#%02x%02x%02x", at(r0, r1), at(g0, g1), at(b0, b1))
}

// Channels reads #rrggbb as three values from 0 to 1.
func Channels(hex string) (r, g, b float64) {
	v, _ := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	return float64(v>>16&255) / 255, float64(v>>8&255) / 255, float64(v&255) / 255
}

func luminance(hex string) float64 {
	r, g, b := Channels(hex)
	return .2126*linear(r) + .7152*linear(g) + .0722*linear(b)
}

func linear(v float64) float64 {
	if v <= .04045 {
		return v / 12.92
	}
	return math.Pow((v+.055)/1.055, 2.4)
}
