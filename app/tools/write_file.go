package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
)

// maxSection is how many bytes a section may have.
const maxSection = 64_000

type writeFileIn struct {
	Content string `json:"content" jsonschema:"the whole new content of your section: one JSON object, written as a string, at most 64 kB"`
}

type writeFileOut struct {
	Section string `json:"section"`
	Version int    `json:"version"`
}

// WriteFile lets an agent write a new version of its own section.
func WriteFile(files Files) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "write_file",
		Description: "Write a new version of your own section of the token file. Its keys replace those of the same name, the others stay; older versions are kept. Names with a dot are the outputs of tasks and not yours to write.",
		Agents:      everyone,
		Risk:        agent.Write,
	}, func(ctx context.Context, scope agent.Scope, in writeFileIn) (writeFileOut, error) {
		if len(in.Content) > maxSection {
			return writeFileOut{}, app.Errorf(app.Invalid, "content has %d bytes: at most %d.", len(in.Content), maxSection)
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(in.Content), &object); err != nil || object == nil {
			return writeFileOut{}, app.Errorf(app.Invalid, "content is not a JSON object.")
		}
		section := app.SectionOf(scope.Agent, scope.Task)
		version, err := files.WriteFile(ctx, scope, section, json.RawMessage(in.Content))
		if err != nil {
			return writeFileOut{}, fmt.Errorf("write section %s: %w", section, err)
		}
		return writeFileOut{Section: section, Version: version}, nil
	})
}
