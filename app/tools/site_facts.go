package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/paths"
	"vivra/app/sites"
)

// siteFacts gathers what code knows for a site. The market may be missing: a
// dead token has none to show. The chain may not.
func (d Deps) siteFacts(ctx context.Context, scope agent.Scope) (sites.Facts, error) {
	ref := scope.Token.Ref
	token, err := d.Chain.Token(ctx, ref)
	if err != nil {
		return sites.Facts{}, unreachable("The chain", err)
	}
	holders, err := d.Chain.Holders(ctx, ref)
	if err != nil {
		return sites.Facts{}, unreachable("The chain", err)
	}
	facts := sites.Facts{
		Name: scope.Token.Name, Ticker: scope.Token.Symbol, ChainID: ref.ChainID, Address: d.EIP55(ref.Address),
		Tokenomics: tokenomics(token), Holders: holders.Count, Burned: token.Burned,
		SiteURL: d.scheme() + scope.SiteHost, PublicURL: strings.TrimSuffix(d.PublicURL, "/"),
		Takeover: sites.Takeover{URL: strings.TrimSuffix(d.PublicURL, "/") + paths.Operation(scope.Slug), StartedAt: scope.J0},
	}
	venue := d.Venue(ref)
	facts.Chain, facts.BuyURL, facts.ChartURL, facts.ExplorerURL = venue.Chain, venue.BuyURL, venue.ChartURL, venue.ExplorerURL
	if market, err := d.Market.Snapshot(ctx, ref); err == nil {
		facts.Market = &market
	}
	return facts, nil
}

// scheme is how the token's site is reached: as the product itself is.
func (d Deps) scheme() string {
	scheme, _, _ := strings.Cut(d.PublicURL, "://")
	return scheme + "://"
}

func tokenomics(t app.TokenFacts) []sites.Figure {
	figures := []sites.Figure{{Label: "Total supply", Value: grouped(t.Supply)}}
	if t.Supply > 0 && t.Burned > 0 {
		figures = append(figures, sites.Figure{Label: "Burned", Value: fmt.Sprintf("%s (%.2f %%)", grouped(t.Burned), 100*t.Burned/t.Supply)})
	}
	owner := "renounced"
	if t.Owner != "" {
		owner = "still held" // its address is not shown: a site shows one address only
	}
	return append(figures, sites.Figure{Label: "Ownership", Value: owner})
}

// grouped writes a whole number with commas.
func grouped(v float64) string {
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// kit is what the designer made, as it was approved; empty when there is none.
func (d Deps) kit(ctx context.Context, scope agent.Scope) (Kit, error) {
	kit, err := d.Kits.Kit(ctx, scope.OperationID)
	switch {
	case err != nil && app.KindOf(err) == app.NotFound:
		return Kit{}, nil
	case err != nil:
		return Kit{}, fmt.Errorf("read the kit: %w", err)
	}
	return kit, nil
}

// siteKit loads the kit's pictures. A token without a kit gets a neutral site.
func (d Deps) siteKit(ctx context.Context, scope agent.Scope) (loaded sites.Kit, err error) {
	kit, err := d.kit(ctx, scope)
	if err != nil {
		return loaded, err
	}
	loaded.Palette = kit.Palette
	for _, picture := range []struct {
		sum  string
		into *[]byte
	}{{kit.Logo, &loaded.Logo}, {kit.OG, &loaded.OG}, {kit.Favicon, &loaded.Favicon}} {
		if picture.sum == "" {
			continue
		}
		if *picture.into, _, err = d.load(ctx, scope, picture.sum); err != nil {
			return loaded, err
		}
	}
	return loaded, nil
}
