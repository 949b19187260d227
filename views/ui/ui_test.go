package ui

import (
	"strings"
	"testing"
	"time"

	"vivra/app"
)

// The addresses of EIP-55's own test cases.
func TestChecksum(t *testing.T) {
	t.Parallel()
	for _, want := range []string{
		"0x52908400098527886E0F7030069857D2E4169EE7", "0xde709f2102306220921060314715629080e2fb77", "0x27b1fdb04752bbc536007a920d24acb045561c26",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
	} {
		a, err := app.ParseAddress(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := Checksum(a); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestUSD(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0: "$0", 4118.4: "$4,118", 1234567: "$1,234,567", 999.5: "$999.50", 0.25: "$0.25", 0.00000412: "$0.00000412", 0.0312: "$0.0312", 0.00000000091: "$0.000000000910", -0.004: "$-0.00400"} {
		if got := USD(v); got != want {
			t.Errorf("%g is shown as %s, want %s", v, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		away  time.Duration
		style string
		want  string
	}{
		{38*time.Minute + 59*time.Second, Ago, "in 38 min"}, {-2*time.Hour - time.Minute, Ago, "2 h ago"}, {-14 * time.Minute, Ago, "14 min ago"}, {-30 * time.Second, Ago, "now"},
		{-14 * time.Minute, Length, "14 min"}, {-time.Second, Length, "less than a minute"}, {47 * time.Hour, Ago, "in 47 h"}, {50 * time.Hour, Ago, "in 2 days"},
	} {
		if got := Span(now.Add(c.away), now, c.style); got != c.want {
			t.Errorf("%s away, told as %s: %q, want %q", c.away, c.style, got, c.want)
		}
	}
}

func TestStepTitle(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"cm.daily_post.d07": "Daily post, day 7", "tg.weekly_mods.w4": "Moderator shortlist, week 4", "handover": "Handover", "webdev.publish": "Publish the site", "new.thing": "new.thing", "cm.mention_reply.1990000000000000002": "Reply to a mention", "cm.daily_post.": "cm.daily_post.", "": ""} {
		if got := StepTitle(key); got != want {
			t.Errorf("%q is called %q, want %q", key, got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, e := range Diff("The chart will follow. Stay here, for now.", "The site will open. Stay at home, for now.") {
		got.WriteString(map[rune]string{'=': e.Text, '-': "[-" + e.Text + "-]", '+': "[+" + e.Text + "+]"}[e.Kind])
	}
	if want := "The [-chart-][+site+] will [-follow-][+open+]. Stay [-here-][+at home+], for now."; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
	long := strings.Repeat("word ", 3000)
	if n := len(Diff(long, long+"more")); n != 2 {
		t.Errorf("a long text gives %d edits, want it whole", n)
	}
}

// FuzzDiff holds that the edits give back both texts.
func FuzzDiff(f *testing.F) {
	f.Add("a b c", "a c d")
	f.Add("\u202eé👩‍👩‍👧 x", "x\n\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		if !validText(before) || !validText(after) {
			return
		}
		var a, b strings.Builder
		for _, e := range Diff(before, after) {
			if e.Kind != '+' {
				a.WriteString(e.Text)
			}
			if e.Kind != '-' {
				b.WriteString(e.Text)
			}
		}
		if a.String() != before || b.String() != after {
			t.Errorf("%q and %q come back as %q and %q", before, after, a.String(), b.String())
		}
	})
}

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }

func TestTilesAreFoundWhereverTheyStand(t *testing.T) {
	t.Parallel()
	a, b, c := strings.Repeat("a", 64), strings.Repeat("b", 64), strings.Repeat("c", 64)
	got := tiles([]byte(`{"direction":1,"logo":{"128":"` + b + `","64":"` + a + `"},"memes":["` + c + `","not one"]}`))
	want := []tile{{"logo 64", a}, {"logo 128", b}, {"memes 1", c}}
	if len(got) != len(want) {
		t.Fatalf("found %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("found %v, want %v", got[i], want[i])
		}
	}
}

// A payload that does not fit its kind is shown as it is: a person must see it.
func TestABrokenPayloadIsShownRaw(t *testing.T) {
	t.Parallel()
	for _, kind := range []app.ValidationKind{app.KindPost, app.KindThread, app.KindPoll, app.KindProfile, app.KindTelegram, app.KindSite, app.KindUtility, app.KindGoNoGo, app.KindDirection, app.KindMods, app.KindVerdict, app.KindDossier, app.KindHandover, "unheard of"} {
		var out strings.Builder
		p := Preview{Kind: kind, Payload: []byte(`["<script>"]`), Media: func(string) string { return "" }}
		if err := p.Show().Render(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "&lt;script&gt;") || strings.Contains(out.String(), "<script>") {
			t.Errorf("%s: a broken payload is shown as %s", kind, out.String())
		}
	}
}

func TestSpendBarNeverOverflows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ spent, reserved, limit, filled, held app.Nano }{
		{0, 0, 0, 0, 0}, {5, 1, 10, 500, 100}, {10, 5, 10, 1000, 0}, {9, 5, 10, 900, 100}, {25, 0, 10, 1000, 0},
	} {
		filled, held := bar(c.spent, c.reserved, c.limit)
		if filled != int64(c.filled) || held != int64(c.held) {
			t.Errorf("%d and %d of %d: %d and %d", c.spent, c.reserved, c.limit, filled, held)
		}
	}
}

// TestBoundsAreSaidToBeBounds: a figure that is only the most a call can have
// cost is never shown like one that was measured.
func TestBoundsAreSaidToBeBounds(t *testing.T) {
	t.Parallel()
	if got := CostSource(string(app.CostBound)); got != "the most it can have been" {
		t.Errorf("a bound is called %q", got)
	}
	for _, source := range []app.CostSource{app.CostGateway, app.CostTable, app.CostPriceList, app.CostBound} {
		if CostSource(string(source)) == "" || sourceSentence(source) == sourceSentence("") {
			t.Errorf("%s has no words", source)
		}
	}
}

func TestWallTellsWhatIsLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spent, reserved, limit app.Nano
		want                   string
	}{{2, 3, 10, "Left $0.000000005"}, {10, 0, 10, "Left $0.00"}, {12, 1, 10, "Over $0.000000003"}} {
		if got := leftWord(c.spent, c.reserved, c.limit) + " " + left(c.spent, c.reserved, c.limit).String(); got != c.want {
			t.Errorf("%d spent and %d reserved of %d: %s, want %s", c.spent, c.reserved, c.limit, got, c.want)
		}
	}
}
