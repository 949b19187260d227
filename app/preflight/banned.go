package preflight

import (
	"slices"
	"strings"
	"unicode"

	"vivra/app/untrusted"
)

// Banned returns the phrases that a text holds, as they are listed. Case,
// accents, look-alikes, what can't be seen, and any marks and blanks between
// letters make no difference, but that a sentence in which a word of the phrase
// goes on about something else does not hold it ("risk: free tools"). A phrase
// is whole words; * at the end of one stands for any ending, # for any number,
// and | behind the last one for the end of a part of the sentence.
//
// What is denied is no promise: see denied.
func Banned(text string, phrases []string) (found []string) {
	s := squeeze(untrusted.Bare(untrusted.Fold(head(text, maxText))))
	for _, phrase := range phrases {
		if p := compile(phrase); len(p.parts) > 0 && s.says(p) && !slices.Contains(found, phrase) {
			found = append(found, phrase)
		}
	}
	return found
}

// BannedWords is what is said of a phrase that a text holds.
func BannedWords(phrase string) string {
	return "“" + strings.TrimSpace(strings.TrimSuffix(phrase, "|")) + "” may not be said, in whatever spelling: it promises or presses."
}

// pattern is a phrase: its parts, one a word, and whether a part of the
// sentence must be over behind it.
type pattern struct {
	parts  []part
	closes bool
}

type part struct {
	letters []rune
	open    bool // any ending fits
	number  bool // a number stands before the letters
}

func compile(phrase string) pattern {
	p := pattern{closes: strings.HasSuffix(strings.TrimSpace(phrase), "|")}
	for _, w := range strings.Fields(untrusted.Bare(untrusted.Fold(phrase))) {
		one := part{open: strings.HasSuffix(w, "*"), number: strings.HasPrefix(w, "#")}
		for _, r := range strings.ToLower(w) {
			if unicode.IsLetter(r) || unicode.IsNumber(r) {
				one.letters = append(one.letters, r)
			}
		}
		if len(one.letters) > 0 || one.number {
			p.parts = append(p.parts, one)
		}
	}
	return p
}

// says tells whether a text holds a phrase that it does not deny.
func (s squeezed) says(p pattern) bool {
	for which, w := range s.words {
		if s.fits(p, w.at) && !s.denied(which) {
			return true
		}
	}
	return false
}

// fits tells whether a phrase stands at a place, from the beginning of a word to
// the end of one. Where a mark tears it, the part of the sentence must be over
// with it ("Buy. Now!").
func (s squeezed) fits(p pattern, from int) bool {
	at := from
	for _, one := range p.parts {
		if one.number {
			if s.numbers[at] == at {
				return false
			}
			at = s.numbers[at]
		}
		if at+len(one.letters) > len(s.letters) || !slices.Equal(s.letters[at:at+len(one.letters)], one.letters) {
			return false
		}
		at += len(one.letters)
		if one.open {
			at = s.ends[at]
		}
	}
	whole := s.tears[max(from, at-1)] == s.tears[from]
	return s.ends[at] == at && (s.opens[at] || whole && !p.closes)
}
