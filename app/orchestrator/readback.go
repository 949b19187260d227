package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // X serves profile pictures as JPEG
	_ "image/png"  // or PNG
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

// readBackEvery is how often a profile is looked at until it shows what a
// person was to enter.
const readBackEvery = 5 * time.Minute

// readBack compares the account's profile with the checklist that a person
// said to have applied.
func (o *Orchestrator) readBack(ctx context.Context, p app.ProfilePayload) (postgres.Sent, error) {
	account, err := o.Desk.Account(ctx, p.Account)
	if err != nil {
		return postgres.Sent{}, &notYet{reason: err.Error(), wait: readBackEvery, cause: err}
	}
	me, err := o.Desk.X.Me(ctx, account.AccessToken)
	if err != nil {
		return postgres.Sent{}, &notYet{reason: err.Error(), wait: readBackEvery}
	}
	if wrong := o.differences(ctx, p, me); wrong != nil {
		return postgres.Sent{}, &notYet{reason: "the profile does not show yet: " + wrong.Error(), wait: readBackEvery}
	}
	return postgres.Sent{ProviderID: me.ID, Link: "https://x.com/" + p.Account, Receipt: map[string]string{"user_id": me.ID}, Summary: "Read the profile back: it shows what was approved"}, nil
}

func (o *Orchestrator) differences(ctx context.Context, p app.ProfilePayload, me app.Profile) error {
	var wrong []error
	if me.Name != p.Name {
		wrong = append(wrong, errors.New("the name"))
	}
	if me.Bio != p.Bio {
		wrong = append(wrong, errors.New("the bio"))
	}
	if p.Picture.SHA256 != "" {
		if err := o.samePicture(ctx, p.Picture.SHA256, me.PictureURL); err != nil {
			wrong = append(wrong, fmt.Errorf("the picture (%w)", err))
		}
	}
	return errors.Join(wrong...)
}

// samePicture compares by eye, not by byte: X encodes pictures anew.
func (o *Orchestrator) samePicture(ctx context.Context, sha256, url string) error {
	want, err := o.Desk.Blobs.Get(ctx, sha256)
	if err != nil {
		return err
	}
	got, err := o.Desk.X.Picture(ctx, url)
	if err != nil {
		return err
	}
	a, err := thumb(want)
	if err != nil {
		return err
	}
	b, err := thumb(got)
	if err != nil {
		return err
	}
	const tolerance = 12 // of 255, mean over the thumbnail
	if d := distance(a, b); d > tolerance {
		return fmt.Errorf("it differs by %d of 255", d)
	}
	return nil
}

const thumbSide = 16

// thumb samples a picture on a small grid of grey values.
func thumb(raw []byte) ([thumbSide * thumbSide]int, error) {
	var out [thumbSide * thumbSide]int
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return out, fmt.Errorf("decode picture: %w", err)
	}
	b := img.Bounds()
	for i := range out {
		x := b.Min.X + (2*(i%thumbSide)+1)*b.Dx()/(2*thumbSide)
		y := b.Min.Y + (2*(i/thumbSide)+1)*b.Dy()/(2*thumbSide)
		r, g, bl, _ := img.At(x, y).RGBA()
		out[i] = int((299*r + 587*g + 114*bl) / 1000 >> 8)
	}
	return out, nil
}

func distance(a, b [thumbSide * thumbSide]int) int {
	sum := 0
	for i := range a {
		sum += max(a[i]-b[i], b[i]-a[i])
	}
	return sum / len(a)
}
