package desk

import (
	"context"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/edits"
	"vivra/app/tools"
)

// EditValidation puts a person's words in place of an agent's, by the names of
// edits.Fields: a new draft, held to the rules that the agent's own was held to.
func (d *Desk) EditValidation(ctx context.Context, c app.Choice, values map[string]string, by app.User) (app.Validation, error) {
	v, err := d.Store.Editable(ctx, c, by)
	if err != nil {
		return v, err
	}
	payload, err := edits.Apply(v.Kind, v.Payload, values)
	if err != nil {
		return v, err
	}
	scope, err := d.scopeOf(ctx, v)
	if err != nil {
		return v, err
	}
	said, err := d.Said(ctx, scope)
	if err != nil {
		return v, err
	}
	risk, err := tools.Recheck(scope, d.PublicURL, payload, said)
	if err != nil {
		return v, err
	}
	if risk.Effect == "" { // no tool proposes it
		risk.Effect = v.Risk.Effect
	}
	return d.Store.SaveEdit(ctx, c, payload, risk, by, d.Clock.Now())
}

// scopeOf is where a draft belongs, as the run that wrote it knew it, by the
// operation and the settings as they are now.
func (d *Desk) scopeOf(ctx context.Context, v app.Validation) (agent.Scope, error) {
	op, err := d.Store.Operation(ctx, v.OperationID)
	if err != nil {
		return agent.Scope{}, err
	}
	step, err := d.Store.Step(ctx, v.StepID)
	if err != nil {
		return agent.Scope{}, err
	}
	settings, err := d.Store.Settings(ctx)
	scope := agent.ScopeOf(op, step, settings)
	scope.Now = d.Clock.Now()
	return scope, err
}
