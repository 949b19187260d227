package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // X serves profile pictures as JPEG
	_ "image/png"  // or PNG
	"strings"
	"time"

	"vivra/app"
	"vivra/app/desk"
	"vivra/app/postgres"
)

// readBackEvery is how often a profile is looked at until it shows what a
// person was to enter.
const readBackEvery = 5 * time.Minute

// byHandWithin is how long that is, before the team is told that it does not:
// who said that it was applied may have left a field out.
const byHandWithin = time.Hour

// readBack compares the account's profile with the checklist that a person
// said to have applied.
func (o *Orchestrator) readBack(ctx context.Context, e app.Effect, p app.ProfilePayload) (postgres.Sent, error) {
	account, err := o.account(ctx, e, p.Account)
	if err != nil {
		return postgres.Sent{}, patiently(err)
	}
	me, err := o.Desk.Me(ctx, desk.ForPublication(e), account)
	if err != nil {
		return postgres.Sent{}, patiently(err)
	}
	if err := o.differences(ctx, p, me); err != nil {
		return postgres.Sent{}, patiently(err)
	}
	return postgres.Sent{ProviderID: me.ID, Link: "https://x.com/" + p.Account, Receipt: map[string]string{"user_id": me.ID}, Summary: "Read the profile back: it shows what was approved"}, nil
}

// patiently has the profile looked at again, for as long as a person needs.
func patiently(err error) error {
	var (
		later *notYet
		other *changed
	)
	if errors.As(err, &later) || errors.As(err, &other) {
		return err
	}
	return &notYet{cause: err, wait: readBackEvery, endless: true, byHand: true}
}

// differences says what the profile does not show yet, and what to do about it.
// What it shows instead is somebody else's text, and not repeated.
func (o *Orchestrator) differences(ctx context.Context, p app.ProfilePayload, me app.Profile) error {
	var wrong []string
	if me.Name != p.Name {
		wrong = append(wrong, "Name: enter “"+p.Name+"”.")
	}
	if me.Bio != p.Bio {
		wrong = append(wrong, "Bio: enter “"+p.Bio+"”.")
	}
	if p.Picture.SHA256 != "" {
		want, err := o.original(ctx, p.Picture)
		if err != nil {
			return err
		}
		if err := o.samePicture(ctx, want, me.PictureURL); err != nil {
			wrong = append(wrong, fmt.Sprintf("Picture: upload the one of the checklist (%v).", err))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("the profile on X does not show all that was approved. %s Save it there; it is looked at again every %d minutes.", strings.Join(wrong, " "), int(readBackEvery/time.Minute))
	}
	return nil
}

// samePicture compares by eye, not by byte: X encodes pictures anew.
func (o *Orchestrator) samePicture(ctx context.Context, want []byte, url string) error {
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
