package imagesim

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/image/vector"
)

// side is the length of a mark's side in pixels.
const side = 1024

// point is a place on the canvas, whose centre is 0,0 and whose edges are at ±1.
type point struct{ x, y float64 }

func polar(angle, radius float64) point {
	return point{radius * math.Cos(angle), radius * math.Sin(angle)}
}

// canvas fills outlines with anti-aliased colour on a transparent ground.
type canvas struct{ img *image.RGBA }

func newCanvas() canvas { return canvas{image.NewRGBA(image.Rect(0, 0, side, side))} }

// polygon fills the outline through points; it works on their box alone.
func (c canvas) polygon(col color.Color, points ...point) {
	box := bounds(points).Intersect(c.img.Bounds())
	if box.Empty() {
		return
	}
	z := vector.NewRasterizer(box.Dx(), box.Dy())
	for i, p := range points {
		x, y := float32(pixel(p.x)-float64(box.Min.X)), float32(pixel(p.y)-float64(box.Min.Y))
		if i == 0 {
			z.MoveTo(x, y)
		} else {
			z.LineTo(x, y)
		}
	}
	z.ClosePath()
	z.Draw(c.img, box, image.NewUniform(col), image.Point{})
}

func pixel(v float64) float64 { return (v + 1) * side / 2 }

func bounds(points []point) image.Rectangle {
	var box image.Rectangle
	for _, p := range points {
		x, y := int(math.Floor(pixel(p.x))), int(math.Floor(pixel(p.y)))
		box = box.Union(image.Rect(x, y, x+2, y+2))
	}
	return box
}

// ellipse fills an ellipse turned by angle.
func (c canvas) ellipse(col color.Color, at point, rx, ry, angle float64) {
	const steps = 96
	outline := make([]point, steps)
	for i := range outline {
		a := 2 * math.Pi * float64(i) / steps
		x, y := rx*math.Cos(a), ry*math.Sin(a)
		outline[i] = point{at.x + x*math.Cos(angle) - y*math.Sin(angle), at.y + x*math.Sin(angle) + y*math.Cos(angle)}
	}
	c.polygon(col, outline...)
}

func (c canvas) disc(col color.Color, at point, r float64) { c.ellipse(col, at, r, r, 0) }

// arc fills a band of a ring from one angle to another.
func (c canvas) arc(col color.Color, inner, outer, from, to float64) {
	const steps = 96
	var outline []point
	for i := range steps + 1 {
		outline = append(outline, polar(from+(to-from)*float64(i)/steps, outer))
	}
	for i := range steps + 1 {
		outline = append(outline, polar(to-(to-from)*float64(i)/steps, inner))
	}
	c.polygon(col, outline...)
}

// erase makes a disc transparent again.
func (c canvas) erase(at point, r float64) {
	hole := newCanvas()
	hole.disc(color.White, at, r)
	for i := range c.img.Pix {
		c.img.Pix[i] = uint8(int(c.img.Pix[i]) * (255 - int(hole.img.Pix[i|3])) / 255)
	}
}

// frame centres a mark on a ground of another size.
func frame(img *image.RGBA, size string) *image.RGBA {
	ws, hs, _ := strings.Cut(size, "x")
	w, _ := strconv.Atoi(ws)
	h, _ := strconv.Atoi(hs)
	if w == side && h == side {
		return img
	}
	ground, s := image.NewRGBA(image.Rect(0, 0, w, h)), min(w, h)
	box := image.Rect(0, 0, s, s).Add(image.Pt((w-s)/2, (h-s)/2))
	draw.ApproxBiLinear.Scale(ground, box, img, img.Bounds(), draw.Src, nil)
	return ground
}

func encodePNG(img image.Image) []byte {
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&out, img); err != nil {
		panic(err) // a picture in memory always encodes
	}
	return out.Bytes()
}
