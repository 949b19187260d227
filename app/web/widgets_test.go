package web_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"mime"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/internal/testbrowser"
	"vivra/app/rehearsal/imagesim"
	"vivra/app/sites"
	"vivra/app/utilities"
)

// built is the address that bundles are built for.
const built = "https://vivra.example.org"

// elsewhere serves a bundle as its host would, under its own headers, with the
// site at another address than the one it was built for.
func elsewhere(t *testing.T, b app.Bundle, site string) *httptest.Server {
	t.Helper()
	policy := ""
	for line := range strings.SplitSeq(string(b.Files["/_headers"]), "\n") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "Content-Security-Policy: "); ok && policy == "" {
			policy = strings.ReplaceAll(value, built, site)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path
		if strings.HasSuffix(name, "/") {
			name += "index.html"
		}
		content, ok := b.Files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		if policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		_, _ = w.Write(bytes.ReplaceAll(content, []byte(built), []byte(site)))
	}))
	t.Cleanup(server.Close)
	return server
}

// TestRelaunchedSitesReadTheAPI: what was built for a token shows what the API
// says of it now, from another origin and under the policy of the built site.
func TestRelaunchedSitesReadTheAPI(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	site, _ := x.serve(t)
	var logo bytes.Buffer
	if err := png.Encode(&logo, imagesim.Draw("creature 6", imagesim.Colours("#fca311 #2a9d8f #f1faee"))); err != nil {
		t.Fatal(err)
	}
	relaunched, err := sites.Build(sites.Input{
		Template: "classic",
		Fields: sites.Fields{
			Hero: "The dev left. The light stayed on.", Tagline: "A dodo that was left for dead, kept by the people who hold it.",
			Lore: []string{
				"It began in March with a drawing of a dodo under a street lamp, a good joke and four hundred people in a group chat. For six weeks it was fun.",
				"Then the deployer sold, closed the account and left. The chart went flat. The group did not: somebody kept answering questions, somebody kept a list of who was still there.",
				"Nobody has a plan to get rich here. There is a dodo, a lamp, and a rule: everything is done where everyone can see it.",
			},
			HowToBuy: []string{"Get a wallet that you control, and write its words on paper.", "Put a little of the chain's own coin in it, no more than you can lose.", "Open the exchange with the button on this page and compare the address.", "Start small. Liquidity is thin and the price moves."},
			Socials:  []sites.Link{{Label: "X", URL: "https://x.com/dodo_back"}, {Label: "Telegram", URL: "https://t.me/dodo_back"}},
		},
		Facts: sites.Facts{
			Name: "Dodo Coin", Ticker: "DODO", ChainID: 4663, Chain: "Robinhood Chain", Address: official,
			Tokenomics: []sites.Figure{{Label: "Supply", Value: "1B"}},
			Market:     &app.Market{PriceUSD: 7, MarketCapUSD: 7, LiquidityUSD: 7, Volume24hUSD: 7, At: j0}, Holders: 7,
			SiteURL: "https://dodo.example.org", PublicURL: built, BuyURL: "https://swap.example.com/" + official, ChartURL: "https://scan.example.com/chart", ExplorerURL: "https://scan.example.com/token/" + official,
			Takeover: sites.Takeover{URL: built + "/operations/dodo", StartedAt: j0},
		},
		Kit: sites.Kit{Palette: []string{"#14213d", "#fca311", "#2a9d8f", "#f1faee"}, Logo: logo.Bytes(), OG: logo.Bytes(), Favicon: logo.Bytes()},
	})
	if err != nil {
		t.Fatal(err)
	}
	page := testbrowser.Page(t)
	page.MustNavigate(elsewhere(t, relaunched, site.URL).URL + "/").MustWaitLoad()
	wait(t, page, `[...document.querySelectorAll("[data-market] [data-k]")].length === 5 && [...document.querySelectorAll("[data-market] [data-k]")].every((el) => el.textContent !== "7" && el.textContent !== "$7.00")`)

	leaderboard, err := utilities.Build("holders-leaderboard", json.RawMessage(`{"title":"Who keeps it","size":10,"badges":[{"name":"Keeper","min_percent":2}]}`),
		utilities.Context{Name: "Dodo Coin", Ticker: "DODO", Address: official, ChainID: 4663, APIBase: built})
	if err != nil {
		t.Fatal(err)
	}
	page.MustNavigate(elsewhere(t, leaderboard.Bundle, site.URL).URL + "/").MustWaitLoad()
	wait(t, page, `document.querySelectorAll("#rows tr").length > 0 && /hold it/.test(document.querySelector("#summary").textContent)`)
}
