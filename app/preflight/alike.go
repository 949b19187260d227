package preflight

import (
	"regexp"
	"strings"
	"unicode"

	"vivra/app/untrusted"
)

// Digest is what two texts share that X takes for the same: it makes no
// difference how they are written, set apart or punctuated.
func Digest(text string) string {
	return strings.Join(wordsOf(text), " ")
}

// wordsOf are the words of a text as a hurried reader takes them; in a script
// without blanks each character is one.
func wordsOf(text string) []string {
	var spaced strings.Builder
	for _, r := range strings.ToLower(untrusted.Bare(untrusted.Fold(head(text, maxText)))) {
		switch {
		case r == '\'' || r == '’':
		case unicode.In(r, blankless...):
			spaced.WriteString(" " + string(r) + " ")
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r):
			spaced.WriteRune(r)
		default:
			spaced.WriteByte(' ')
		}
	}
	return strings.Fields(spaced.String())
}

// Likeness is how much two posts are the same, from 0 to 1: the mean of what
// they share of their pairs of neighbouring words and of the words that carry
// something. Figures, dates, links, addresses and the token's symbol are left
// out: a new figure in an old sentence makes no new post.
func Likeness(a, b string) float64 { return sketchOf(a).likeness(sketchOf(b)) }

// TooAlike is from where on two posts are one post said twice.
const TooAlike = 0.55

type sketch struct{ pairs, words map[string]bool }

func (s sketch) likeness(other sketch) float64 {
	return (shared(s.pairs, other.pairs) + shared(s.words, other.words)) / 2
}

func sketchOf(text string) sketch {
	text = symbols.ReplaceAllString(text, " ")
	for _, link := range Links(text) {
		text = strings.ReplaceAll(text, link.Text, " ")
	}
	s := sketch{map[string]bool{}, map[string]bool{}}
	before := ""
	for _, w := range wordsOf(addressy.ReplaceAllString(text, " ")) {
		if strings.ContainsFunc(w, unicode.IsDigit) || !strings.ContainsFunc(w, unicode.IsLetter) {
			continue
		}
		if before != "" {
			s.pairs[before+" "+w] = true
		}
		if before = w; !small[w] {
			s.words[stem(w)] = true
		}
	}
	return s
}

var symbols = regexp.MustCompile(`[$＄][\p{L}\p{N}_]+`)

// stem is the beginning of a word: endings make no other word of it.
func stem(word string) string {
	if runes := []rune(word); len(runes) > 6 {
		return string(runes[:6])
	}
	return strings.TrimSuffix(word, "s")
}

// shared is the part of two sets that they have in common.
func shared(a, b map[string]bool) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return 2 * float64(both) / float64(len(a)+len(b))
}

// small are the words that any two posts share.
var small = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(`a an and are as at be been but by day days did do for from had has have here how i if in is it its more
		no not now of on one or our so some than that the their them there they this to today until up was we were what when which who will with yesterday you your`) {
		all[w] = true
	}
	return all
}()
