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
		risk := d.guard(scope).Risk("Sets the Telegram group's title and description, posts the rules, posts and pins the message with the official address, then marks the step done. Costs nothing.",
			0, in.Title, in.Description, in.Rules, in.Pinned)
		if err := in.check(d.guard(scope), risk); err != nil {
			return validationOut{}, err
		}
		return d.propose(ctx, scope, app.KindTelegram, app.TelegramSetupPayload{
			Chat: scope.TelegramChat, Title: in.Title, Description: in.Description, Rules: in.Rules, Pinned: in.Pinned,
			OfficialAddress: d.EIP55(scope.Token.Ref.Address),
		}, risk)
	})
}

func (in tgGroupSetupIn) check(g Guard, risk app.Risk) error {
	f := faults(risk.Problems)
	f.text("title", in.Title, 1, 128)
	f.text("description", in.Description, 1, 255)
	f.text("rules", in.Rules, 1, 2000)
	f.text("pinned", in.Pinned, 1, 2000)
	f.need(len(g.Addresses(in.Pinned)) > 0, "pinned does not hold the official address.")
	return f.err()
}
