package tools

import (
	"context"
	"fmt"
	"regexp"

	"vivra/app/agent"
	"vivra/app/untrusted"
)

type alertIn struct {
	Kind    string `json:"kind" jsonschema:"what it is about, a short word such as impersonation or no_data: a-z and underscores, at most 40"`
	Message string `json:"message" jsonschema:"what the team should know and do, at most 500 characters"`
}

type alertOut struct {
	Raised bool `json:"raised"`
}

var alertKind = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)

// Alert lets an agent call a person.
func Alert(alerts Alerts) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "alert",
		Description: "Tell the team about something a person should look at. It is not public.",
		Agents:      everyone,
		Risk:        agent.Write,
	}, func(ctx context.Context, scope agent.Scope, in alertIn) (alertOut, error) {
		var f faults
		f.need(alertKind.MatchString(in.Kind), "kind must be a-z and underscores, at most 40 characters.")
		f.text("message", in.Message, 1, 500)
		if err := f.err(); err != nil {
			return alertOut{}, err
		}
		// The message may quote what somebody outside wrote.
		if err := alerts.RaiseAlert(ctx, scope, in.Kind, untrusted.Quote(in.Message, 500)); err != nil {
			return alertOut{}, fmt.Errorf("raise alert: %w", err)
		}
		return alertOut{Raised: true}, nil
	})
}
