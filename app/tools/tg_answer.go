package tools

import (
	"context"

	"vivra/app/agent"
)

type tgAnswerIn struct {
	Answer  string   `json:"answer" jsonschema:"the answer, at most 600 characters: only what the sources say, no address but the official one, no foreign link"`
	Sources []string `json:"sources" jsonschema:"where in the token file the answer stands, as paths such as site.how_to_buy or telegram.faq.0.answer; at least one"`
}

type tgAnswerOut struct {
	Accepted bool `json:"accepted"`
}

// TGAnswer lets an agent answer a member. It is the one output that waits for
// nobody, so what it may hold is decided by code (Inspect) and not in a prompt.
func TGAnswer(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "tg_answer",
		Description: "Answer a member's question in the group, grounded in the token file. Without a source for it, do not answer.",
		Agents:      []string{tgBot},
		Risk:        agent.Write,
	}, func(ctx context.Context, scope agent.Scope, in tgAnswerIn) (tgAnswerOut, error) {
		var f faults
		f.text("answer", in.Answer, 1, 600)
		if err := d.ground(ctx, scope, &f, in.Sources); err != nil {
			return tgAnswerOut{}, err
		}
		return tgAnswerOut{Accepted: len(f) == 0}, f.err()
	})
}
