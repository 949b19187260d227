package imagesim

import (
	"crypto/sha256"
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
)

// pen draws one mark with its own luck and colours, strongest first.
type pen struct {
	canvas
	*rand.Rand
	colours []color.NRGBA
}

// families are the kinds of marks; they share nothing but the pen.
var families = []func(pen){petals, eclipse, tiles, burst, rings, cube, creature, strata, gem}

// Draw returns the mark that belongs to seed: the same seed gives the same
// mark. Without colours it picks its own.
func Draw(seed string, colours []color.NRGBA) *image.RGBA {
	sum := sha256.Sum256([]byte(seed))
	luck := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
	family := families[luck.IntN(len(families))]
	if len(colours) < 2 {
		colours = ownColours(luck)
	}
	p := pen{newCanvas(), luck, colours}
	family(p)
	return p.img
}

var hexColour = regexp.MustCompile(`#[0-9a-fA-F]{6}\b`)

// Colours reads the colours that a prompt asks for.
func Colours(prompt string) []color.NRGBA {
	var out []color.NRGBA
	for _, s := range hexColour.FindAllString(prompt, 4) {
		v, _ := strconv.ParseUint(s[1:], 16, 32)
		out = append(out, color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255})
	}
	return out
}

// ownColours are three strong hues apart from each other and a light one.
func ownColours(luck *rand.Rand) []color.NRGBA {
	h := luck.Float64()
	return []color.NRGBA{hsv(h, .78, .82), hsv(h+.12+luck.Float64()*.2, .7, .95), hsv(h+.5, .65, .6), hsv(h, .08, .98)}
}

func hsv(h, s, v float64) color.NRGBA {
	channel := func(n float64) uint8 {
		k := math.Mod(n+h*6, 6)
		return uint8(255 * v * (1 - s*max(0, min(k, 4-k, 1))))
	}
	return color.NRGBA{channel(5), channel(3), channel(1), 255}
}

func (p pen) colour(i int) color.NRGBA { return p.colours[i%len(p.colours)] }

func petals(p pen) {
	n, wide := 5+p.IntN(6), .14+p.Float64()*.12
	for i := range n {
		a := 2 * math.Pi * float64(i) / float64(n)
		p.ellipse(p.colour(i%2), polar(a, .5), .42, wide, a)
	}
	p.disc(p.colour(2), point{}, .26)
	p.disc(p.colour(3), point{}, .12)
}

func eclipse(p pen) {
	a := p.Float64() * 2 * math.Pi
	p.disc(p.colour(0), point{}, .86)
	p.erase(polar(a, .38), .62)
	p.disc(p.colour(1), polar(a, .42), .34)
	p.disc(p.colour(2), polar(a+.9+p.Float64(), .8), .12)
}

func tiles(p pen) {
	const n, cell = 5, 1.7 / 5
	for row := range n {
		for col := range 3 {
			if p.Float64() < .35 && col != 2 {
				continue
			}
			c := p.colour(p.IntN(3))
			for _, x := range []int{col, n - 1 - col} {
				l, t := -.85+float64(x)*cell+.02, -.85+float64(row)*cell+.02
				r, b := l+cell-.04, t+cell-.04
				p.polygon(c, point{l, t}, point{r, t}, point{r, b}, point{l, b})
			}
		}
	}
}

func burst(p pen) {
	n, depth := 7+p.IntN(10), .5+p.Float64()*.22
	for layer, scale := range []float64{1, .72} {
		var star []point
		for i := range 2 * n {
			r := .92 * scale
			if i%2 == 1 {
				r *= depth
			}
			star = append(star, polar(math.Pi*float64(i)/float64(n)+float64(layer)*math.Pi/float64(2*n), r))
		}
		p.polygon(p.colour(layer), star...)
	}
	p.disc(p.colour(3), point{}, .24)
	p.disc(p.colour(2), point{}, .13)
}

func rings(p pen) {
	for i := range 4 {
		outer, from := .92-.21*float64(i), p.Float64()*2*math.Pi
		p.arc(p.colour(i), outer-.15, outer, from, from+2.6+p.Float64()*3)
	}
	p.disc(p.colour(0), point{}, .1)
}

func cube(p pen) {
	turn := math.Pi / 6 * float64(1+2*p.IntN(2))
	for layer, r := range []float64{.92, .5} {
		var v [6]point
		for i := range v {
			v[i] = polar(turn+math.Pi/3*float64(i), r)
		}
		for face := range 3 {
			p.polygon(p.colour(face+layer), point{}, v[2*face], v[2*face+1], v[(2*face+2)%6])
		}
	}
}

func creature(p pen) {
	ear, spread := .2+p.Float64()*.18, .55+p.Float64()*.3
	for _, s := range []float64{-1, 1} {
		at := point{s * spread, -.62}
		if p.colours[0].R%2 == 0 {
			p.disc(p.colour(0), at, ear)
			p.disc(p.colour(1), at, ear*.55)
		} else {
			p.polygon(p.colour(0), point{s * .12, -.6}, point{s * .95, -.98}, point{s * .82, -.05})
		}
	}
	p.ellipse(p.colour(0), point{0, .1}, .82, .76, 0)
	p.ellipse(p.colour(1), point{0, .42}, .44, .32, 0)
	gap, look := .26+p.Float64()*.14, p.Float64()*.1-.05
	for _, s := range []float64{-1, 1} {
		p.disc(color.White, point{s * gap, -.08}, .17)
		p.disc(color.NRGBA{20, 20, 28, 255}, point{s*gap + look, -.07}, .09)
	}
	p.ellipse(color.NRGBA{20, 20, 28, 255}, point{0, .34}, .1, .065, 0)
}

func strata(p pen) {
	n := 4 + p.IntN(4)
	for i := range n {
		y0, y1 := -.9+1.8*float64(i)/float64(n), -.9+1.8*(float64(i)+.72)/float64(n)
		half := math.Sqrt(max(0, .7-math.Pow((y0+y1)/2, 2)))
		shift := (p.Float64() - .5) * .3 * (1 - half/2)
		p.polygon(p.colour(i), point{-half + shift, y0}, point{half + shift, y0}, point{half + shift - .1, y1}, point{-half + shift - .1, y1})
	}
}

func gem(p pen) {
	w, girdle, turn := .3+p.Float64()*.55, -.55+p.Float64()*.4, p.IntN(3)
	top := []point{{-w, -.8}, {0, -.8}, {w, -.8}}
	crown := []point{{-.92, girdle}, {-.32, girdle}, {.32, girdle}, {.92, girdle}}
	tip := point{0, .55 + p.Float64()*.4}
	for i, facet := range [][]point{
		{top[0], crown[0], crown[1]}, {top[0], top[1], crown[1]}, {top[1], crown[1], crown[2]}, {top[1], top[2], crown[2]},
		{top[2], crown[2], crown[3]}, {crown[0], crown[1], tip}, {crown[1], crown[2], tip}, {crown[2], crown[3], tip},
	} {
		p.polygon(p.colour(i+turn), facet...)
	}
}
