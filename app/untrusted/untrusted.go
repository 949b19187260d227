// Package untrusted makes text from outside inert before a model sees it:
// normalised, escaped, capped and put in one fence that the text can't close.
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
	return escaper.Replace(capped(Normalise(text)))
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Normalise folds compatibility forms and drops what can't be seen: controls
// but newline and tab, format and tag characters, variation selectors, private
// use and blanks that are no spaces. Brackets that only look like < and > become
// them, so that one rule takes care of all.
func Normalise(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.In(r, invisible...) || r == 0x2800 || r == 0x1D159 || r&0xFFFE == 0xFFFE:
			return -1
		case strings.ContainsRune(openers, r):
			return '<'
		case strings.ContainsRune(closers, r):
			return '>'
		}
		return r
	}, norm.NFKC.String(unfolded.Replace(text)))
}

// unfolded holds the characters that NFKC would turn into a quote or a
// backslash: results are JSON when they are fenced, and a name may not add
// fields to it.
var unfolded = strings.NewReplacer("＂", "”", "＼", "∖", "﹨", "∖")

// The brackets that NFKC leaves as they are.
const (
	openers = "‹〈⟨❬❮❰˂ᐸ⧼"
	closers = "›〉⟩❭❯❱˃ᐳ⧽"
)

var invisible = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
}

func capped(text string) string {
	n := 0
	for i := range text {
		if n == MaxRunes {
			return text[:i] + "\n[cut: the text goes on]"
		}
		n++
	}
	return text
}

// label keeps a source to what can't break out of its attribute.
func label(source string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@", r) {
			return r
		}
		return '_'
	}, source)
}
