package preflight

import (
	"slices"
	"strings"
	"unicode"

	"vivra/app/untrusted"
)

// Banned returns the phrases that a text holds, as they are listed. Case,
// accents, look-alikes, what can't be seen, and any marks and blanks between
// letters make no difference. A phrase is whole words; * at the end of one
// stands for any ending, # for any number.
//
// What is denied is no promise: a phrase passes when one of the five words
// before it, in the same part of the sentence, says no ("nothing is guaranteed",
// "no promise of profit"), unless that only strengthens it ("no doubt").
func Banned(text string, phrases []string) (found []string) {
	s := squeeze(untrusted.Bare(untrusted.Fold(head(text, maxText))))
	for _, phrase := range phrases {
		if p := compile(phrase); len(p) > 0 && s.says(p) && !slices.Contains(found, phrase) {
			found = append(found, phrase)
		}
	}
	return found
}

// BannedWords is what is said of a phrase that a text holds.
func BannedWords(phrase string) string {
	return "“" + phrase + "” may not be said, in whatever spelling: it promises or presses."
}

// squeezed is a text without all that is neither letter nor digit.
type squeezed struct {
	letters []rune
	words   []word
	// ends is where the word at each letter, and at the end, is over: right there
	// when one ends before it. numbers is where the digits are over that begin there.
	ends, numbers []int
}

// word is one of a text, where it begins, and whether a part of a sentence
// begins with it.
type word struct {
	text  string
	at    int
	opens bool
}

func squeeze(text string) squeezed {
	var s squeezed
	ends, plain := []bool{true}, []bool(nil) // whether a word ends before each letter, whether it is no digit
	inWord, opens := false, true
	var last []rune
	end := func() {
		if inWord {
			s.words[len(s.words)-1].text = string(last)
			ends[len(s.letters)] = true
		}
		inWord, last = false, nil
	}
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			if !inWord || unicode.In(r, blankless...) {
				end()
				s.words = append(s.words, word{at: len(s.letters), opens: opens})
				inWord, opens = true, false
			}
			s.letters, last = append(s.letters, r), append(last, r)
			ends, plain = append(ends, false), append(plain, !unicode.IsNumber(r))
		case r == '\'' || r == '’' || unicode.Is(unicode.M, r): // within a word
		default:
			end()
			opens = opens || strings.ContainsRune(".,;:!?\n…()—–|", r)
		}
	}
	end()
	s.ends, s.numbers = firsts(ends), firsts(append(plain, true))
	return s
}

// firsts is for each place the first from there on that is one; the last is.
func firsts(is []bool) []int {
	next := make([]int, len(is))
	for i := range slices.Backward(is) {
		if next[i] = i; !is[i] {
			next[i] = next[i+1]
		}
	}
	return next
}

// pattern is a phrase: its parts, one a word.
type pattern []part

type part struct {
	letters []rune
	open    bool // any ending fits
	number  bool // a number stands before the letters
}

func compile(phrase string) (p pattern) {
	for _, w := range strings.Fields(untrusted.Bare(untrusted.Fold(phrase))) {
		one := part{open: strings.HasSuffix(w, "*"), number: strings.HasPrefix(w, "#")}
		for _, r := range strings.ToLower(w) {
			if unicode.IsLetter(r) || unicode.IsNumber(r) {
				one.letters = append(one.letters, r)
			}
		}
		if len(one.letters) > 0 || one.number {
			p = append(p, one)
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
// the end of one.
func (s squeezed) fits(p pattern, at int) bool {
	for _, one := range p {
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
	return s.ends[at] == at
}

// The words that deny what follows, and those after which they do not.
var (
	denials   = []string{"no", "not", "never", "nothing", "nobody", "none", "neither", "nor", "without", "cannot", "cant", "isnt", "arent", "wasnt", "wont", "dont", "doesnt", "didnt", "wouldnt", "aint", "hardly"}
	strengths = []string{"doubt", "only", "just", "but", "less", "matter", "question", "wonder", "joke", "cap", "risk"}
)

// howFar is how many words before a phrase may deny it.
const howFar = 5

func (s squeezed) denied(which int) bool {
	for i := which; i > 0 && which-i < howFar && !s.words[i].opens; i-- {
		if slices.Contains(denials, s.words[i-1].text) {
			return i == which || !slices.Contains(strengths, s.words[i].text)
		}
	}
	return false
}
