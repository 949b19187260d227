package preflight

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	mention = regexp.MustCompile(`[@＠]([A-Za-z0-9_]{1,20})`)
	cashtag = regexp.MustCompile(`(?i)\$([a-z]{1,6}(?:[._][a-z]{1,2})?)`)
)

// Mentions returns the account names the text addresses, without @, in order.
func Mentions(text string) []string {
	var names []string
	for _, at := range mention.FindAllStringSubmatchIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if isWord(before) || strings.ContainsRune("!#$%&*@＠", before) || after == '@' || after == '＠' {
			continue
		}
		names = append(names, text[at[2]:at[3]])
	}
	return names
}

// Cashtags returns the symbols that X makes cashtags of, without $, in order.
func Cashtags(text string) []string {
	var symbols []string
	for _, at := range cashtag.FindAllStringSubmatchIndex(text, -1) {
		before, size := utf8.DecodeLastRuneInString(text[:at[0]])
		after, left := utf8.DecodeRuneInString(text[at[1]:])
		if size > 0 && !unicode.IsSpace(before) || left > 0 && !unicode.IsSpace(after) && !unicode.IsPunct(after) || after == '_' {
			continue
		}
		symbols = append(symbols, text[at[2]:at[3]])
	}
	return symbols
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
