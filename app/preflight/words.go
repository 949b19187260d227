package preflight

import "vivra/app/xtext"

// Mentions returns the account names that the text addresses on X, without @, in
// order, those of lists behind the others.
func Mentions(text string) []string { return append(xtext.Mentions(text), xtext.Lists(text)...) }

// Cashtags returns the symbols that X makes cashtags of, without $, in order.
func Cashtags(text string) []string { return xtext.Cashtags(text) }

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
