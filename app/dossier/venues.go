package dossier

import "vivra/app"

// compiled is when what is said of the venues was compiled. A form may have
// changed since.
const compiled = "30 November 2026"

// robinhood is the chain that pons launches on.
const robinhood = 4663

// venue is a form and why it does not fit a token, "" when it does.
type venue struct {
	app.DossierVenue
	unfit func(Known) string
}

func always(Known) string { return "" }

func never(why string) func(Known) string { return func(Known) string { return why } }

// byPons is for tokens that a factory of the pons kind has. On its own chain the
// others may be of a factory that is not read: the form shows that as a gap.
func byPons(k Known) string {
	if k.Op.Token.Ref.ChainID == robinhood || k.Launch != nil && k.Launch.Launchpad != "" {
		return ""
	}
	return "It takes only tokens it launched, on Robinhood Chain (4663)."
}

var venues = []venue{
	{app.DossierVenue{
		Key: "pons", Name: "pons", URL: "https://forms.gle/JjrWvybFeNfE5v8F6", Price: "Free: pons asks for no payment.",
		Conditions: []string{
			"A Google form that the pons team reads. Its questions are not published: below is all that such forms ask for.",
			"The creator has clearly left, and an active community asks for control.",
			"It changes who gets the creator's fees and the token's socials. Of a v1 token only the deployer can redirect the fees: there it changes the socials.",
		},
		Fields: []string{
			"address", "chain", "name", "ticker", "launchpad", "x_handle", "x_link", "telegram", "website", "live_page", "proof", "code",
			"why", "deployer", "fee_recipient", "dev_share", "dev_last", "trading", "dev_post", "checks", "misconduct", "holders", "community",
			"wallet", "wallet_share", "new_recipient", "site_proof", "announcement", "disputes", "email",
		},
	}, byPons},
	{app.DossierVenue{
		Key: "dexscreener", Name: "DexScreener", URL: "https://marketplace.dexscreener.com/product/token-community-takeover", Price: "$199 (list price $499).",
		Conditions: []string{
			"The token needs a profile already (Enhanced Token Info, $299).",
			"It replaces icon, header, description and links. What counts as proof is not published.",
		},
		Fields: []string{
			"address", "chain", "pool", "logo", "banner", "description", "website", "x_link", "telegram", "proof", "live_page",
			"why", "dev_last", "trading", "checks", "announcement", "email",
		},
	}, always},
	{app.DossierVenue{
		Key: "coingecko", Name: "CoinGecko", URL: "https://support.coingecko.com/hc/en-us/articles/35172399463065", Price: "No price is known.",
		Conditions: []string{
			"Sign in, then Request Form, Update Coin or Token Info, Community Takeover (CTO). The token must be listed already.",
			"A verification post on the new account is required: give its link.",
			"Fill in only what is to change.",
		},
		Fields: []string{
			"address", "chain", "explorer", "name", "ticker", "description", "website", "x_handle", "x_link", "telegram", "logo",
			"proof", "code", "why", "deployer", "dev_share", "dev_last", "trading", "dev_post", "checks", "misconduct", "holders", "community", "live_page", "email",
		},
	}, always},
	{app.DossierVenue{Name: "pons Migration"}, never("Who may open one, and how, is not published.")},
	{app.DossierVenue{Name: "Moonit"}, never("It takes only tokens it launched on Solana.")},
	{app.DossierVenue{Name: "Snek.fun"}, never("It takes only tokens it launched on Cardano.")},
	{app.DossierVenue{Name: "pump.fun"}, never("It takes only tokens it launched on Solana.")},
	{app.DossierVenue{Name: "Gochu"}, never("It takes only tokens it launched, and nothing says that it launched this one.")},
	{app.DossierVenue{Name: "GMGN"}, never("It shows takeovers, but no form of its own is known.")},
}
