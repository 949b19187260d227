package tools

import (
	"context"
	"fmt"
	"regexp"

	"vivra/app"
	"vivra/app/agent"
)

type xMentionsIn struct {
	SinceID *string `json:"since_id" jsonschema:"only posts newer than this one; null for the newest"`
	Max     int     `json:"max" jsonschema:"how many posts, 1 to 50"`
}

type xMentionsOut struct {
	Mentions []app.Post `json:"mentions"`
}

var idPattern = regexp.MustCompile(`^[0-9]{1,19}$`)

// XMentions lets an agent read who named the operation's account.
func XMentions(social Social) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "x_mentions",
		Description: "Read posts on X that mention the operation's account.",
		Agents:      []string{cm},
		Risk:        agent.Read,
		Source:      "x",
	}, func(ctx context.Context, scope agent.Scope, in xMentionsIn) (xMentionsOut, error) {
		var since string
		if in.SinceID != nil {
			since = *in.SinceID
		}
		var f faults
		f.between("max", in.Max, 1, 50)
		f.need(since == "" || idPattern.MatchString(since), "since_id is not the id of a post.")
		if err := f.err(); err != nil {
			return xMentionsOut{}, err
		}
		mentions, err := social.Mentions(ctx, scope.OperationID, since, in.Max)
		if err != nil {
			return xMentionsOut{}, fmt.Errorf("read mentions: %w", err)
		}
		return xMentionsOut{Mentions: list(mentions)}, nil
	})
}
