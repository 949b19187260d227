package brand

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"unicode/utf8"

	"golang.org/x/image/draw"

	"vivra/app"
	"vivra/app/palette"
)

// The longest outside text that a template takes, in characters.
const (
	maxName   = 80
	maxTicker = 24
	maxSide   = 4096
)

// check returns the decoded logo, or everything that is wrong with the input
// in sentences that name the field.
func (in Input) check(t Template) (image.Image, error) {
	problems := append(palette.Problems(in.Palette), in.textProblems(t)...)
	if n := utf8.RuneCountInString(strings.TrimSpace(in.Name)); n < 1 || n > maxName {
		problems = append(problems, fmt.Sprintf("name: must have 1 to %d characters, it has %d.", maxName, n))
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(in.Ticker)); n < 1 || n > maxTicker {
		problems = append(problems, fmt.Sprintf("ticker: must have 1 to %d characters, it has %d.", maxTicker, n))
	}
	logo, problem := decodeLogo(in.LogoPNG)
	if problem != "" {
		problems = append(problems, problem)
	}
	if len(problems) > 0 {
		return nil, app.Errorf(app.Invalid, "%s", strings.Join(problems, " "))
	}
	return logo, nil
}

func (in Input) textProblems(t Template) []string {
	var problems []string
	if len(in.Texts) > len(t.Texts) {
		problems = append(problems, fmt.Sprintf("texts: %s takes at most %d, got %d.", t.Name, len(t.Texts), len(in.Texts)))
	}
	for i, want := range t.Texts {
		text := ""
		if i < len(in.Texts) {
			text = strings.TrimSpace(in.Texts[i])
		}
		n := utf8.RuneCountInString(text)
		switch {
		case n == 0 && want.Required:
			problems = append(problems, fmt.Sprintf("texts[%d] (%s): is missing; it holds %s.", i, want.Name, want.Hint))
		case n > want.Max:
			problems = append(problems, fmt.Sprintf("texts[%d] (%s): has %d characters, the most is %d.", i, want.Name, n, want.Max))
		}
	}
	return problems
}

func decodeLogo(raw []byte) (image.Image, string) {
	head, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, "logo: is not a PNG picture."
	}
	if head.Width > maxSide || head.Height > maxSide {
		return nil, fmt.Sprintf("logo: is %d×%d pixels, the most is %d×%d.", head.Width, head.Height, maxSide, maxSide)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, "logo: is a damaged PNG picture."
	}
	return img, ""
}

// scaled fits the mark into a transparent square.
func scaled(logo image.Image, side int) ([]byte, error) {
	w, h := logo.Bounds().Dx(), logo.Bounds().Dy()
	longest := max(w, h)
	w, h = max(1, w*side/longest), max(1, h*side/longest)
	square := image.NewNRGBA(image.Rect(0, 0, side, side))
	box := image.Rect(0, 0, w, h).Add(image.Pt((side-w)/2, (side-h)/2))
	draw.CatmullRom.Scale(square, box, logo, logo.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	if err := png.Encode(&out, square); err != nil {
		return nil, fmt.Errorf("encode logo: %w", err)
	}
	return out.Bytes(), nil
}
