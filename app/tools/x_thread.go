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
		for _, p := range in.Posts {
			post, err := d.post(ctx, scope, p.Text, p.Assets, nil)
			if err != nil {
				return out, err
			}
			thread.Posts = append(thread.Posts, post)
		}
		g, err := d.speaker(ctx, scope)
		if err != nil {
			return out, err
		}
		risk, err := g.thread(thread)
		if err != nil {
			return out, err
		}
		proposed, err := d.propose(ctx, scope, app.KindThread, thread, risk)
		return xThreadOut{proposed.ValidationID, risk.PublishPrice}, err
	})
}

// thread is what a person sees of a thread, and why it may not go out.
func (g Guard) thread(p app.ThreadPayload) (app.Risk, error) {
	var parts, posts []part
	var drafts []preflight.Post
	for i, each := range p.Posts {
		parts, drafts = append(parts, partsOf(nameOf(i), each)...), append(drafts, draftOf(each))
		posts = append(posts, part{nameOf(i), each.Text})
	}
	price := priceOf(p.Posts...)
	risk, f := g.judge(fmt.Sprintf("Posts %d in order as @%s, each replying to the one before, then marks the step done. %s", len(p.Posts), p.Account, costs(price)),
		price, parts...)
	for i, each := range p.Posts {
		f.alts(nameOf(i), each)
	}
	f.broken("", preflight.CheckThread(drafts, preflight.Rules{})) // which names the posts
	f.spoken(g, parts, posts...)
	return risk, f.err()
}

func nameOf(i int) string { return fmt.Sprintf("Post %d", i+1) }
