package palette_test

import (
	"fmt"
	"math"
	"testing"

	"vivra/app/palette"
)

var colours = []string{"#14213d", "#fca311", "#2a9d8f", "#f1faee"}

func TestTextIsReadableOnAnyGround(t *testing.T) {
	t.Parallel()
	for v := range 256 {
		ground := fmt.Sprintf("#%02x%02x%02x", v, 255-v, v*v%256)
		if ink := palette.Ink(ground, colours); palette.Contrast(ink, ground) < palette.Readable {
			t.Errorf("ink %s on %s has contrast %.1f", ink, ground, palette.Contrast(ink, ground))
		}
		if c := palette.Toward("#fca311", ground); palette.Contrast(c, ground) < palette.Readable {
			t.Errorf("%s on %s has contrast %.1f", c, ground, palette.Contrast(c, ground))
		}
	}
}

// TestContrast holds the ratios to published WCAG examples.
func TestContrast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#777777", "#ffffff", 4.48}, {"#767676", "#FFFFFF", 4.54}, {"#123456", "#123456", 1}} {
		if got := palette.Contrast(c.a, c.b); math.Abs(got-c.want) > .01 {
			t.Errorf("%s on %s = %.2f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	if p := palette.Problems(colours); len(p) != 0 {
		t.Errorf("a good palette has problems: %v", p)
	}
	for _, bad := range [][]string{nil, colours[:3], {"#123", "red", "#12345g", "#000000;x"}} {
		if len(palette.Problems(bad)) == 0 {
			t.Errorf("%v passed", bad)
		}
	}
}
