package images

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // endpoints answer PNG, JPEG or WebP
	"image/png"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"vivra/app"
)

// maxPixels refuses a picture that is small on the wire and huge in memory.
const maxPixels = 4096 * 4096

// reencode decodes a picture from outside and writes it anew, so that nothing
// but its pixels is kept; it is scaled down to maxSide.
func reencode(raw []byte, maxSide int) ([]byte, error) {
	head, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, app.Errorf(app.Unavailable, "The image service sent something that is not a PNG, JPEG or WebP picture.")
	}
	if head.Width < 1 || head.Height < 1 || head.Width*head.Height > maxPixels {
		return nil, app.Errorf(app.Unavailable, "The image service sent a picture of %d×%d pixels, too large to open.", head.Width, head.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, app.Errorf(app.Unavailable, "The image service sent a picture that is cut off or damaged.")
	}
	var out bytes.Buffer
	if err := png.Encode(&out, fit(img, maxSide)); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return out.Bytes(), nil
}

func fit(img image.Image, maxSide int) image.Image {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	side := max(w, h)
	if side <= maxSide {
		return img
	}
	small := image.NewNRGBA(image.Rect(0, 0, max(1, w*maxSide/side), max(1, h*maxSide/side)))
	draw.CatmullRom.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	return small
}
