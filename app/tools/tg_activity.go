package tools

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/agent"
)

type tgActivityIn struct {
	Days int `json:"days" jsonschema:"how many days back from now, 1 to 30"`
}

type tgActivityOut struct {
	Members  []app.MemberActivity `json:"members"`
	Messages int                  `json:"messages"`
	Days     int                  `json:"days"`
}

// TGActivity lets an agent see what code counted of the group's members.
func TGActivity(activity Activity) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "tg_activity",
		Description: "Read what each member of the Telegram group did over the last days: days active, messages, answers to others' questions, violations.",
		Agents:      []string{tgBot},
		Risk:        agent.Read,
		Source:      "telegram", // members choose their names
	}, func(ctx context.Context, scope agent.Scope, in tgActivityIn) (tgActivityOut, error) {
		var f faults
		f.between("days", in.Days, 1, 30)
		if err := f.err(); err != nil {
			return tgActivityOut{}, err
		}
		if scope.TelegramChat == 0 {
			return tgActivityOut{}, errNoGroup
		}
		since := scope.Now.Add(-time.Duration(in.Days) * 24 * time.Hour)
		members, messages, err := activity.Members(ctx, scope.TelegramChat, since, scope.Now)
		if err != nil {
			return tgActivityOut{}, fmt.Errorf("count the group's activity: %w", err)
		}
		return tgActivityOut{Members: list(members), Messages: messages, Days: in.Days}, nil
	})
}

var errNoGroup = app.Errorf(app.Conflict, "This operation has no Telegram group yet.")
