package tools

import (
	"context"
	"fmt"
	"strings"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/preflight"
)

// pollMinutes is how long a poll stays open.
const pollMinutes = 24 * 60

type pollCreateIn struct {
	IntroText   string   `json:"intro_text" jsonschema:"the post before the poll, at most 280 characters as X counts them"`
	IntroAssets []string `json:"intro_assets" jsonschema:"sha256 of up to 4 pictures for the post before the poll, in the order of the options; a poll itself carries none"`
	Question    string   `json:"question" jsonschema:"the question, at most 280 characters as X counts them"`
	Options     []string `json:"options" jsonschema:"exactly 3 answers of at most 25 characters, one for each direction and in their order"`
}

// PollCreate lets an agent propose the vote on both channels.
func PollCreate(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "poll_create",
		Description: "Propose the community's poll: a post with the boards and a poll on X, and the same poll in the Telegram group, open for 24 hours. A person approves first.",
		Agents:      []string{designer},
		Risk:        agent.Publish,
	}, func(ctx context.Context, scope agent.Scope, in pollCreateIn) (validationOut, error) {
		poll, err := d.poll(ctx, scope, in)
		if err != nil {
			return validationOut{}, err
		}
		g, err := d.speaker(ctx, scope)
		if err != nil {
			return validationOut{}, err
		}
		risk, err := g.poll(poll)
		if err != nil {
			return validationOut{}, err
		}
		return d.propose(ctx, scope, app.KindPoll, poll, risk)
	})
}

func (d Deps) poll(ctx context.Context, scope agent.Scope, in pollCreateIn) (app.PollPayload, error) {
	intro, err := d.post(ctx, scope, in.IntroText, in.IntroAssets, nil)
	poll := app.PollPayload{
		Account: scope.XHandle, Intro: intro, Question: in.Question, Options: in.Options,
		DurationMinutes: pollMinutes, Channels: []string{"x"}, TelegramChat: scope.TelegramChat,
	}
	if scope.TelegramChat != 0 {
		poll.Channels = append(poll.Channels, "telegram")
	}
	poll.NameBoards()
	return poll, err
}

// poll is what a person sees of a poll, and why it may not go out.
func (g Guard) poll(p app.PollPayload) (app.Risk, error) {
	g.Telegram = true // it goes to both
	price := priceOf(p.Intro) + preflight.PostPrice(p.Question, false)
	effect := fmt.Sprintf("Posts the boards and then the poll as @%s", p.Account)
	if p.TelegramChat != 0 {
		effect += ", and opens the same poll in the Telegram group"
	}
	parts := partsOf("Intro", p.Intro)
	for i, option := range p.Options {
		parts = append(parts, part{fmt.Sprintf("Option %d", i+1), option})
	}
	parts = append(parts, part{"Question", p.Question})
	risk, f := g.judge(fmt.Sprintf("%s, open for 24 hours, then marks the step done. %s", effect, costs(price)), price, parts...)
	f.need(len(p.Options) == 3, "It has %s: exactly 3 are asked.", app.Count(len(p.Options), "option", "options"))
	for i, option := range p.Options {
		f.need(option == "" || strings.TrimSpace(option) != "", "Option %d is empty.", i+1) // the platform's own rule finds ""
	}
	f.text("Question", p.Question, 1, app.MaxPost)
	f.alts("Intro", p.Intro)
	f.broken("Intro", preflight.CheckPost(draftOf(p.Intro), preflight.Rules{}))
	f.broken("Question", preflight.CheckPost(preflight.Post{Text: p.Question, PollOptions: p.Options, PollMinutes: p.DurationMinutes}, preflight.Rules{}))
	f.spoken(g, parts, part{"Intro", p.Intro.Text}, part{"Question", p.Question})
	return risk, f.err()
}
