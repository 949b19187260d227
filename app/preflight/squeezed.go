package preflight

import (
	"slices"
	"strings"
	"unicode"
)

// squeezed is a text without all that is neither letter nor digit.
type squeezed struct {
	letters []rune
	words   []word
	// ends is where the word at each letter, and at the end, is over: right there
	// when one ends before it. numbers is where the digits are over that begin
	// there, tears how often a mark has set two words apart up to there.
	ends, numbers, tears []int
	opens                []bool // a part of a sentence begins here
}

// word is one of a text, and where it begins.
type word struct {
	text string
	at   int
}

func squeeze(text string) squeezed {
	var m squeezing
	m.gap.opens = true
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			m.letter(r)
		case r == '\'' || r == '’' || unicode.Is(unicode.M, r): // within a word
		default:
			m.end()
			m.gap.add(r)
		}
	}
	m.end()
	m.ends, m.numbers, m.opens = firsts(append(m.over, true)), firsts(append(m.plain, true)), append(m.opens, true)
	m.tears = m.counted(m.torn)
	return m.squeezed
}

// squeezing is a text on the way there. Of each letter it is known whether a
// word is over before it, whether it is no digit, and whether a mark tears it
// off from the word before.
type squeezing struct {
	squeezed
	over, plain, torn []bool
	gap               gap    // since the last word
	last              []rune // the word that is read
}

func (m *squeezing) letter(r rune) {
	if unicode.In(r, blankless...) {
		m.end()
	}
	begins := len(m.last) == 0
	if begins {
		m.words = append(m.words, word{at: len(m.letters)})
	}
	m.opens, m.torn = append(m.opens, begins && m.gap.opened()), append(m.torn, begins && m.gap.tears())
	m.over, m.plain = append(m.over, begins), append(m.plain, !unicode.IsNumber(r))
	m.letters, m.last = append(m.letters, r), append(m.last, r)
}

// end ends the word that is read, if there is one.
func (m *squeezing) end() {
	if len(m.last) > 0 {
		m.words[len(m.words)-1].text = string(m.last)
		m.last, m.gap = nil, gap{}
	}
}

// gap is what stands between two words.
type gap struct {
	opens, blank, mark bool
	lines, dots        int
}

func (g *gap) add(r rune) {
	g.blank = g.blank || unicode.IsSpace(r)
	switch {
	case r == '\n':
		g.lines++
	case r == '.':
		g.dots++
	case strings.ContainsRune(",;:!?—–|", r):
		g.mark = true
	case strings.ContainsRune("()&+-=/", r) || unicode.Is(unicode.So, r):
		g.opens = true
	}
}

// opened tells whether a part of a sentence begins behind the gap.
func (g *gap) opened() bool { return g.opens || g.mark || g.dots > 0 || g.lines > 0 }

// tears tells whether the words on both sides are none of one phrase: a mark
// and a blank stand between them, and no row of dots, which only delays.
func (g *gap) tears() bool { return g.blank && (g.mark || g.dots == 1) || g.lines > 1 }

// counted is for each letter how many words up to it are torn off from the one
// before. Single letters are none: somebody spells.
func (s squeezed) counted(torn []bool) []int {
	tears := make([]int, len(s.letters)+1)
	for i, w := range s.words {
		if torn[w.at] && i > 0 && len(w.text) > 1 && len(s.words[i-1].text) > 1 {
			tears[w.at] = 1
		}
	}
	for i := 1; i < len(tears); i++ {
		tears[i] += tears[i-1]
	}
	return tears
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
