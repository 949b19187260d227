package desk

import (
	"context"

	"vivra/app"
)

// Answered returns the post that a step replies to, by its number only.
func (d *Desk) Answered(ctx context.Context, stepID int64) (app.Answered, error) {
	m, err := d.Store.MentionOfStep(ctx, stepID)
	return app.Answered{PostID: m.PostID, AuthorID: m.AuthorID}, err
}
