package tools

import (
	"context"

	"vivra/app/agent"
	"vivra/app/utilities"
)

type utilityTemplate struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	Publishes    string `json:"publishes"`
	ConfigSchema any    `json:"config_schema"` // JSON Schema of config
}

type utilityTemplatesOut struct {
	Templates []utilityTemplate `json:"templates"`
}

// UtilityTemplates lets an agent see what it could make for the community.
func UtilityTemplates() agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "utility_templates",
		Description: "List the utility templates: what each is, what it publishes, and the JSON Schema of its config.",
		Agents:      []string{builder},
		Risk:        agent.Read,
	}, func(context.Context, agent.Scope, struct{}) (utilityTemplatesOut, error) {
		out := utilityTemplatesOut{Templates: []utilityTemplate{}}
		for _, t := range utilities.Templates() {
			out.Templates = append(out.Templates, utilityTemplate{t.Name, t.Description, t.Publishes, t.Config})
		}
		return out, nil
	})
}
