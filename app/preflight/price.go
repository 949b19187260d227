package preflight

import "vivra/app"

// What X charges for one publication (pay-per-use prices of 2026-08).
const (
	PricePost     = 15 * app.Dollar / 1000  // $0.015
	PriceLink     = 200 * app.Dollar / 1000 // $0.200, any post with a link
	PriceReply    = 10 * app.Dollar / 1000  // $0.010, an answer to someone who mentioned or quoted us
	PriceMetadata = 5 * app.Dollar / 1000   // $0.005, alt text of one file
)

// What X charges for each post or account that a read brings, once in a UTC day.
// What belongs to the owner of the application itself costs $0.001; we can't
// tell whether an account is that, so we book what any other costs.
const (
	PricePostRead = 5 * app.Dollar / 1000  // $0.005
	PriceUserRead = 10 * app.Dollar / 1000 // $0.010
)

// ReadPrice is what one piece of a kind costs.
func ReadPrice(kind app.ReadKind) app.Nano {
	if kind == app.ReadUser {
		return PriceUserRead
	}
	return PricePostRead
}

// Published is one kind of publication, or of what is read for it, and what it
// costs.
type Published struct {
	Kind   string   `json:"kind"`
	Price  app.Nano `json:"price_nusd"`
	Source string   `json:"source"`
}

// Prices lists what publications cost.
func Prices() []Published {
	const source = "X's pay-per-use prices of 2026-08"
	return []Published{
		{"post on X", PricePost, source},
		{"post on X with a link", PriceLink, source},
		{"reply on X to someone who mentioned us", PriceReply, source},
		{"alt text of one file on X", PriceMetadata, source},
		{"post on X that is read", PricePostRead, source},
		{"account on X that is read", PriceUserRead, source},
		{"profile on X, message or poll on Telegram, site", 0, "free"},
	}
}

// PostPrice is what X charges for a post. summoned is an answer to somebody
// who mentioned or quoted the account; the posts of a thread are not.
func PostPrice(text string, summoned bool) app.Nano {
	switch {
	case HasLink(text):
		return PriceLink
	case summoned:
		return PriceReply
	}
	return PricePost
}
