package tools

import (
	"context"
	"fmt"
	"strings"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/preflight"
)

type xPostIn struct {
	Text   string   `json:"text" jsonschema:"the post, at most 280 characters as X counts them; at most one cashtag, no @mention, no address but the token's"`
	Assets []string `json:"assets" jsonschema:"sha256 of up to 4 pictures, empty for none"`
	Alt    []string `json:"alt" jsonschema:"one description for each picture, for those who can't see it, at most 1000 characters"`
}

type xPostOut struct {
	ValidationID   string   `json:"validation_id"`
	WeightedLength int      `json:"weighted_length"`
	Price          app.Nano `json:"price_nusd"`
}

// XPost lets an agent propose a post.
func XPost(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "x_post",
		Description: "Propose a post on X. It is checked against X's rules at once; a person approves before it goes out. A post with a link costs 13 times one without.",
		Agents:      []string{cm},
		Risk:        agent.Publish,
	}, func(ctx context.Context, scope agent.Scope, in xPostIn) (out xPostOut, err error) {
		if len(in.Assets) != len(in.Alt) {
			return out, app.Errorf(app.Invalid, "alt has %s for %s.", app.Count(len(in.Alt), "description", "descriptions"), app.Count(len(in.Assets), "picture", "pictures"))
		}
		post, err := d.post(ctx, scope, in.Text, in.Assets, in.Alt)
		if err != nil {
			return out, err
		}
		g, err := d.speaker(ctx, scope)
		if err != nil {
			return out, err
		}
		risk, err := g.post(post)
		if err != nil {
			return out, err
		}
		proposed, err := d.propose(ctx, scope, app.KindPost, post, risk)
		return xPostOut{proposed.ValidationID, preflight.Length(in.Text), risk.PublishPrice}, err
	})
}

// post is what a person sees of a post, and why it may not go out.
func (g Guard) post(p app.PostPayload) (app.Risk, error) {
	if p.Answers != nil {
		return g.reply(p)
	}
	price := priceOf(p)
	risk, f := g.judge(fmt.Sprintf("Posts this as @%s, at the earliest 30 minutes after its last post, then marks the step done. %s", p.Account, costs(price)),
		price, partsOf("", p)...)
	f.need(strings.Contains(p.Text, g.Code), "Text: the one-time code %s must stand in it, exactly so.", g.Code)
	f.alts("", p)
	f.broken("", preflight.CheckPost(draftOf(p), preflight.Rules{}))
	f.spoken(g, partsOf("", p), part{"Text", p.Text})
	return risk, f.err()
}
