package dossier_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/dossier"
	"vivra/app/scoring"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var j0 = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

const official = "0x52908400098527886E0F7030069857D2E4169EE7"

func token(chainID int64) app.Operation {
	a, _ := app.ParseAddress(official)
	return app.Operation{ID: 1, Slug: "dodo", Token: app.Token{Ref: app.TokenRef{ChainID: chainID, Address: a}, Name: "Dodo", Symbol: "DODO"}, J0: j0}
}

// empty is a takeover of which only the operation is known.
func empty() dossier.Known {
	return dossier.Known{Op: token(4663), Address: official, LivePage: "https://vivra.example/operations/dodo"}
}

// full is a takeover of which all is known that can be.
func full() dossier.Known {
	k := empty()
	k.Op.XHandle, k.Op.TelegramChat, k.Op.SiteHost = "dodo_back", -1001, "dodo.vivra.example"
	k.Chain, k.Explorer, k.Code, k.Site = "Robinhood Chain", "https://explorer.example/token/"+official, "V-ABCD2345", "https://dodo.vivra.example"
	k.Media = func(sha string) string { return "https://vivra.example/operations/dodo/media/" + sha }
	k.ReadAt = j0.Add(4 * time.Hour)
	k.Token = &app.TokenFacts{Deployer: "0xDe0000000000000000000000000000000000aAaA", Block: 9_000_100}
	k.Launch = &app.Launch{Launchpad: "0xA5aAb3F0c6EeadF30Ef1D3Eb997108E976351feB", Deployer: k.Token.Deployer, FeeRecipient: "0xFee0000000000000000000000000000000000001", Block: 9_000_100}
	k.Holders = &app.Holders{Count: 1262, NeverSold: 804, Block: 9_000_100}
	k.Liquidity = &app.Liquidity{Pool: "0x9999000000000000000000000000000000000009", Block: 9_000_100}
	last, dev := j0.AddDate(0, 0, -61), j0.AddDate(0, 0, -74).Add(-3*time.Hour)
	k.Week, k.WeekAt = &app.Transactions{Days: 7, Trades: 2, VolumeUSD: 12.5, LastTradeAt: &last, DeployerLastAt: &dev, Block: 8_999_000}, j0
	k.Checks, k.Why, k.DecidedAt = []scoring.Check{
		{ID: "deployer_share", Label: "Deployer, fee recipient and bundle wallets hold", Status: scoring.Pass, Value: "1.2 %"},
		{ID: "trade_tax", Label: "Tax on buying or selling", Status: scoring.Unknown, Value: "unknown"},
		{ID: "deployer_activity", Label: "Deployer or fee recipient last traded", Status: scoring.Pass, Value: "74.1 days ago"},
	}, "The deployer left on 18 September.", j0.Add(time.Hour)
	out := func(step string, kind app.ValidationKind, payload any, links ...string) {
		raw, _ := app.CanonicalJSON(payload)
		k.Published = append(k.Published, app.Publication{StepKey: step, Kind: kind, Payload: raw, PublishedAt: j0.Add(time.Duration(len(k.Published)+2) * time.Hour), Links: links})
	}
	out("cm.account_setup", app.KindProfile, app.ProfilePayload{Bio: "We hold and build.", Picture: app.Media{SHA256: "pic"}})
	out("cm.verification_post", app.KindPost, app.PostPayload{Text: "V-ABCD2345"}, "https://x.com/dodo_back/status/7")
	out("tg.setup", app.KindTelegram, app.TelegramSetupPayload{Description: "The group of those who stayed."})
	out("designer.kit", app.KindKit, app.OutputPayload{Step: "designer.kit", Output: json.RawMessage(`{"logo":{"512":"logo512","1024":"logo1024"},"x_banner_1500x500":"banner"}`)})
	out("webdev.publish", app.KindSite, app.SitePayload{Host: "dodo.vivra.example"}, "https://dodo.vivra.example")
	return k
}

// TestWhatEachVenueGets from all that can be known, and from nothing.
func TestWhatEachVenueGets(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]dossier.Known{"full": full(), "empty": empty()} {
		p := dossier.Assemble(k)
		golden(t, name+".txt", written(p))
		if raw, err := app.CanonicalJSON(p); err != nil || len(raw) > 32<<10 {
			t.Errorf("%s: %d bytes, %v", name, len(raw), err)
		}
	}
}

// written is a dossier as a person reads it.
func written(p app.DossierPayload) string {
	var b strings.Builder
	for _, v := range p.Forms() {
		fmt.Fprintf(&b, "== %s | %s | %s\n", v.Name, v.URL, v.Price)
		for _, f := range p.Of(v) {
			fmt.Fprintf(&b, "%s: ", f.Label)
			if f.Value == "" {
				fmt.Fprintf(&b, "-- %s\n", f.Missing)
				continue
			}
			fmt.Fprintf(&b, "%q", f.Value)
			for _, more := range []string{f.Source, at(f.At), f.Link} {
				if more != "" {
					fmt.Fprintf(&b, " | %s", more)
				}
			}
			if f.Fixed {
				b.WriteString(" | fixed")
			}
			b.WriteByte('\n')
		}
	}
	for _, o := range p.LeftOut {
		fmt.Fprintf(&b, "left out: %s: %s\n", o.Name, o.Why)
	}
	return b.String()
}

func at(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(bytes.TrimSpace(want)), strings.TrimSpace(got)); diff != "" {
		t.Errorf("%s differs; go test ./app/dossier -update rewrites it (-want +got):\n%s", file, diff)
	}
}

// TestOneValueForAllVenues: a value stands once whoever asks for it, every venue
// finds all it asks for, and no value stands for nobody.
func TestOneValueForAllVenues(t *testing.T) {
	t.Parallel()
	elsewhere := empty()
	elsewhere.Op = token(1)
	for _, k := range []dossier.Known{full(), empty(), elsewhere} {
		p := dossier.Assemble(k)
		asked := map[string]int{}
		for _, v := range p.Venues {
			if got := len(p.Of(v)); got != len(v.Fields) || v.URL == "" || v.Price == "" || len(v.Conditions) == 0 {
				t.Errorf("%s has %d of %d fields, %q, %q", v.Name, got, len(v.Fields), v.URL, v.Price)
			}
			for _, key := range v.Fields {
				asked[key]++
			}
		}
		seen := map[string]bool{}
		for _, f := range p.Fields {
			if seen[f.Key] || asked[f.Key] == 0 {
				t.Errorf("%s stands twice, or for nobody", f.Key)
			}
			seen[f.Key] = true
			if f.Label == "" || (f.Value == "") != (f.Missing != "") || (f.Value == "") != (f.Source == "") || f.Value == "" && f.Fixed {
				t.Errorf("%s says neither or both of a value and a gap: %+v", f.Key, f)
			}
		}
	}
}

// TestVenuesThatFit: pons takes what it launched; the launchpads of other chains
// are left out, each for a reason.
func TestVenuesThatFit(t *testing.T) {
	t.Parallel()
	elsewhere, launched := empty(), empty()
	elsewhere.Op, launched.Op = token(8453), token(1337)
	launched.Launch = &app.Launch{Launchpad: official}
	for want, k := range map[string]dossier.Known{"pons dexscreener coingecko": launched, "dexscreener coingecko": elsewhere} {
		p := dossier.Assemble(k)
		var keys []string
		for _, v := range p.Venues {
			keys = append(keys, v.Key)
		}
		if strings.Join(keys, " ") != want {
			t.Errorf("on chain %d: %v, want %s", k.Op.Token.Ref.ChainID, keys, want)
		}
		for _, o := range p.LeftOut {
			if o.Name == "" || len(o.Why) < 20 || strings.Contains(o.Why, "\n") {
				t.Errorf("%q is left out for %q", o.Name, o.Why)
			}
		}
		if len(p.LeftOut)+len(p.Venues) != 9 {
			t.Errorf("%d venues and %d left out", len(p.Venues), len(p.LeftOut))
		}
	}
}

// TestGapsSayWhoFillsThem, by what is known and what is not.
func TestGapsSayWhoFillsThem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*dossier.Known)
		field  string
		want   string // of the value, or of the gap after --
	}{
		"no site yet":           {func(k *dossier.Known) { k.Site, k.Published = "", nil }, "website", "-- Not published yet: comes with webdev.publish."},
		"no post yet":           {func(k *dossier.Known) { k.Published = nil }, "code", "-- Comes with cm.verification_post."},
		"a post without a link": {func(k *dossier.Known) { k.Published[1].Links = nil }, "proof", "-- Not published yet"},
		"no group":              {func(k *dossier.Known) { k.Op.TelegramChat = 0 }, "telegram", "-- No Telegram group is named"},
		"a group":               {func(*dossier.Known) {}, "telegram", "-- Only the group's number is known (-1001). You:"},
		"no chain":              {func(k *dossier.Known) { k.Token = nil }, "deployer", "-- The chain could not be read. You:"},
		"an unknown deployer":   {func(k *dossier.Known) { k.Token.Deployer = "" }, "deployer", "-- The chain does not tell. You:"},
		"an idle deployer":      {func(k *dossier.Known) { k.Week.DeployerLastAt = nil }, "dev_last", "Never"},
		"of an unknown one":     {func(k *dossier.Known) { k.Token.Deployer, k.Week.DeployerLastAt = "", nil }, "dev_last", "-- The check could not be made."},
		"no redirect":           {func(k *dossier.Known) { k.Launch.FeeRecipient = "" }, "fee_recipient", "0xDe00"},
		"no launchpad":          {func(k *dossier.Known) { k.Launch = &app.Launch{} }, "fee_recipient", "-- No launchpad that was read keeps one."},
		"an unknown share":      {func(k *dossier.Known) { k.Checks[0].Status = scoring.Unknown }, "dev_share", "-- The check could not be made."},
		"no trade ever":         {func(k *dossier.Known) { k.Week.LastTradeAt = nil }, "trading", "2 trades worth $12.50 in 7 days. No trade ever."},
		"a day ago":             {func(k *dossier.Known) { at := k.WeekAt.Add(-25 * time.Hour); k.Week.LastTradeAt = &at }, "trading", "2 trades worth $12.50 in 7 days. Last trade 30 November 2026, 08:00 UTC, 1 day earlier."},
		"no kit":                {func(k *dossier.Known) { k.Published = slices.Delete(k.Published, 3, 4) }, "logo", "https://vivra.example/operations/dodo/media/pic"},
		"no group text":         {func(k *dossier.Known) { k.Published = slices.Delete(k.Published, 2, 3) }, "description", "We hold and build."},
		"not approved":          {func(k *dossier.Known) { k.Why = "" }, "why", "-- No approved words: they come with scanner.go_nogo. Or you."},
		"people know":           {func(*dossier.Known) {}, "email", "-- You: one that is read."},
		"a name of nothing":     {func(k *dossier.Known) { k.Op.Token.Name = "" }, "name", "-- The token has no name."},
	} {
		k := full()
		tt.change(&k)
		p := dossier.Assemble(k)
		i := slices.IndexFunc(p.Fields, func(f app.DossierField) bool { return f.Key == tt.field })
		if i < 0 {
			t.Fatalf("%s: no field %s", name, tt.field)
		}
		got := p.Fields[i].Value
		if got == "" {
			got = "-- " + p.Fields[i].Missing
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s is %q, want %q", name, tt.field, got, tt.want)
		}
	}
}

// TestBrokenPublicationsAreGaps: what can't be read is not said.
func TestBrokenPublicationsAreGaps(t *testing.T) {
	t.Parallel()
	k := full()
	for i := range k.Published {
		k.Published[i].Payload = json.RawMessage(`[`)
	}
	for _, f := range dossier.Assemble(k).Fields {
		if slices.Contains([]string{"logo", "banner", "description"}, f.Key) && f.Value != "" {
			t.Errorf("%s is %q", f.Key, f.Value)
		}
	}
}
