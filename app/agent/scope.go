package agent

import (
	"encoding/json"

	"vivra/app"
)

// ScopeOf is what every call for a step of an operation belongs to. Who makes
// the call, and when, is for the caller to add.
func ScopeOf(op app.Operation, step app.Step, settings app.Settings) Scope {
	return Scope{OperationID: op.ID, Slug: op.Slug, StepID: step.ID, StepKey: step.Key, Task: step.Task, Agent: step.Agent,
		Token: op.Token, XHandle: op.XHandle, TelegramChat: op.TelegramChat, SiteHost: op.SiteHost, LinkHosts: settings.LinkAllowlist, Banned: settings.BannedPhrases, Code: codeOf(step), J0: op.J0}
}

// codeOf is the one-time code that the step was given.
func codeOf(step app.Step) string {
	var input struct {
		Code string `json:"code"`
	}
	if step.Task != "cm.verification_post" || json.Unmarshal(step.Input, &input) != nil {
		return ""
	}
	return input.Code
}
