package tools

import (
	"context"

	"vivra/app"
	"vivra/app/agent"
)

type tgGroupSetupIn struct {
	Title       string `json:"title" jsonschema:"the group's new title, at most 128 characters"`
	Description string `json:"description" jsonschema:"the group's new description, at most 255 characters"`
	Rules       string `json:"rules" jsonschema:"the group's rules, at most 2000 characters"`
	Pinned      string `json:"pinned" jsonschema:"the message to pin, at most 2000 characters: it must hold the official address and no other"`
}

// TGGroupSetup lets an agent propose how the Telegram group looks.
func TGGroupSetup(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "tg_group_setup",
		Description: "Propose the Telegram group's title, description, rules and pinned message. A person approves before anything changes.",
		Agents:      []string{tgBot},
		Risk:        agent.Publish,
	}, func(ctx context.Context, scope agent.Scope, in tgGroupSetupIn) (validationOut, error) {
		if scope.TelegramChat == 0 {
			return validationOut{}, errNoGroup
		}
		payload := app.TelegramSetupPayload{
			Chat: scope.TelegramChat, Title: in.Title, Description: in.Description, Rules: in.Rules, Pinned: in.Pinned,
			OfficialAddress: d.EIP55(scope.Token.Ref.Address),
		}
		risk, err := d.guard(scope).group(payload)
		if err != nil {
			return validationOut{}, err
		}
		return d.propose(ctx, scope, app.KindTelegram, payload, risk)
	})
}

// group is what a person sees of how a group will look, and why it may not.
func (g Guard) group(p app.TelegramSetupPayload) (app.Risk, error) {
	g.Telegram = true
	risk, f := g.judge("Sets the Telegram group's title and description, posts the rules, posts and pins the message with the official address, then marks the step done. Costs nothing.",
		0, part{"Title", p.Title}, part{"Description", p.Description}, part{"Rules", p.Rules}, part{pinned, p.Pinned})
	f.text("Title", p.Title, 1, app.MaxGroupTitle)
	f.text("Description", p.Description, 1, app.MaxGroupDescription)
	f.text("Rules", p.Rules, 1, app.MaxGroupText)
	f.text(pinned, p.Pinned, 1, app.MaxGroupText)
	f.need(len(g.Addresses(p.Pinned)) > 0, "%s does not hold the official address.", pinned)
	return risk, f.err()
}

const pinned = "Pinned message"
