package preflight_test

import (
	"fmt"
	"testing"

	"vivra/app/internal/testpace"
	"vivra/app/preflight"
)

// varied are posts of one account as a good month has them: no two are alike.
var varied = []string{
	"Day 3. 412 holders of $DODO, 9 more than yesterday. Measured at 08:00 UTC.",
	"Volume in 24 hours: $1,204, by 31 buyers. Two of them bought more than half of it, which is written down as well.",
	"Liquidity stands at $18,300. That is what is behind each trade of $DODO, no more.",
	"Nobody of this team writes to you first, and nobody will. Whoever does is not us.",
	"Yesterday the agents made 214 calls for $2.91. The dearest was a picture that nobody approved.",
	"Market value $96,000, 4 % below yesterday. It stands here whichever way it goes.",
	"A picture today: the dodo at the sea, looking for its wings. Drawn by a machine, approved by a person who sighed.",
	"Burned so far: 1,000,000 DODO. Nobody can undo that, which is rare here.",
	"The verdict comes on day 7, by a rule that was published before the start. It can't be talked round.",
	"Somebody in the group asked whether the contract can still mint. It can't: the owner is the zero address since March.",
	"The site was down for 11 minutes last night. The deploy had lost its icon; the agent put it back and wrote down why.",
	"The quiz in the group has 64 players. The hardest question so far: in which year was the dodo last seen? 1662.",
	"Four of ten largest holders have not moved since the launch. We don't know them either.",
	"What this takeover has cost up to now: $41.20 of $120. Models took most of it, posts the least.",
	"Telegram grew to 188 members. Six were sent away, all for the same forged address.",
	"A week without the old team. The website is ours, the group has moderators, and the account answers for itself.",
	"The chart is flat. 7 trades, 5 buyers. If you came for excitement, there is a museum of flightless birds in Mauritius.",
	"A person rejected yesterday's draft with one line: too proud. This one is shorter.",
	"The community chose the second face by 61 votes to 40. The other two stay in the archive.",
	"Half of the month is over. Fifteen days of log, 1,930 lines, and every one of them has a price.",
}

func TestVariedPostsAreNotAlike(t *testing.T) {
	t.Parallel()
	most, which := 0.0, ""
	for i, a := range varied {
		for j, b := range varied[:i] {
			if got := preflight.Likeness(a, b); got > most {
				most, which = got, fmt.Sprintf("%d and %d", j, i)
			}
		}
	}
	if most > preflight.TooAlike-0.15 {
		t.Errorf("posts %s are alike by %.2f", which, most)
	}
}

// Each pair is one post, said twice.
func TestTheSamePostAgainIsAlike(t *testing.T) {
	t.Parallel()
	least, which := 1.0, ""
	for _, pair := range [][2]string{
		{varied[0], "Day 12. 530 holders of $DODO, 3 fewer than yesterday. Measured at 08:00 UTC."},
		{varied[0], "Day 4: 419 holders of $DODO, 7 more than yesterday. 🔥 Measured at 09:00 UTC. https://dodo.vivra.site"},
		{varied[1], "Volume in 24 hours: $933, by 12 buyers. Two of them bought more than half of it, and that is written down as well."},
		{varied[2], "LIQUIDITY STANDS AT $9,000. THAT IS WHAT IS BEHIND EACH TRADE OF $DODO, NO MORE."},
		{varied[2], "Liquidity stands at $18,300 today. That is all that is behind each trade of $DODO."},
		{varied[3], "Nobody will write to you first, nobody of this team. Whoever does is not us!"},
		{varied[3], "Nоbоdy оf this tеаm writеs tо yоu first, аnd nоbоdy will. Whoеvеr dоеs is nоt us."},
		{varied[6], "A picture today: the dodo in the snow, looking for its wings. Drawn by a machine, approved by a person who laughed."},
		{varied[7], "Nobody can undo that, which is rare here. Burned so far: 2,500,000 DODO."},
		{varied[8], "The verdict comes on day 7. The rule was published before the start and can't be talked round."},
		{varied[10], "Last night the site was down for 3 minutes. The deploy had lost its icon; the agent put it back and wrote down the reason."},
		{varied[13], "What this takeover has cost so far: $58.90 of $120. Models took most, posts the least."},
		{"第三天，四百一十二个持有人，比昨天多九个", "第四天，四百一十九个持有人，比昨天多七个"},
	} {
		if got := preflight.Likeness(pair[0], pair[1]); got < least {
			least, which = got, pair[1]
		}
	}
	if least < preflight.TooAlike {
		t.Errorf("%q is alike by %.2f only", which, least)
	}
}

func TestLikeness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"", "", 0},
		{"gm", "", 0},
		{varied[4], varied[4], 1},
		{"1 2 3", "4 5 6", 0},
		{"https://dodo.vivra.site $DODO", "https://dodo.vivra.site $DODO", 0},
	} {
		if got := preflight.Likeness(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %.2f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"gm, world!", "GM  world", true},
		{"gm\u200b world", "gm\nworld", true},
		{"gm wоrld", "gm world", true},
		{"it’s back", "its back", true},
		{"gm 🔥", "gm 🚀", false},
		{"412 holders", "413 holders", false},
		{"gm", "gn", false},
	} {
		if got := preflight.Digest(c.a) == preflight.Digest(c.b); got != c.same {
			t.Errorf("%q and %q are the same: %v", c.a, c.b, got)
		}
	}
}

func TestLikenessTakesTime(t *testing.T) {
	testpace.Linear(t, "Likeness", func(s string) { preflight.Likeness(s, s) }, []string{"a ", "word ", "a.com ", "第", "$a "})
}
