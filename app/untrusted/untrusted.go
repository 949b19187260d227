// Package untrusted makes text from outside inert before a model sees it:
// normalised, escaped, capped and put in one fence that the text can't close.
// It also says how else a text could be read, so that a person is told.
package untrusted

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxRunes is how much of one outside text a model gets to see.
const MaxRunes = 24_000

// maxLabel is how long the name of a source may be.
const maxLabel = 64

// Wrap returns text in a fence that names its source. Wrapping twice escapes
// twice: there is no fast path that a text could pretend to be on.
func Wrap(source, text string) string {
	var nonce [16]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		panic(err) // the system's random source is gone: nothing is safe any more
	}
	return fmt.Sprintf("<untrusted source=%q id=\"%s\">\n%s\n</untrusted>", label(source), hex.EncodeToString(nonce[:]), Escape(text))
}

// Escape normalises text and takes every angle bracket and ampersand out of it.
func Escape(text string) string {
	seen, whole := normalise(text, MaxRunes)
	if !whole {
		seen += "\n[cut: the text goes on]"
	}
	return escaper.Replace(seen)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Normalise folds compatibility forms and drops what can't be seen: controls
// but newline and tab, format and tag characters, variation selectors, private
// use and blanks that are no spaces. Brackets that only look like < and > become
// them, so that one rule takes care of all. What is normal stays as it is.
func Normalise(text string) string {
	seen, _ := normalise(text, len(text)*maxGrowth)
	return seen
}

// maxGrowth is how many runes NFKC makes of one at most.
const maxGrowth = 18

// normalise is Normalise for at most most runes of the text, before and after:
// one character can become 18. It tells whether that was the whole of it.
func normalise(text string, most int) (seen string, whole bool) {
	text, whole = head(text, most)
	if plain(text) {
		return text, whole
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text, all := head(norm.NFKC.String(unfolded.Replace(text)), 2*most)
	seen, fits := head(norm.NFKC.String(visible(text)), most)
	return seen, whole && all && fits
}

// head returns at most most runes of text, and whether that is all of it.
func head(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, true
	}
	n := 0
	for i := range text {
		if n == most {
			return text[:i], false
		}
		n++
	}
	return text, true
}

// plain tells whether text is ASCII that can be seen: most texts are.
func plain(text string) bool {
	for i := range len(text) {
		if b := text[i]; (b < ' ' || b > '~') && b != '\n' && b != '\t' {
			return false
		}
	}
	return true
}

// maxMarks is how many marks one letter may carry: a longer pile hides the
// lines around it, and normalising it would put a joiner in.
const maxMarks = 8

// visible maps every rune of a text in NFKC to what may be shown of it.
func visible(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	marks := 0
	for _, r := range text {
		shown := shownAs(r)
		if shown < 0 {
			continue
		}
		marks++
		if !unicode.Is(unicode.M, shown) {
			marks = 0
		}
		if marks <= maxMarks {
			out.WriteRune(shown)
		}
	}
	return out.String()
}

func shownAs(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r >= ' ' && r <= '~':
		return r
	case unicode.In(r, invisible...) || r == 0x2800 || r == 0x1D159:
		return -1
	case unicode.In(r, unicode.Z): // a line that ends unseen, and blanks that NFKC leaves
		return ' '
	case strings.ContainsRune(openers, r):
		return '<'
	case strings.ContainsRune(closers, r):
		return '>'
	}
	return r
}

// unfolded holds the characters that NFKC would turn into a quote or a
// backslash: results are JSON when they are fenced, and a name may not add
// fields to it.
var unfolded = strings.NewReplacer("＂", "”", "＼", "∖", "﹨", "∖")

// The brackets that NFKC leaves as they are.
const (
	openers = "‹〈⟨❬❮❰˂ᐸ⧼𝈶"
	closers = "›〉⟩❭❯❱˃ᐳ⧽𝈷𖼿"
)

var invisible = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point,
}

// cut returns at most most runes of text, with a note when there were more.
func cut(text string, most int, note string) string {
	if short, whole := head(text, most); !whole {
		return short + note
	}
	return text
}

// Quote is text as one short line for a person: what can't be seen is gone.
func Quote(text string, most int) string {
	return cut(strings.Join(strings.Fields(Normalise(text)), " "), most, "…")
}

// label keeps a source to what can't break out of its attribute.
func label(source string) string {
	return cut(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@", r) {
			return r
		}
		return '_'
	}, source), maxLabel, "")
}
