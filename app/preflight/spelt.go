package preflight

import (
	"strings"

	"vivra/app/untrusted"
)

// spelt finds addresses whose digits are written as words, such as "zero ex five
// charlie".
func spelt(text string) []string {
	var out strings.Builder
	digits := 0
	for _, word := range strings.FieldsFunc(strings.ToLower(untrusted.Fold(text)), func(r rune) bool { return strings.ContainsRune(" \t\n,.;:-_/|", r) }) {
		digit, ok := spokenDigits[word]
		if !ok && len(word) == 1 && strings.Contains("abcdefx0123456789", word) {
			digit, ok = word, true
		}
		if !ok {
			digit = " "
		} else {
			digits++
		}
		out.WriteString(digit)
	}
	if digits < addressDigits {
		return nil
	}
	return inPieces(out.String())
}

// spokenDigits are the digits of an address as words, also those of the alphabet
// that pilots spell by.
var spokenDigits = map[string]string{"zero": "0", "oh": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"ex": "x", "alpha": "a", "alfa": "a", "bravo": "b", "charlie": "c", "delta": "d", "echo": "e", "foxtrot": "f", "xray": "x",
	"cero": "0", "uno": "1", "dos": "2", "tres": "3", "cuatro": "4", "cinco": "5", "seis": "6", "siete": "7", "ocho": "8", "nueve": "9",
	"null": "0", "eins": "1", "zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9"}
