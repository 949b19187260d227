package web_test

import (
	"encoding/json"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/dossier"
	"vivra/app/scoring"
)

// forms are a dossier as it is assembled, with values that are long or hostile.
func forms() app.DossierPayload {
	address, err := app.ParseAddress(official)
	if err != nil {
		panic(err)
	}
	last := j0.AddDate(0, 0, -61)
	post := app.Publication{StepKey: "cm.verification_post", Kind: app.KindPost, Payload: must(app.PostPayload{Text: "V7K2"}), PublishedAt: j0.Add(3 * time.Hour), Links: []string{"https://x.com/dodo_back/status/1"}}
	group := app.Publication{StepKey: "tg.setup", Kind: app.KindTelegram, Payload: must(app.TelegramSetupPayload{Description: "The one group of Dodo. " + hostile + "\nמחר\n" + strings.Repeat("averylongword", 12)}), PublishedAt: j0.Add(2 * time.Hour)}
	return dossier.Assemble(dossier.Known{
		Op:      app.Operation{ID: 1, Slug: "dodo", Token: app.Token{Ref: app.TokenRef{ChainID: 4663, Address: address}, Name: "Dodo <b>Coin", Symbol: "DODO"}, XHandle: "dodo_back", TelegramChat: -1001},
		Address: official, Chain: "Robinhood Chain", Explorer: "https://explorer.example/token/" + official, LivePage: "http://vivra.test/operations/dodo", Code: "V7K2",
		ReadAt: j0.Add(4 * time.Hour), Token: &app.TokenFacts{Deployer: other, Block: 9_000_100}, Launch: &app.Launch{Launchpad: "0xA5aAb3F0c6EeadF30Ef1D3Eb997108E976351feB", Deployer: other, Block: 9_000_100},
		Holders: &app.Holders{Count: 1262, NeverSold: 804, Block: 9_000_100}, Liquidity: &app.Liquidity{Pool: "0x" + sha("pool"), Block: 9_000_100},
		Week: &app.Transactions{Days: 7, Trades: 2, VolumeUSD: 12.5, LastTradeAt: &last, DeployerLastAt: &last, Block: 8_999_000}, WeekAt: j0,
		Checks: []scoring.Check{{ID: "deployer_share", Label: "Deployer, fee recipient and bundle wallets hold", Status: scoring.Pass, Value: "1.2 %"}, {ID: "can_sell", Label: "Can be sold again", Status: scoring.Pass, Value: "yes"}},
		Why:    "The deployer left in September, after the second wave of sells.", DecidedAt: j0.Add(time.Hour), Published: []app.Publication{group, post},
	})
}

// submitted says of every form of v, if it is a dossier, where its receipt is.
func submitted(v app.Validation) (all []app.Receipt) {
	var p app.DossierPayload
	if v.Kind != app.KindDossier || json.Unmarshal(v.Payload, &p) != nil {
		return nil
	}
	for _, form := range p.Forms() {
		all = append(all, app.Receipt{Venue: form.Key, Link: "https://example.com/r/2"})
	}
	return all
}
