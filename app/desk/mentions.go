package desk

import (
	"context"
	"errors"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/x"
)

// MentionPage returns one page of the posts that name the operation's account,
// newest first. What was read on the same UTC day is not paid again.
func (d *Desk) MentionPage(ctx context.Context, op app.Operation, w x.Window) (x.Page, error) {
	a, err := d.Account(ctx, op.XHandle)
	if err != nil {
		return x.Page{}, err
	}
	var next string
	posts, err := d.walk(ctx, agent.Scope{OperationID: op.ID, Agent: mentionReader}, w, 1, func(ctx context.Context, w x.Window) (x.Page, error) {
		page, err := d.X.Mentions(ctx, a.AccessToken, a.UserID, w)
		next = page.Next
		return page, err
	})
	if errors.Is(err, x.ErrMore) {
		err = nil
	}
	return x.Page{Posts: posts, Next: next}, err
}
