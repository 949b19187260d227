package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
)

// TestSettle: each form was sent, with a link that shows it, or not, for a
// reason; one was sent at least.
func TestSettle(t *testing.T) {
	t.Parallel()
	two := app.DossierPayload{Venues: []app.DossierVenue{{Key: "a", Name: "Alpha"}, {Key: "b", Name: "Beta"}}}
	old := app.DossierPayload{Venue: "Takeover form"}
	link := func(venue, at string) app.Receipt { return app.Receipt{Venue: venue, Link: at} }
	why := func(venue, reason string) app.Receipt { return app.Receipt{Venue: venue, Reason: reason} }
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		of      app.DossierPayload
		entered []app.Receipt
		want    string // of the receipts, or of the error
	}{
		"both sent":             {two, []app.Receipt{link("b", "https://b.example/2"), link("a", " http://a.example/1 ")}, "Alpha http://a.example/1, Beta https://b.example/2"},
		"one sent":              {two, []app.Receipt{link("a", "https://a.example/1"), why("b", " too dear ")}, "Alpha https://a.example/1, Beta too dear"},
		"a draft for one venue": {old, []app.Receipt{link("form", "https://a.example/1")}, "Takeover form https://a.example/1"},
		"of another dossier":    {two, []app.Receipt{link("a", "https://a.example/1"), why("b", "no"), link("c", "https://c.example")}, "Alpha https://a.example/1, Beta no"},
		"none sent":             {two, []app.Receipt{why("a", "no"), why("b", "no")}, "!Submit one form at least"},
		"nothing said":          {two, nil, "!Alpha: enter the receipt's address, or why the form was not submitted. Beta: enter"},
		"one not said":          {two, []app.Receipt{link("a", "https://a.example/1")}, "!Beta: enter the receipt's address"},
		"both said":             {two, []app.Receipt{link("a", "https://a.example/1"), {Venue: "b", Link: "https://b.example", Reason: "no"}}, "!Beta: enter the receipt's address or the reason why it was not submitted, not both."},
		"a script":              {two, []app.Receipt{link("a", "javascript:alert(1)"), why("b", "no")}, "!Alpha: give the address of the receipt, beginning with https://."},
		"no address":            {old, []app.Receipt{link("form", "here")}, "!Takeover form: give the address"},
		"no host":               {old, []app.Receipt{link("form", "https:///x")}, "!Takeover form: give the address"},
		"a long address":        {old, []app.Receipt{link("form", "https://a.example/"+strings.Repeat("x", app.MaxReceiptLink))}, "!Takeover form: give the address"},
		"a long reason":         {two, []app.Receipt{link("a", "https://a.example"), why("b", strings.Repeat("é", app.MaxReceiptReason+1))}, "!Beta: say the reason in 300 characters at most."},
	} {
		settled, err := tt.of.Settle(tt.entered, "ada", at)
		if fault, wanted := strings.CutPrefix(tt.want, "!"); wanted {
			if app.KindOf(err) != app.Invalid || !strings.HasPrefix(err.Error(), fault) || !strings.HasSuffix(err.Error(), "Nothing was decided.") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var got []string
		for _, r := range settled {
			got = append(got, r.Name+" "+r.Link+r.Reason)
			if r.By != "ada" || !r.At.Equal(at) {
				t.Errorf("%s: by %s at %s", name, r.By, r.At)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}
