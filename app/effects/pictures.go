package effects

import (
	"time"

	"vivra/app"
	"vivra/app/preflight"
)

// mediaLife is how long a picture that X has taken is used again: a day there,
// less what a clock may be off and a call may take.
const mediaLife = 23 * time.Hour

// OnX tells whether calls of a kind are made with an account on X.
func OnX(kind string) bool { return kind == XPost || kind == XProfile }

// described is what X charges for the alt texts of pictures.
func described(media []app.Media) (price app.Nano) {
	for _, m := range media {
		if m.Alt != "" {
			price += preflight.PriceMetadata
		}
	}
	return price
}

func media(e app.Effect) []app.Media {
	p, ok := postOf(e)
	if !ok {
		return nil
	}
	return p.Media
}

// Kept are an effect's pictures as X has them at an instant, each at its place;
// one without a number is to be uploaded.
func Kept(e app.Effect, now time.Time) []app.Upload {
	kept := make([]app.Upload, len(media(e)))
	for i := range min(len(kept), len(e.Media)) {
		if now.Before(e.Media[i].At.Add(mediaLife)) {
			kept[i] = e.Media[i]
		}
	}
	return kept
}

// PostPrice is what the post alone costs, PicturesPrice what an attempt at an
// instant is charged for its pictures beside.
func PostPrice(e app.Effect) app.Nano { return e.Price - described(media(e)) }

// PicturesPrice is the most that X charges for pictures in an attempt that
// begins at an instant: those it has a description of are paid.
func PicturesPrice(e app.Effect, now time.Time) app.Nano {
	var open []app.Media
	kept := Kept(e, now)
	for i, m := range media(e) {
		if !kept[i].Described {
			open = append(open, m)
		}
	}
	return described(open)
}
