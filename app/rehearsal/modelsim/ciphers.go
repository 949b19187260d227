package modelsim

import (
	"slices"
	"strings"
)

// What attackers write in and an obedient model reads. The product decodes with
// tables of its own: a fault in one must not hide the same fault in the other.

// Morse are the codes of a to z.
var Morse = strings.Fields(".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..")

// Rot13 turns a letter by half the alphabet.
func Rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

// Backwards is text from its end.
func Backwards(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}
