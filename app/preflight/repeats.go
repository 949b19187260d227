package preflight

import (
	"strings"
	"time"

	"vivra/app"
)

const (
	// RepeatAfter is how long X may refuse a text that an account has posted.
	RepeatAfter = 48 * time.Hour
	// MaxAlike is how many of an account's posts a daily one is compared with.
	MaxAlike = 14
)

// CheckRepeat returns what is wrong with a text that the account has said, in
// whatever spelling, within 48 hours of now, or that waits to be said.
func CheckRepeat(text string, said []app.Said, now time.Time) []Problem {
	var found problems
	digest, plain := Digest(text), strings.TrimSpace(text)
	for _, s := range said {
		if Digest(s.Text) != digest || digest == "" && strings.TrimSpace(s.Text) != plain {
			continue
		}
		if s.Waiting {
			found.add(RuleRepeat, "The same text waits to be posted already; X refuses a text twice. Say something else.")
			return found
		}
		if now.Sub(s.At) < RepeatAfter {
			found.add(RuleRepeat, "The same text was posted on %s; X refuses a text twice. Say something else.", instant(s.At))
			return found
		}
	}
	return nil
}

// CheckAlike returns what is wrong with a post that is too much like one of the
// account's last 14, or like one that waits: said has the newest first. Replies
// are left out.
func CheckAlike(text string, said []app.Said) []Problem {
	var found problems
	own, out := sketchOf(text), 0
	for _, s := range said {
		if s.Reply || !s.Waiting && out == MaxAlike {
			continue
		}
		if !s.Waiting {
			out++
		}
		if own.likeness(sketchOf(s.Text)) < TooAlike {
			continue
		}
		if s.Waiting {
			found.add(RuleAlike, "It is too much like a post that waits to go out. Take another subject, and other words.")
		} else {
			found.add(RuleAlike, "It is too much like the post of %s. Take another subject, and other words.", instant(s.At))
		}
		return found
	}
	return nil
}

func instant(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }
