package tools

import (
	"context"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
)

type pollTallies struct {
	X        []int `json:"x"`
	Telegram []int `json:"telegram"`
}

type pollResultsOut struct {
	PollID  string      `json:"poll_id"`
	Closed  bool        `json:"closed"`
	Tallies pollTallies `json:"tallies"` // null is a channel without the poll
	// Winner is the option's index, null when only the team can decide.
	Winner    *int   `json:"winner"`
	DecidedBy string `json:"decided_by"` // votes, x_votes or team
	// Provisional: the poll is still open, or one channel could not be read.
	Provisional bool `json:"provisional"`
}

// PollResults lets an agent read the poll. Code counts and decides.
func PollResults(polls Polls) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "poll_results",
		Description: "Read the votes of the operation's poll on both channels, and who won: votes are added, a tie goes to the option with more votes on X, and what is still tied is for the team.",
		Agents:      []string{designer},
		Risk:        agent.Read,
	}, func(ctx context.Context, scope agent.Scope, _ struct{}) (pollResultsOut, error) {
		record, x, telegram, err := polls.PollTallies(ctx, scope)
		switch {
		case err != nil && app.KindOf(err) == app.NotFound:
			return pollResultsOut{}, app.Errorf(app.NotFound, "The poll has not been published yet.")
		case err != nil:
			return pollResultsOut{}, unreachable("The poll", err)
		case x == nil && telegram == nil:
			return pollResultsOut{}, unreachable("The poll", fmt.Errorf("no channel of poll %q could be read", record.Question))
		}
		return resultsOf(record, x, telegram), nil
	})
}

func resultsOf(record app.PollRecord, x, telegram *app.PollResult) pollResultsOut {
	out := pollResultsOut{PollID: record.XPostID, Closed: true}
	out.Tallies.X, out.Tallies.Telegram = []int{}, []int{} // empty: the channel has no poll
	if out.PollID == "" {
		out.PollID = record.TelegramPollID
	}
	missing := x == nil && record.XPostID != "" || telegram == nil && record.TelegramPollID != ""
	if x != nil {
		out.Tallies.X, out.Closed = x.Votes, x.Closed
	}
	if telegram != nil {
		out.Tallies.Telegram, out.Closed = telegram.Votes, out.Closed && telegram.Closed
	}
	out.Winner, out.DecidedBy = Winner(out.Tallies.X, out.Tallies.Telegram)
	out.Provisional = missing || !out.Closed
	return out
}
