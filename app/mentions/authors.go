package mentions

import (
	"regexp"
	"strings"
	"time"

	"vivra/app/untrusted"
)

// words is a text without the names and links in it.
func words(text string) string {
	return strings.Join(strings.Fields(handles.ReplaceAllString(links.ReplaceAllString(text, " "), " ")), " ")
}

var handles = regexp.MustCompile(`[@＠][A-Za-z0-9_]{1,20}`)

const (
	// manyNamed is how many accounts a mention names that is meant for none.
	manyNamed = 6
	// manyToday is how often an author names us within a day who is no person.
	manyToday = 12
	// manyCopies is how many others wrote the same within a day.
	manyCopies = 2
	// youngAccount is the age of an account that nobody follows yet.
	youngAccount = 48 * time.Hour
)

// likelyBot tells whether a mention was probably not written by a person for
// us: it names many accounts at once, others wrote the very same, its author
// names us without end, says to be a program, or was made just now and is
// followed by nobody. Each errs on the side of a person: who is taken for a bot
// is only not answered.
func likelyBot(p Post) bool {
	if p.Named >= manyNamed || p.Today >= manyToday || p.Copies >= manyCopies && len([]rune(words(p.Text))) >= 20 {
		return true
	}
	a := p.Author
	if a == nil {
		return false
	}
	young := a.JoinedAt != nil && p.WrittenAt.Sub(*a.JoinedAt) < youngAccount && a.Followers == 0
	return young || botName.MatchString(a.Username) || botWords.MatchString(strings.ToLower(untrusted.Fold(a.Name+" "+a.Bio)))
}

var (
	botName  = regexp.MustCompile(`(?:^|_)[Bb][Oo][Tt]\d*$|[a-z0-9]B(?:ot|OT)\d*$`)
	botWords = regexp.MustCompile(`\b(?:automated (?:account|by|posts?|replies)|auto[ -]?reply(?:ing)? (?:bot|account)|i am an? (?:\w+ )?bot|an? ai agent\b|autonomous (?:ai )?agent)\b`)
)
