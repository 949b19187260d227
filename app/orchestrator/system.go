package orchestrator

import (
	"context"
	"fmt"

	"vivra/app"
	"vivra/app/postgres"
)

// system carries out a step of the calendar that no agent has.
func (o *Orchestrator) system(ctx context.Context, c app.Claim, op app.Operation, step app.Step) error {
	var err error
	switch step.Task {
	case "buyback.start":
		err = o.Store.RequestBuyback(ctx, c, o.Clock.Now())
	case "cto.dossier":
		err = o.dossier(ctx, c, op, step)
	case "handover":
		err = o.handover(ctx, c, op)
	default:
		err = fmt.Errorf("there is no system step %q", step.Task)
	}
	if err != nil {
		return o.failed(ctx, c, err)
	}
	return nil
}

// handover is the list that a person signs off at the end.
func (o *Orchestrator) handover(ctx context.Context, c app.Claim, op app.Operation) error {
	items := []string{
		"The community's moderators have been named and can moderate without us.",
		"The account @" + op.XHandle + " and the site " + op.SiteHost + " have an owner who agreed.",
		"Every alert of this operation is acknowledged.",
		"The public log was exported and its last hash noted.",
		"The spending of " + op.Spent.String() + " under a cap of " + op.Cap.String() + " was checked.",
	}
	return o.Store.AwaitPerson(ctx, c, postgres.Proposal{Kind: app.KindHandover, Payload: app.HandoverPayload{Items: items},
		Risk: app.Risk{Effect: "Completes the operation. Nothing more is started or published."}}, o.Clock.Now())
}
