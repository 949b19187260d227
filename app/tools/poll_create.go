package tools

import (
	"context"
	"fmt"

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
		price := priceOf(poll.Intro) + preflight.PostPrice(poll.Question, false)
		effect := fmt.Sprintf("Posts the boards and then the poll as @%s", scope.XHandle)
		if poll.TelegramChat != 0 {
			effect += ", and opens the same poll in the Telegram group"
		}
		risk := d.guard(scope).Risk(fmt.Sprintf("%s, open for 24 hours, then marks the step done. %s", effect, costs(price)),
			price, append(textsOf(poll.Intro), append(in.Options, in.Question)...)...)
		if err := refuse(checkPoll(poll), risk.Problems); err != nil {
			return validationOut{}, err
		}
		return d.propose(ctx, scope, app.KindPoll, poll, risk)
	})
}

func (d Deps) poll(ctx context.Context, scope agent.Scope, in pollCreateIn) (app.PollPayload, error) {
	var f faults
	f.need(len(in.Options) == 3, "There are %d options: exactly 3 are asked.", len(in.Options))
	f.text("question", in.Question, 1, 280)
	if err := f.err(); err != nil {
		return app.PollPayload{}, err
	}
	var alt []string
	if len(in.IntroAssets) == len(in.Options) {
		for _, option := range in.Options {
			alt = append(alt, "Board of the direction "+option)
		}
	}
	intro, err := d.post(ctx, scope, in.IntroText, in.IntroAssets, alt)
	poll := app.PollPayload{
		Account: scope.XHandle, Intro: intro, Question: in.Question, Options: in.Options,
		DurationMinutes: pollMinutes, Channels: []string{"x"}, TelegramChat: scope.TelegramChat,
	}
	if scope.TelegramChat != 0 {
		poll.Channels = append(poll.Channels, "telegram")
	}
	return poll, err
}

func checkPoll(poll app.PollPayload) []preflight.Problem {
	question := preflight.Post{Text: poll.Question, PollOptions: poll.Options, PollMinutes: poll.DurationMinutes}
	return append(preflight.CheckPost(draftOf(poll.Intro), preflight.Rules{}), preflight.CheckPost(question, preflight.Rules{})...)
}
