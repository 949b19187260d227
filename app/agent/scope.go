package agent

import "vivra/app"

// ScopeOf is what every call for a step of an operation belongs to. Who makes
// the call, and when, is for the caller to add.
func ScopeOf(op app.Operation, step app.Step, settings app.Settings) Scope {
	return Scope{OperationID: op.ID, Slug: op.Slug, StepID: step.ID, StepKey: step.Key, Task: step.Task, Agent: step.Agent,
		Token: op.Token, XHandle: op.XHandle, TelegramChat: op.TelegramChat, SiteHost: op.SiteHost, LinkHosts: settings.LinkAllowlist, J0: op.J0}
}
