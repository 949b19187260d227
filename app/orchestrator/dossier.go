package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/chain"
	"vivra/app/dossier"
	"vivra/app/paths"
	"vivra/app/postgres"
	"vivra/app/scoring"
	"vivra/app/tools"
)

// dossier fills the takeover forms of all venues from what is known; a gap is
// shown as one. A person submits the forms by hand.
func (o *Orchestrator) dossier(ctx context.Context, c app.Claim, op app.Operation, step app.Step) error {
	var known dossier.Known
	err := o.holding(ctx, c, func(held context.Context) (err error) {
		known, err = o.known(held, op)
		return err
	})
	if err != nil {
		return fmt.Errorf("assemble the dossier: %w", err)
	}
	settings, err := o.Store.Settings(ctx)
	if err != nil {
		return err
	}
	payload := dossier.Assemble(known)
	risk, err := tools.Recheck(agent.ScopeOf(op, step, settings), o.Desk.PublicURL, payload, nil)
	if err != nil {
		return err
	}
	risk.Effect = "Nothing is sent: you submit the forms by hand, then say here what became of each. The receipts' links become public."
	return o.Store.AwaitPerson(ctx, c, postgres.Proposal{Kind: app.KindDossier, Payload: payload, Risk: risk}, o.Clock.Now())
}

// known is what the database and the chain say of a takeover.
func (o *Orchestrator) known(ctx context.Context, op app.Operation) (k dossier.Known, err error) {
	ref := op.Token.Ref
	k = dossier.Known{Op: op, Address: chain.Checksum(ref.Address), LivePage: o.LivePage(op.Slug), Code: o.code(op),
		Media: func(sha string) string { return o.Desk.PublicURL + paths.OperationMedia(op.Slug, sha) }}
	if o.Venue != nil {
		v := o.Venue(ref)
		k.Chain, k.Explorer = v.Chain, v.ExplorerURL
	}
	o.readChain(ctx, ref, &k)
	if k.Published, err = o.Store.Publications(ctx, op.ID); err != nil {
		return k, err
	}
	if _, k.Site, err = o.Store.Site(ctx, op.ID); err != nil && app.KindOf(err) != app.NotFound {
		return k, err
	}
	return k, o.recall(ctx, op, &k)
}

// readChain asks the chain; what it can't say is unknown.
func (o *Orchestrator) readChain(ctx context.Context, ref app.TokenRef, k *dossier.Known) {
	k.ReadAt = o.Clock.Now()
	k.Token = known(o.Chain.Token(ctx, ref))
	k.Holders = known(o.Chain.Holders(ctx, ref))
	k.Liquidity = known(o.Chain.Liquidity(ctx, ref))
	if o.Launches != nil {
		k.Launch = known(o.Launches.Launch(ctx, ref))
	}
}

// recall adds what the report read and said. A model's words count once they
// were approved with the go or no-go, as the checks that were decided on do.
func (o *Orchestrator) recall(ctx context.Context, op app.Operation, k *dossier.Known) error {
	steps, err := o.Store.Steps(ctx, op.ID)
	if err != nil {
		return err
	}
	done := func(key string) (app.Step, bool) {
		i := slices.IndexFunc(steps, func(s app.Step) bool { return s.Key == key && s.State == app.StepDone })
		if i < 0 {
			return app.Step{}, false
		}
		return steps[i], true
	}
	report, reported := done("scanner.full_report")
	decision, approved := done("scanner.go_nogo")
	if reported {
		if err := recallReading(report.Input, k); err != nil {
			return err
		}
	}
	if !approved {
		return nil
	}
	var decided struct {
		Checks []scoring.Check `json:"checks"`
	}
	if err := read(decision.Input, &decided); err != nil {
		return err
	}
	k.Checks = decided.Checks
	if decision.FinishedAt != nil {
		k.DecidedAt = *decision.FinishedAt
	}
	var said struct {
		Why string `json:"why_it_died"`
	}
	if reported {
		err = read(report.Output, &said)
	}
	k.Why = said.Why
	return err
}

// recallReading is the trading as it was before the takeover.
func recallReading(input json.RawMessage, k *dossier.Known) error {
	var before struct {
		Metrics app.Metrics       `json:"baseline_metrics"`
		Week    *app.Transactions `json:"baseline_week"`
	}
	err := read(input, &before)
	k.Week, k.WeekAt = before.Week, before.Metrics.At
	return err
}

// read decodes what a step was given or has said; nothing says nothing.
func read(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("read what a step kept: %w", err)
	}
	return nil
}
