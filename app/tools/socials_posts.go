package tools

import (
	"context"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
)

type socialsPostsIn struct {
	Handle *string `json:"handle" jsonschema:"the account's name on X without @; null for the operation's own account"`
	Max    int     `json:"max" jsonschema:"how many posts, 1 to 50"`
}

type socialsPostsOut struct {
	Posts []app.Post `json:"posts"`
}

// SocialsPosts lets an agent read what an account on X posted.
func SocialsPosts(social Social) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "socials_posts",
		Description: "Read the newest posts of an account on X.",
		Agents:      []string{scanner},
		Risk:        agent.Read,
		Source:      "x",
	}, func(ctx context.Context, scope agent.Scope, in socialsPostsIn) (socialsPostsOut, error) {
		var f faults
		f.between("max", in.Max, 1, 50)
		if err := f.err(); err != nil {
			return socialsPostsOut{}, err
		}
		handle, err := handleOf(scope, in.Handle)
		if err != nil {
			return socialsPostsOut{}, err
		}
		posts, err := social.Posts(ctx, scope, handle, in.Max)
		if err != nil {
			return socialsPostsOut{}, fmt.Errorf("read the posts of @%s: %w", handle, err)
		}
		return socialsPostsOut{Posts: list(posts)}, nil
	})
}
