package tools

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vivra/app/agent"
	"vivra/app/preflight"
	"vivra/app/untrusted"
)

// Violation is one reason why a text may not leave.
type Violation struct {
	Rule   agent.Rule
	Detail string // a sentence for who wrote it
}

type violations []Violation

func (v *violations) add(rule agent.Rule, format string, args ...any) {
	found := Violation{rule, fmt.Sprintf(format, args...)}
	if !slices.Contains(*v, found) {
		*v = append(*v, found)
	}
}

// broken tells whether a rule is.
func (v violations) broken(rule agent.Rule) bool {
	return slices.ContainsFunc(v, func(found Violation) bool { return found.Rule == rule })
}

// Violations are all the reasons why texts may not leave: what somebody who
// speaks through a model would want in them, also in disguise, and also when it
// stands partly in one and partly in another.
func (g Guard) Violations(texts ...string) []Violation {
	var found violations
	for _, text := range texts {
		for _, v := range g.alone(text) {
			found.add(v.Rule, "%s", v.Detail)
		}
	}
	for _, v := range g.together(texts) {
		if !found.broken(v.Rule) {
			found.add(v.Rule, "%s", v.Detail)
		}
	}
	return found
}

// alone are the reasons why one text may not leave.
func (g Guard) alone(text string) []Violation {
	var found violations
	g.addresses(&found, text)
	g.links(&found, text)
	g.names(&found, text)
	g.commands(&found, text)
	g.codes(&found, text)
	return found
}

func (g Guard) addresses(found *violations, text string) {
	for _, a := range g.Addresses(text) {
		if !a.Matches && !preflight.Burnt(a.Address) {
			found.add(agent.RuleAddress, "%s is not the token's address.", a.Address)
		}
	}
	rest := g.withoutOfficial(text)
	for _, part := range preflight.Starts(rest) {
		if !g.known(*found, part) && !preflight.Burnt(part) && !g.symbolic(part) {
			found.add(agent.RuleAddress, "%s… is not the token's address, or not the whole of it.", part)
		}
	}
	for _, reading := range untrusted.Readings(rest) {
		if reading.Kind == untrusted.Leet {
			continue // it has no digits left
		}
		for _, hidden := range preflight.PlainAddresses(reading.Text) {
			if !preflight.Official(hidden, g.Official.Hex()) && !preflight.Burnt(hidden) && !g.known(*found, hidden) {
				found.add(agent.RuleAddress, "%s is not the token's address.", hidden)
			}
		}
	}
}

// symbolic tells whether what looks like the start of an address is the token's
// symbol.
func (g Guard) symbolic(part string) bool {
	return strings.EqualFold(part, g.Symbol) || strings.EqualFold(part, "0x"+g.Symbol)
}

// known tells whether an address was found that part belongs to.
func (g Guard) known(found violations, part string) bool {
	return slices.ContainsFunc(found, func(v Violation) bool {
		return v.Rule == agent.RuleAddress && strings.Contains(strings.ToLower(v.Detail), strings.ToLower(part))
	})
}

// withoutOfficial is text without the token's own address, with or without 0x
// and also where it is wrapped.
func (g Guard) withoutOfficial(text string) string {
	digits := strings.Split(strings.TrimPrefix(g.Official.Hex(), "0x"), "")
	own := regexp.MustCompile(`(?i)(?:0x\s{0,2})?` + strings.Join(digits, `\s{0,2}`))
	var out strings.Builder
	end := 0
	for _, at := range own.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[end:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if !wordly(before) && !wordly(after) {
			out.WriteString(text[end:at[0]] + "…")
			end = at[1]
		}
	}
	return out.String() + text[end:]
}

// wordly tells whether an address would go on with r; letters of other scripts
// may stand right beside one.
func wordly(r rune) bool {
	return r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func (g Guard) links(found *violations, text string) {
	if strings.Contains(g.Symbol, ".") {
		own := regexp.MustCompile(`(?i)\$` + regexp.QuoteMeta(g.Symbol))
		text = own.ReplaceAllString(text, " ") // $DO.DO is no host
	}
	for _, l := range g.URLs(text) {
		if !l.Allowed {
			found.add(agent.RuleLink, notAllowed+preflight.Hint(l.URL), l.URL)
		}
	}
	for _, reading := range untrusted.Readings(text) {
		// In the others an ending is met by chance.
		shown := reading.Kind == untrusted.Escaped || reading.Kind == untrusted.LookAlike || reading.Kind == untrusted.Spaced
		for _, link := range preflight.Links(reading.Text) {
			whole := shown || reading.Kind == untrusted.Reversed && strings.Contains(link.Text, "://")
			if whole && !(preflight.AllowedLink(link, g.Links) && !carries(link.Text)) {
				found.add(agent.RuleLink, notAllowed, link.Text)
			}
		}
	}
}

const notAllowed = "%s is neither the token's site, nor the live page, nor on the allowlist."

// carries tells whether a link holds another one, to which its page may lead on.
func carries(link string) bool {
	_, place, _ := strings.Cut(link, "://")
	if place == "" {
		place = link
	}
	at := strings.IndexAny(place, "/?#")
	if at < 0 {
		return false
	}
	rest := unescaped(place[at:])
	if strings.Contains(rest, "//") || strings.Contains(rest, `\`) || strings.Contains(rest, "@") {
		return true
	}
	_, query, _ := strings.Cut(strings.ReplaceAll(rest, "#", "?"), "?")
	return slices.ContainsFunc(strings.FieldsFunc(query, func(r rune) bool { return strings.ContainsRune("?&=;,|", r) }), func(value string) bool {
		return preflight.HasLink(value) || preflight.HasLink("https://"+value)
	})
}

// unescaped undoes the escapes of a web address, also where they are escaped
// themselves.
func unescaped(text string) string {
	for range 3 {
		if plain, err := url.PathUnescape(text); err == nil {
			text = plain
		}
	}
	return text
}

func (g Guard) names(found *violations, text string) {
	for _, name := range preflight.Handles(text) {
		if !strings.EqualFold(name, g.Handle) {
			found.add(agent.RuleMention, "@%s may not be named.", name)
		}
	}
	for _, symbol := range preflight.Tickers(text, g.Symbol, g.Handle) {
		found.add(agent.RuleCashtag, "$%s is not the token's symbol.", symbol)
	}
}

// codes looks for what a reader would not see, or a machine would obey.
func (g Guard) codes(found *violations, text string) {
	rest := preflight.WithoutPlain(g.withoutOfficial(text)) // those have a rule of their own
	if untrusted.Unseen(rest) {
		found.add(agent.RuleHidden, "It holds characters that can't be seen.")
	}
	if len(untrusted.Encoded(rest)) > 0 {
		found.add(agent.RuleEncoded, "It holds a text in code, or a long row of letters and digits.")
	}
	for _, s := range untrusted.Orders(rest) {
		switch s.Kind {
		case untrusted.Hidden:
			found.add(agent.RuleHidden, "It holds characters that can't be seen.")
		case untrusted.Base64, untrusted.Hex, untrusted.Morse:
			found.add(agent.RuleEncoded, "It holds a text in code, or a long row of letters and digits.")
		default:
			found.add(agent.RuleInstruction, "It tells whoever reads it what to do.")
		}
	}
}
