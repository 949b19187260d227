package dossier

import (
	"fmt"
	"strings"

	"vivra/app"
	"vivra/app/scoring"
)

// evidence is what shows that the token was left, and who stayed.
func (k Known) evidence() []app.DossierField {
	holders := app.DossierField{Key: "holders", Label: "Holders", Missing: unread, Fixed: true}
	if h := k.Holders; h != nil {
		holders.Value = fmt.Sprintf("%d, of whom %d never sold", h.Count, h.NeverSold)
		holders.Source, holders.At = block(h.Block), instant(k.ReadAt)
	}
	return []app.DossierField{
		{Key: "why", Label: "Why the token was left", Value: k.Why, Source: "the report, approved with the go or no-go", At: instant(k.DecidedAt), Long: true,
			Missing: "No approved words: they come with scanner.go_nogo. Or you."},
		k.deployer(), k.feeRecipient(), k.devShare(), k.devLast(), k.trading(), k.checks(), holders,
	}
}

func (k Known) deployer() app.DossierField {
	f := app.DossierField{Key: "deployer", Label: "Deployer", Missing: unread, Fixed: true, Account: true}
	if k.Token != nil {
		f.Value, f.Source, f.At = k.Token.Deployer, block(k.Token.Block), instant(k.ReadAt)
		f.Missing = "The chain does not tell. You: from the explorer."
	}
	return f
}

func (k Known) feeRecipient() app.DossierField {
	f := app.DossierField{Key: "fee_recipient", Label: "Fee recipient", Missing: unread, Fixed: true, Account: true}
	if l := k.Launch; l != nil {
		f.Value, f.Source, f.At = l.FeeRecipient, "the launchpad's own record, "+block(l.Block), instant(k.ReadAt)
		f.Missing = "No launchpad that was read keeps one. You: from the launchpad, if it pays fees."
		if l.FeeRecipient == "" && l.Launchpad != "" {
			f.Value, f.Source = l.Deployer, "the launchpad redirects no fees, so the deployer gets them; "+block(l.Block)
		}
	}
	return f
}

// devShare is a check's value: what the deployer, the fee recipient and their
// wallets held when the decision was prepared.
func (k Known) devShare() app.DossierField {
	f := app.DossierField{Key: "dev_share", Label: "Held by deployer and fee recipient", Missing: "The check could not be made. You: from the explorer.", Fixed: true}
	for _, c := range k.Checks {
		if c.ID == "deployer_share" && c.Status != scoring.Unknown {
			f.Value, f.Source, f.At = c.Value+" of the circulating supply", "check deployer_share of the go or no-go", instant(k.DecidedAt)
		}
	}
	return f
}

func (k Known) devLast() app.DossierField {
	f := app.DossierField{Key: "dev_last", Label: "Deployer or fee recipient last moved tokens", Missing: "The check could not be made. You: from the explorer.", Fixed: true}
	if w := k.Week; w != nil && k.Token != nil && k.Token.Deployer != "" {
		f.Value = "Never"
		if w.DeployerLastAt != nil {
			f.Value = day(*w.DeployerLastAt, k.WeekAt)
		}
		f.Source, f.At = "the report's reading of "+block(w.Block), instant(k.WeekAt)
	}
	return f
}

func (k Known) trading() app.DossierField {
	f := app.DossierField{Key: "trading", Label: "Trading before the takeover", Missing: "The trades could not be read. You: from the exchange.", Fixed: true}
	if w := k.Week; w != nil {
		f.Value = fmt.Sprintf("%s worth $%.2f in %s. ", app.Count(w.Trades, "trade", "trades"), w.VolumeUSD, app.Count(w.Days, "day", "days"))
		if w.LastTradeAt != nil {
			f.Value += "Last trade " + day(*w.LastTradeAt, k.WeekAt) + "."
		} else {
			f.Value += "No trade ever."
		}
		f.Source, f.At = "the report's reading of "+block(w.Block), instant(k.WeekAt)
	}
	return f
}

func (k Known) checks() app.DossierField {
	f := app.DossierField{Key: "checks", Label: "Checks by code", Missing: "No check was kept: they come with scanner.go_nogo.", Fixed: true}
	var lines []string
	for _, c := range k.Checks {
		if c.Status != scoring.Unknown {
			lines = append(lines, c.Label+": "+c.Value)
		}
	}
	if len(lines) > 0 {
		f.Value, f.Source, f.At = strings.Join(lines, "\n"), "the checks of the go or no-go", instant(k.DecidedAt)
	}
	return f
}

// byHand is what only people know.
func byHand() []app.DossierField {
	ask := func(key, label, missing string) app.DossierField {
		return app.DossierField{Key: key, Label: label, Missing: "You: " + missing}
	}
	tell := func(key, label, missing string) app.DossierField {
		f := ask(key, label, missing)
		f.Long = true
		return f
	}
	account := func(key, label, missing string) app.DossierField {
		f := ask(key, label, missing)
		f.Account = true
		return f
	}
	return []app.DossierField{
		ask("dev_post", "Last post of the former team", "link and date, from their channels."),
		tell("misconduct", "Misconduct of the former team", "what they did against holders, with links, if anything."),
		tell("community", "Proof that the community backs this", "a poll, an announcement or a thread, with its link."),
		account("wallet", "Wallet of the claimant", "the wallet that signs or pays for the community."),
		ask("wallet_share", "Share that this wallet holds", "in percent of the supply, with the block."),
		account("new_recipient", "New fee recipient", "the wallet that the community agreed on, best a multisig."),
		ask("site_proof", "Proof that the website is ours", "a file or a DNS record, if the form wants one."),
		ask("announcement", "Announcement in the old channels", "its link, if anyone can still post there."),
		tell("disputes", "Disputes over the takeover", "who else claims the token, or none."),
		ask("email", "Contact e-mail", "one that is read."),
	}
}
