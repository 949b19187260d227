package tools

import (
	"vivra/app/preflight"
)

// spoken notes what is wrong with words that the account says: a phrase that is
// banned, in any part, and a post that it has said before. posts are the parts
// that are posts of their own.
func (f *faults) spoken(g Guard, parts []part, posts ...part) {
	for _, p := range parts {
		for _, phrase := range preflight.Banned(p.text, g.Banned) {
			f.once(p.name + ": " + preflight.BannedWords(phrase))
		}
	}
	for _, p := range posts {
		problems := preflight.CheckRepeat(p.text, g.Said, g.Now)
		if len(problems) == 0 && g.Daily {
			problems = preflight.CheckAlike(p.text, g.Said)
		}
		f.broken(p.name, problems)
	}
}
