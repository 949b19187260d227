package tools

import (
	"context"
	"fmt"
	"regexp"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/preflight"
)

type xReplyIn struct {
	Text    string   `json:"text" jsonschema:"the reply, at most 280 characters as X counts them: only what the sources say; no link, no @name, no cashtag, no address but the token's"`
	Sources []string `json:"sources" jsonschema:"where it stands: paths in the token file such as site.how_to_buy, or one of token.address, operation.x_handle, operation.site_host, day, market_snapshot; at least one"`
}

// XReply lets an agent propose the reply to the one mention that its step is
// for. Whose post that is the database says: no model names it.
func XReply(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "x_reply",
		Description: "Propose the reply to the mention that this step is for. It is checked against X's rules at once; a person approves before it goes out. What you can't ground in a source you leave out.",
		Agents:      []string{cm},
		Risk:        agent.Publish,
	}, func(ctx context.Context, scope agent.Scope, in xReplyIn) (out xPostOut, err error) {
		to, err := d.Mentions.Answered(ctx, scope.StepID)
		if app.KindOf(err) == app.NotFound || err == nil && scope.Task != app.ReplyTask {
			return out, app.Errorf(app.Invalid, "This step answers no mention.")
		}
		if err != nil {
			return out, fmt.Errorf("find the mention: %w", err)
		}
		var f faults
		if err := d.ground(ctx, scope, &f, in.Sources, givens...); err != nil {
			return out, err
		}
		if err := f.err(); err != nil {
			return out, err
		}
		reply, err := d.post(ctx, scope, in.Text, nil, nil)
		if err != nil {
			return out, err
		}
		reply.Answers = &to
		g, err := d.speaker(ctx, scope)
		if err != nil {
			return out, err
		}
		risk, err := g.reply(reply)
		if err != nil {
			return out, err
		}
		proposed, err := d.propose(ctx, scope, app.KindPost, reply, risk)
		return xPostOut{proposed.ValidationID, preflight.Length(in.Text), risk.PublishPrice}, err
	})
}

// givens are sources that are no places in the token file: what the agent was
// given, and what its other tool returns.
var givens = []string{"token.address", "token.symbol", "operation.x_handle", "operation.site_host", "day", "market_snapshot"}

var given = regexp.MustCompile(`^(?:token|operation)\.[a-z_]+$|^day$|^market_snapshot$`)

// reply is what a person sees of a reply to another account's post, and why it
// may not go out.
func (g Guard) reply(p app.PostPayload) (app.Risk, error) {
	price := priceOf(p)
	risk, f := g.judge(fmt.Sprintf("Replies as @%s to the post shown here, then marks the step done. At most ten replies go out in an hour, and one a day to each author. %s", p.Account, costs(price)),
		price, partsOf("", p)...)
	f.need(len(risk.Links) == 0, "Text: a reply holds no link.")
	f.need(len(preflight.Cashtags(p.Text)) == 0, "Text: a reply holds no cashtag.")
	f.need(len(p.Media) == 0, "A reply holds no picture.")
	f.broken("", preflight.CheckPost(draftOf(p), preflight.Rules{}))
	f.spoken(g, partsOf("", p), part{"Text", p.Text})
	return risk, f.err()
}
