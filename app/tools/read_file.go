package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vivra/app"
	"vivra/app/agent"
)

// sections are the parts of a token file.
var sections = []string{"scan", "verdict", "identity", "site", "x", "telegram", "utility"}

type readFileIn struct {
	Section string `json:"section" jsonschema:"scan, verdict, identity, site, x, telegram or utility"`
}

type readFileOut struct {
	Section string `json:"section"`
	Version int    `json:"version"`
	Content any    `json:"content"`
}

// ReadFile lets an agent read one section of the token file.
func ReadFile(files Files) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "read_file",
		Description: "Read the newest version of one section of the token file. Version 0 means that nothing was written yet.",
		Agents:      everyone,
		Risk:        agent.Read,
		Source:      "token_file", // sections quote names, bios and posts
	}, func(ctx context.Context, scope agent.Scope, in readFileIn) (readFileOut, error) {
		if !slices.Contains(sections, in.Section) {
			return readFileOut{}, app.Errorf(app.Invalid, "There is no section of that name. There are: %s.", strings.Join(sections, ", "))
		}
		content, version, err := files.ReadFile(ctx, scope.Token.ID, in.Section)
		if err != nil {
			return readFileOut{}, fmt.Errorf("read section %s: %w", in.Section, err)
		}
		return readFileOut{Section: in.Section, Version: version, Content: content}, nil
	})
}
