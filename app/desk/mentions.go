package desk

import (
	"context"

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
	return d.page(ctx, agent.Scope{OperationID: op.ID, Agent: mentionReader}, w, func(ctx context.Context, w x.Window) (x.Page, error) {
		return d.X.Mentions(ctx, a.AccessToken, a.UserID, w)
	})
}
