package tools

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"vivra/app"
	"vivra/app/agent"
)

type socialsProfileIn struct {
	Handle *string `json:"handle" jsonschema:"the account's name on X without @; null for the operation's own account"`
}

type socialsProfileOut struct {
	Found   bool         `json:"found"`
	Profile *app.Profile `json:"profile"`
}

// SocialsProfile lets an agent read an account on X. An account that does not
// exist is an answer, not a failure: dead tokens often have none.
func SocialsProfile(social Social) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "socials_profile",
		Description: "Read an account on X: name, bio, link, picture, followers. found is false when there is no such account.",
		Agents:      []string{scanner, cm},
		Risk:        agent.Read,
		Source:      "x",
	}, func(ctx context.Context, scope agent.Scope, in socialsProfileIn) (socialsProfileOut, error) {
		handle, err := handleOf(scope, in.Handle)
		if err != nil {
			return socialsProfileOut{}, err
		}
		profile, err := social.Profile(ctx, scope, handle)
		switch {
		case err != nil && app.KindOf(err) == app.NotFound:
			return socialsProfileOut{}, nil
		case err != nil:
			return socialsProfileOut{}, fmt.Errorf("read the profile of @%s: %w", handle, err)
		}
		return socialsProfileOut{Found: true, Profile: &profile}, nil
	})
}

var handlePattern = regexp.MustCompile(`^[A-Za-z0-9_]{1,15}$`)

// handleOf is the account that a tool is asked about, by default the operation's.
func handleOf(scope agent.Scope, given *string) (string, error) {
	handle := scope.XHandle
	if given != nil {
		handle = strings.TrimPrefix(strings.TrimSpace(*given), "@")
	}
	switch {
	case handle == "":
		return "", app.Errorf(app.Conflict, "This operation has no account on X yet: name a handle.")
	case !handlePattern.MatchString(handle):
		return "", app.Errorf(app.Invalid, "That is not a handle: 1 to 15 letters, digits or underscores.")
	}
	return handle, nil
}
