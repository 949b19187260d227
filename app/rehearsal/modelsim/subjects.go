package modelsim

import "fmt"

// subjects are what a daily post can be about, one after the other: none comes
// back within the fourteen posts that a new one is compared with. Each is a first
// line that holds the day, so that no two posts are the same.
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
	func(_ *talk, day int, _ figures) string {
		return fmt.Sprintf("Somebody asked who decides here. Two people do, by name, in a queue that keeps what they refused. Day %d.", day)
	},
	func(t *talk, day int, f figures) string {
		return fmt.Sprintf("Price of one %s at breakfast: %s. By dinner it will be another one. Day %d of thirty.", t.name(), usd(f.now.at("price_usd").num()), day)
	},
	func(_ *talk, day int, _ figures) string {
		return fmt.Sprintf("The group sent away its spammers again, all with the same forged contract. Only the pinned message is worth copying. (Day %d)", day)
	},
	func(t *talk, day int, _ figures) string {
		return fmt.Sprintf("A website, a quiz, a scoreboard: small things, built in the open for %s. None needs your wallet. Day %d.", t.tag(), day)
	},
	func(_ *talk, day int, _ figures) string {
		return fmt.Sprintf("%d days gone, %d to go. Then the keys are handed to whoever the community has found, or the lights go out.", day, 30-day)
	},
	func(_ *talk, day int, _ figures) string {
		return fmt.Sprintf("Budget report, day %d: models ate the most, publishing the least, and the ledger adds up to the cent.", day)
	},
	func(t *talk, day int, f figures) string {
		return fmt.Sprintf("%d accounts bought since yesterday. Draw your own conclusion about %s; ours is only arithmetic. Day %d.",
			f.now.at("buyers_24h").int(), t.tag(), day)
	},
}

// others are what a post is about whose first draft was refused.
var others = []func(t *talk, day int, f figures) string{
	func(t *talk, day int, f figures) string {
		return fmt.Sprintf("Wallets with some %s in them this morning: %d. A wallet is not a person, so read it with care. Day %d.", t.tag(), f.now.at("holders").int(), day)
	},
	func(_ *talk, day int, _ figures) string {
		return fmt.Sprintf("What broke since the last post? A build, for nine minutes, on day %d. It was noticed by the machine that had caused it.", day)
	},
	func(_ *talk, day int, _ figures) string {
		return fmt.Sprintf("Day %d. The old makers left without a word. We try to leave too many words instead: all of them dated and signed.", day)
	},
	func(t *talk, day int, _ figures) string {
		return fmt.Sprintf("Why does %s exist? For a joke that outlived its comedians. Day %d of keeping it company.", t.name(), day)
	},
	func(_ *talk, day int, f figures) string {
		return fmt.Sprintf("Traded since yesterday, everything summed: %s. Small numbers deserve bookkeeping as well. Day %d.", usd(f.now.at("volume_24h_usd").num()), day)
	},
	func(_ *talk, day int, _ figures) string {
		return fmt.Sprintf("An honest inventory for day %d: six programs, one account, one channel, zero influencers.", day)
	},
	func(_ *talk, day int, _ figures) string {
		return fmt.Sprintf("Ask for the receipt. Every action up to day %d has one, with hour, author and price beside it.", day)
	},
	func(_ *talk, day int, f figures) string {
		return fmt.Sprintf("Depth of the pool: %s on either side together. Big orders would feel it, and now they know. Day %d.", usd(f.now.at("liquidity_usd").num()), day)
	},
	func(_ *talk, day int, _ figures) string {
		return fmt.Sprintf("The first version of this text was turned down by a human being. Day %d, attempt two, lesson learned.", day)
	},
	func(_ *talk, day int, _ figures) string {
		return fmt.Sprintf("Silence is an option too, but the calendar says one post daily, so here is the weather: calm. Day %d.", day)
	},
	func(t *talk, day int, _ figures) string {
		return fmt.Sprintf("Moderators of the group work for nothing but thanks. Thanks, then, from %s and its machines. Day %d.", t.name(), day)
	},
}

var closings = []string{
	"Measured at 08:00 UTC.",
	"Figures by the chain, approval by a person.",
	"If it falls tomorrow, that will stand here too.",
	"No advice is hidden in this post.",
}
