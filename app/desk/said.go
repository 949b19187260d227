package desk

import (
	"context"

	"vivra/app"
	"vivra/app/agent"
)

// Said returns what the account of an operation has said, and what waits to be
// said, without what the step of s says itself.
func (d *Desk) Said(ctx context.Context, s agent.Scope) ([]app.Said, error) {
	if s.XHandle == "" {
		return nil, nil
	}
	return d.Store.Said(ctx, s.XHandle, s.StepID, d.Clock.Now())
}
