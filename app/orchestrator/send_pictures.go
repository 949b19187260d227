package orchestrator

import (
	"context"

	"vivra/app"
	"vivra/app/preflight"
	"vivra/app/x"
)

// given is what an attempt has brought to X before its post, and what X charges
// for that whatever becomes of the post.
type given struct {
	media   []app.Upload
	charged app.Nano
}

// pictures has X take the pictures of a post that it does not have yet, and
// returns their numbers. They are compared before the first of them leaves.
func (o *Orchestrator) pictures(ctx context.Context, a attempt, token string, media []app.Media) (ids []string, err error) {
	originals, err := o.originals(ctx, media)
	if err != nil {
		return nil, err
	}
	for i, m := range media {
		if err := o.upload(ctx, token, a.given, i, m, originals[i]); err != nil {
			return nil, err
		}
		o.reached(Uploaded)
		ids = append(ids, a.given.media[i].ID)
	}
	return ids, nil
}

func (o *Orchestrator) upload(ctx context.Context, token string, g *given, i int, m app.Media, original []byte) error {
	at := &g.media[i]
	if at.ID == "" {
		now := o.Clock.Now().UTC()
		id, err := o.Desk.X.UploadMedia(ctx, token, x.Upload{Bytes: original, MIME: m.MIME})
		if err != nil {
			return err
		}
		*at = app.Upload{ID: id, At: now, Described: m.Alt == ""}
	}
	if !at.Described {
		err := o.Desk.X.DescribeMedia(ctx, token, at.ID, m.Alt)
		if err == nil || inDoubt(err) {
			g.charged += preflight.PriceMetadata // each time that it may have been taken
		}
		if err != nil {
			return err
		}
		at.Described = true
	}
	return nil
}
