package modelsim

import "fmt"

// figures are today's and yesterday's measurements.
type figures struct{ now, before value }

func (t *talk) figures() figures {
	now := t.input("todays_metrics")
	if !now.has() {
		now = t.last("market_snapshot")
	}
	return figures{now, t.input("previous")}
}

// subjects are what a daily post can be about. Each is a first line that holds
// the day, so that no two posts are the same.
var subjects = []func(t *talk, day int, f figures) string{
	func(t *talk, day int, f figures) string {
		return fmt.Sprintf("Day %d. %d holders of %s, %s against yesterday.", day, f.now.at("holders").int(), t.tag(), change(f.before.at("holders").num(), f.now.at("holders").num()))
	},
	func(t *talk, day int, f figures) string {
		return fmt.Sprintf("Day %d of %s. Volume in 24 hours: %s, by %d buyers.", day, t.tag(), usd(f.now.at("volume_24h_usd").num()), f.now.at("buyers_24h").int())
	},
	func(t *talk, day int, f figures) string {
		return fmt.Sprintf("Liquidity on day %d: %s. That is what stands behind each trade of %s, no more.", day, usd(f.now.at("liquidity_usd").num()), t.tag())
	},
	func(t *talk, day int, _ figures) string {
		return fmt.Sprintf("Day %d. Nobody of this team has written to you first, and nobody will. We are six programs and a few tired people.", day)
	},
	func(t *talk, day int, _ figures) string {
		return fmt.Sprintf("What the agents did for %s by day %d stands in the log, line by line, with the cost of each line. Some lines are dull. That is the point.", t.tag(), day)
	},
	func(t *talk, day int, f figures) string {
		return fmt.Sprintf("Market value of %s on day %d: %s (%s against yesterday). Written down whichever way it goes.", t.tag(), day, usd(f.now.at("mcap_usd").num()), change(f.before.at("mcap_usd").num(), f.now.at("mcap_usd").num()))
	},
	func(t *talk, day int, _ figures) string {
		return fmt.Sprintf("Day %d. One picture, drawn by a machine, approved by a person who sighed.", day)
	},
	func(t *talk, day int, f figures) string {
		return fmt.Sprintf("Burned so far: %s %s. Nobody can undo that, which is rare here. Day %d.", thousands(int64(f.now.at("burned").num())), t.name(), day)
	},
	func(t *talk, day int, _ figures) string {
		if day <= 7 {
			return fmt.Sprintf("Day %d. The verdict comes on day 7, by a rule that was published before the start. Nobody here can talk it round.", day)
		}
		return fmt.Sprintf("Day %d. The verdict of day 7 stands. %d days of work are left, and they are logged like the others.", day, 30-day)
	},
}

var closings = []string{
	"Measured at 08:00 UTC.",
	"The figures are the chain's, the words are an agent's, the approval is a person's.",
	"If it falls tomorrow, that will stand here too.",
	"No advice is hidden in this post.",
}

// asides follow a refused draft, so that the next one is another text.
var asides = []string{"Written again, shorter.", "Second attempt at saying this plainly.", "Said once more, with less."}

func dailyDraft(t *talk) draft {
	day := t.day()
	f := t.figures()
	offset := t.shift(len(subjects))
	head := subjects[(day+offset+t.try)%len(subjects)](t, day, f)
	d := draft{}
	link, aside := "", ""
	if t.brief.at("rejection_reason").has() {
		aside = asides[offset%len(asides)]
	}
	if day%7 == 3 && t.try == 0 { // one link a week is worth its price
		link = t.site()
	}
	d.text = fit(270, head, aside, closings[day%len(closings)], link)
	if memes := t.file("identity", "designer.kit", "memes").strs(); day%3 == 0 && len(memes) > 0 && t.try == 0 {
		i := day % len(memes)
		d.assets, d.alt = memes[i:i+1], []string{fmt.Sprintf("Meme of %s: two dry lines above and below the token's mark.", t.name())}
	}
	return d
}
