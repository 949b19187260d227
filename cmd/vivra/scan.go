package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/scan"
	"vivra/app/scoring"
)

type scanCommand struct {
	Address string `arg:"" help:"The token's address on the chain that VIVRA_CHAIN names."`
	JSON    bool   `help:"Answer in JSON." name:"json"`
}

// Run shows what the checks find of a token. It ends with 1 when one forbids a
// takeover, and with 2 when there is no token at that address.
func (c scanCommand) Run(ctx context.Context, s surroundings) error {
	r, err := c.scan(ctx, s)
	if err != nil {
		return s.toldInJSON(c.JSON, err)
	}
	if c.JSON {
		err = json.NewEncoder(s.out).Encode(r)
	} else {
		err = c.tell(s, r)
	}
	if err == nil && r.Decision == scoring.NoGo {
		return doesNotHold{errors.New("It may not be taken over.")}
	}
	return err
}

func (c scanCommand) scan(ctx context.Context, s surroundings) (scan.Result, error) {
	e, faults := parse(s.getenv)
	if len(faults) > 0 {
		return scan.Result{}, misconfigured(faults)
	}
	r, err := boot.Scan(ctx, e.config(nil), c.Address)
	var known *app.Error
	switch {
	case errors.As(err, &known) && known.Kind == app.Invalid:
		return r, misuse{err}
	case errors.As(err, &known):
		return r, doesNotHold{err}
	}
	return r, err
}

func (c scanCommand) tell(s surroundings, r scan.Result) error {
	out := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s (%s), %s on chain %d, read at block %d\n", printable(r.Token.Name), printable(r.Token.Symbol), r.Token.Address, r.Token.ChainID, r.Token.Block)
	fmt.Fprintf(out, "%s: %s\nDead by the rule: %s\n\n", strings.ReplaceAll(string(r.Decision), "_", "-"), r.Sentence, r.Dead)
	for _, check := range r.Checks {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s, read by %s\n", check.Status, check.Label, check.Value, check.Rule, check.Source)
	}
	fmt.Fprintf(out, "\nScore %d of 100\n", r.Score)
	for _, part := range r.Parts {
		fmt.Fprintf(out, "%d of %d\t%s\t%s\n", part.Points, part.Max, part.Label, part.Value)
	}
	for _, gap := range r.Gaps {
		fmt.Fprintf(out, "\nCould not read %s: %s", gap.Of, gap.Why)
	}
	if r.Partial {
		fmt.Fprintln(out, "\nThis report is partial. Run it again to have it whole.")
	}
	return out.Flush()
}
