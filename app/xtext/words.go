package xtext

import (
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var named = regexp.MustCompile(`(?:^|[^a-zA-Z0-9_!#$%&*@＠]|(?:^|[^a-zA-Z0-9_+~.\-])[rR][tT]:?)[@＠]([a-zA-Z0-9_]{1,20})(/[a-zA-Z][a-zA-Z0-9_\-]{0,24})?`)

// Mentions returns the accounts that X takes for named, without @, in order.
func Mentions(text string) []string { return names(text, false) }

// Lists returns the accounts that a text names only as the owners of lists.
func Lists(text string) []string { return names(text, true) }

func names(text string, lists bool) (found []string) {
	if !strings.ContainsAny(text, "@＠") {
		return nil
	}
	for _, at := range named.FindAllStringSubmatchIndex(text, -1) {
		if rest := text[at[1]:]; !goesOn(rest) && (at[4] >= 0) == lists {
			found = append(found, text[at[2]:at[3]])
		}
	}
	return found
}

// goesOn tells whether what follows a name makes something else of it.
func goesOn(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return r == '@' || r == '＠' || r <= 0xFFFF && accented(uint16(r)) || strings.HasPrefix(rest, "://")
}

// Cashtags returns the symbols that X makes cashtags of, without $, in order.
func Cashtags(text string) (found []string) {
	u := utf16.Encode([]rune(text))
	for i := 0; i < len(u); i++ {
		if u[i] != '$' || i > 0 && !space(u[i-1]) {
			continue
		}
		if n := symbol(u[i+1:]); n > 0 {
			found = append(found, string(utf16.Decode(u[i+1:i+1+n])))
			i += n
		}
	}
	return found
}

// symbol is how long the symbol at the start of u is: 1 to 6 letters, then
// perhaps . or _ and one or two more.
func symbol(u []uint16) int {
	n := letters(u)
	if n == 0 || n > 6 {
		return 0
	}
	if n < len(u) && (u[n] == '.' || u[n] == '_') {
		if more := letters(u[n+1:]); more > 0 && more <= 2 && ends(u[n+1+more:]) {
			return n + 1 + more
		}
	}
	if !ends(u[n:]) {
		return 0
	}
	return n
}

func letters(u []uint16) int {
	for i, c := range u {
		if !letter(c) {
			return i
		}
	}
	return len(u)
}

// ends tells whether a symbol may end before u.
func ends(u []uint16) bool {
	return len(u) == 0 || punctuation(u[0]) || u[0] == 0xFEFF || space(u[0]) && u[0] != 0x85 && u[0] != 0x180E
}
