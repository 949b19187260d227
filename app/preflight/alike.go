package preflight

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

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
	for _, r := range norm.NFC.String(strings.ToLower(untrusted.Bare(untrusted.Fold(head(text, maxText))))) {
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
// something. In a script without blanks two neighbouring characters are taken
// for either. Figures, dates, links, addresses and the token's symbol are left
// out: a new figure in an old sentence makes no new post. Posts that differ and
// share little altogether count as less alike: short ones share a word or two by
// chance.
func Likeness(a, b string) float64 { return sketchOf(a).likeness(sketchOf(b)) }

// TooAlike is from where on two posts are one post said twice.
const TooAlike = 0.55

// enough is the weight of three words.
const (
	enough     = 30
	wordWeight = 10
)

// weight is that of two characters where words are not told apart: the fewer
// make a word, the more each weighs.
func weight(r rune) int {
	switch {
	case unicode.Is(unicode.Han, r):
		return 4
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return 2
	}
	return 3
}

// sketch is a post as it is compared: what it holds, and how much each weighs.
type sketch struct{ pairs, words map[string]int }

func (s sketch) likeness(other sketch) float64 {
	pairs, _ := shared(s.pairs, other.pairs)
	words, weighs := shared(s.words, other.words)
	switch {
	case len(s.pairs)+len(other.pairs) == 0:
		return words // one word each
	case len(s.words)+len(other.words) == 0:
		return pairs
	}
	alike := (pairs + words) / 2
	if weighs < enough && words < 1 {
		alike *= float64(weighs) / enough
	}
	return alike
}

func sketchOf(text string) sketch {
	text = symbols.ReplaceAllString(text, " ")
	for _, link := range Links(text) {
		text = strings.ReplaceAll(text, link.Text, " ")
	}
	s := sketch{map[string]int{}, map[string]int{}}
	last := ""
	for _, w := range wordsOf(addressy.ReplaceAllString(text, " ")) {
		if strings.ContainsFunc(w, unicode.IsDigit) || !strings.ContainsFunc(w, unicode.IsLetter) {
			continue
		}
		s.add(last, w)
		last = w
	}
	return s
}

// add puts a word, and the one before it, into a sketch.
func (s sketch) add(last, w string) {
	switch {
	case last == "":
	case joint(w) && joint(last):
		r, _ := utf8.DecodeRuneInString(w)
		s.words[last+w], s.pairs[last+w] = weight(r), weight(r)
	default:
		s.pairs[last+" "+w] = wordWeight
	}
	if !small[w] && !joint(w) {
		s.words[stem(w)] = wordWeight
	}
}

// joint tells whether what wordsOf gives is a character of a script without blanks.
func joint(w string) bool {
	r, size := utf8.DecodeRuneInString(w)
	return w != "" && size == len(w) && unicode.In(r, blankless...)
}

var symbols = regexp.MustCompile(`[$＄][\p{L}\p{N}_]+`)

// stem is the beginning of a word: endings make no other word of it.
func stem(word string) string {
	if runes := []rune(word); len(runes) > 6 {
		return string(runes[:6])
	}
	return strings.TrimSuffix(word, "s")
}

// shared is the part of two sets that they have in common, and its weight.
func shared(a, b map[string]int) (part float64, weighs int) {
	if len(a)+len(b) == 0 {
		return 0, 0
	}
	both := 0
	for w, n := range a {
		if b[w] > 0 {
			both++
			weighs += n
		}
	}
	return 2 * float64(both) / float64(len(a)+len(b)), weighs
}

// small are the words that any two posts share.
var small = setOf(Digest(`a an and are as at be been but by day days did do for from had has have here how i if in is it its more
	no not now of on one or our so some than that the their them there they this to today until up was we were what when which who will with yesterday you your
	de del el en es hoy la las lo los que se un una y das der die ein eine heute ist und aujourd au des et est le les oggi il di che o do hoje на не и в с что это мы сегодня`))
