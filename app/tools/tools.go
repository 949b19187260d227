// Package tools is what agents can do: one file per tool. A tool that publishes
// only writes a validation; nothing here speaks to the public.
package tools

import (
	"context"

	"vivra/app"
	"vivra/app/agent"
)

// The agents of the product.
const (
	scanner  = "scanner"
	designer = "designer"
	webdev   = "webdev"
	cm       = "cm"
	tgBot    = "tg_bot"
	builder  = "builder"
)

var everyone = []string{scanner, designer, webdev, cm, tgBot, builder}

// Deps is what the tools stand on. Every field is needed.
type Deps struct {
	Files     Files
	Proposals Proposals
	Assets    Assets
	Builds    Builds
	Kits      Kits
	Alerts    Alerts
	Charges   Charges
	Social    Social
	Mentions  Mentions
	History   History
	Polls     Polls
	Activity  Activity
	Chain     Chain
	Trades    Trades
	Market    Market
	Generate  Generate
	Renderer  Renderer
	Runner    Runner

	// Venue says where people meet a token. Settings make it.
	Venue func(app.TokenRef) Venue
	// EIP55 shows an address to people. chain.Checksum does.
	EIP55 func(app.Address) string
	// ImagePrice names the image model and says what one picture of that size
	// costs at most.
	ImagePrice func(ctx context.Context, size string) (model string, price app.Nano, err error)
	// PublicURL is where the product itself is seen, such as https://vivra.example.
	PublicURL string
}

// All is the whole catalogue. The finish tool is the engine's own.
func All(d Deps) []agent.Tool {
	return d.guarded([]agent.Tool{
		ReadFile(d.Files),
		WriteFile(d.Files),
		ChainToken(d.Chain),
		ChainHolders(d.Chain),
		ChainLiquidity(d.Chain),
		ChainTransfers(d.Trades),
		ChainSimulateTrade(d.Trades),
		ChainBurned(d.Chain),
		MarketSnapshot(d.Market),
		MarketChart(d.Market),
		SocialsProfile(d.Social),
		SocialsPosts(d.Social),
		ImageGenerate(d),
		BrandRender(d),
		PollCreate(d),
		PollResults(d.Polls),
		SiteTemplates(),
		SiteFillAndBuild(d),
		SiteCheck(d),
		SitePublish(d),
		XPost(d),
		XThread(d),
		XProfileUpdate(d),
		XReply(d),
		TGGroupSetup(d),
		TGActivity(d.Activity),
		TGAnswer(d),
		UtilityTemplates(),
		UtilityBuildAndTest(d),
		UtilityPublish(d),
		Alert(d.Alerts),
	})
}
