package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"vivra/app"
	"vivra/app/chain"
	"vivra/app/postgres"
)

// system carries out a step of the calendar that no agent has.
func (o *Orchestrator) system(ctx context.Context, c app.Claim, op app.Operation, step app.Step) error {
	var err error
	switch step.Task {
	case "buyback.start":
		err = o.Store.RequestBuyback(ctx, c, o.Clock.Now())
	case "cto.dossier":
		err = o.dossier(ctx, c, op)
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

// dossier fills the fields of a takeover form from what is known; a gap is
// shown as one. A person submits the form by hand.
func (o *Orchestrator) dossier(ctx context.Context, c app.Claim, op app.Operation) error {
	report, err := o.Store.DoneOutput(ctx, op.ID, "scanner.full_report")
	if err != nil {
		return err
	}
	var said struct {
		Why string `json:"why_it_died"`
	}
	if err := json.Unmarshal(report, &said); err != nil {
		return fmt.Errorf("read report: %w", err)
	}
	proof, err := o.proofLink(ctx, op)
	if err != nil {
		return err
	}
	fields := []app.DossierField{
		{Label: "Token address", Value: chain.Checksum(op.Token.Ref.Address), Source: "database"},
		{Label: "Chain id", Value: strconv.FormatInt(op.Token.Ref.ChainID, 10), Source: "database"},
		{Label: "Token name", Value: op.Token.Name, Source: "chain"},
		{Label: "Ticker", Value: op.Token.Symbol, Source: "chain"},
		{Label: "Account on X", Value: "@" + op.XHandle, Source: "operation"},
		{Label: "Proof post", Value: proof, Source: "publication of cm.verification_post"},
		{Label: "Public record", Value: o.LivePage(op.Slug), Source: "operation"},
		{Label: "Why the token was left", Value: said.Why, Source: "approved report"},
		{Label: "Website", Value: "", Source: "not published yet"},
		{Label: "Contact e-mail", Value: "", Source: "to be filled by the person who submits"},
	}
	return o.Store.AwaitPerson(ctx, c, postgres.Proposal{Kind: app.KindDossier, Payload: app.DossierPayload{Venue: "Takeover form", Fields: fields},
		Risk: app.Risk{Effect: "Nothing is sent: you submit the form by hand, then enter the receipt's address here."}}, o.Clock.Now())
}

func (o *Orchestrator) proofLink(ctx context.Context, op app.Operation) (string, error) {
	published, err := o.Store.Publications(ctx, op.ID)
	if err != nil {
		return "", err
	}
	for _, p := range published {
		if p.StepKey == "cm.verification_post" && len(p.Links) > 0 {
			return p.Links[0], nil
		}
	}
	return "", nil
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
