package tools

import (
	"context"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/preflight"
)

type xThreadPost struct {
	Text   string   `json:"text" jsonschema:"the post, at most 280 characters as X counts them; at most one cashtag, no @mention, no address but the token's"`
	Assets []string `json:"assets" jsonschema:"sha256 of up to 4 pictures, empty for none"`
}

type xThreadIn struct {
	Posts []xThreadPost `json:"posts" jsonschema:"4 to 8 posts in order, each replying to the one before"`
}

type xThreadOut struct {
	ValidationID string   `json:"validation_id"`
	Price        app.Nano `json:"price_nusd"`
}

// XThread lets an agent propose a thread.
func XThread(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "x_thread",
		Description: "Propose a thread of 4 to 8 posts on X. It is checked against X's rules at once; a person approves the whole before any goes out. A post with a link costs 13 times one without.",
		Agents:      []string{cm},
		Risk:        agent.Publish,
	}, func(ctx context.Context, scope agent.Scope, in xThreadIn) (out xThreadOut, err error) {
		thread := app.ThreadPayload{Account: scope.XHandle, Posts: []app.PostPayload{}}
		var drafts []preflight.Post
		for _, p := range in.Posts {
			post, err := d.post(ctx, scope, p.Text, p.Assets, nil)
			if err != nil {
				return out, err
			}
			thread.Posts, drafts = append(thread.Posts, post), append(drafts, draftOf(post))
		}
		price := priceOf(thread.Posts...)
		risk := d.guard(scope).Risk(fmt.Sprintf("Posts %d in order as @%s, each replying to the one before, then marks the step done. %s", len(thread.Posts), scope.XHandle, costs(price)),
			price, textsOf(thread.Posts...)...)
		if err := refuse(preflight.CheckThread(drafts, preflight.Rules{}), risk.Problems); err != nil {
			return out, err
		}
		proposed, err := d.propose(ctx, scope, app.KindThread, thread, risk)
		return xThreadOut{proposed.ValidationID, price}, err
	})
}
