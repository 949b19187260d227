package tools

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"vivra/app/agent"
	"vivra/app/preflight"
	"vivra/app/untrusted"
)

// together are the reasons why texts may not leave as one output although each
// of them may: a reader puts the parts together.
func (g Guard) together(texts []string) []Violation {
	var found violations
	bare := make([]string, len(texts))
	for i, text := range texts {
		bare[i] = g.withoutOfficial(text)
	}
	spaced := strings.Join(bare, " ")
	g.pieces(&found, spaced)
	if len(texts) < 2 {
		return found
	}
	for _, a := range g.Addresses(spaced) {
		g.part(&found, a.Address)
	}
	for _, a := range g.Addresses(strings.Join(bare, "")) {
		if !strings.Contains(a.Address, ".") { // an end and a beginning are no name
			g.part(&found, a.Address)
		}
	}
	if len(untrusted.Encoded(spaced)) > 0 {
		found.add(agent.RuleEncoded, "Its texts hold a text in code when they are read as one.")
	}
	whole := glued(bare)
	g.links(&found, whole)
	g.names(&found, whole)
	return found
}

func (g Guard) part(found *violations, address string) {
	if !preflight.Official(address, g.Official.Hex()) && !preflight.Burnt(address) {
		found.add(agent.RuleAddress, "%s, put together from its parts, is not the token's address.", address)
	}
}

// How many hex digits a word needs to be taken for a piece of an address, and
// how many an address has.
const (
	leastPiece    = 10
	addressDigits = 40
)

var (
	runs = regexp.MustCompile(`[\p{L}\p{N}]+`)
	hexy = regexp.MustCompile(`^(0[xX])?([0-9a-fA-F]+)$`)
)

// pieces adds up the parts of an address, whatever stands between them.
func (g Guard) pieces(found *violations, text string) {
	own := strings.ToLower(g.Official.Hex())
	digits, random := 0, false
	for _, word := range runs.FindAllString(untrusted.Fold(text), -1) {
		m := hexy.FindStringSubmatch(word)
		if m == nil || m[1] == "" && len(m[2]) < leastPiece || strings.Contains(own, strings.ToLower(m[2])) || preflight.Burnt("0x"+m[2]) {
			continue
		}
		digits += len(m[2])
		random = random || len(m[2]) >= leastPiece && strings.ContainsAny(m[2], "0123456789") && strings.ContainsAny(m[2], "abcdefABCDEF")
	}
	if random && digits >= addressDigits {
		found.add(agent.RuleAddress, "Its pieces of letters and digits make an address that is not the token's.")
	}
}

// glued are texts one below the other, without the break where a link or a name
// would go on.
func glued(texts []string) string {
	var out strings.Builder
	last := utf8.RuneError
	for _, text := range texts {
		text = strings.TrimSpace(untrusted.Normalise(text))
		if text == "" {
			continue
		}
		if out.Len() > 0 && !sticks(last, text) {
			out.WriteByte('\n')
		}
		out.WriteString(text)
		last, _ = utf8.DecodeLastRuneInString(text)
	}
	return out.String()
}

// sticks tells whether text goes on where a text that ends with last broke off.
func sticks(last rune, text string) bool {
	first, size := utf8.DecodeRuneInString(text)
	next, _ := utf8.DecodeRuneInString(text[size:])
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	switch {
	case strings.ContainsRune("@$/:", last):
		return word(first) || first == '/'
	case last == '.':
		return ending.MatchString(text)
	}
	return word(last) && strings.ContainsRune(".:/", first) && (word(next) || next == '/')
}

// ending is the end of a host that is no word.
var ending = regexp.MustCompile(`^(?i:com|org|net|io|xyz|app|gg|cc|ru|co|info|dev|ai|vip|finance)(?:[^\p{L}\p{N}]|$)`)
