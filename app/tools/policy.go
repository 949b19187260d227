package tools

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

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

// Violations are all the reasons why texts may not leave: what somebody who
// speaks through a model would want in them, also in disguise.
func (g Guard) Violations(texts ...string) []Violation {
	var found violations
	for _, text := range texts {
		g.addresses(&found, text)
		g.links(&found, text)
		g.names(&found, text)
		g.codes(&found, text)
	}
	return found
}

func (g Guard) addresses(found *violations, text string) {
	for _, a := range g.Addresses(text) {
		if !a.Matches {
			found.add(agent.RuleAddress, "%s is not the token's address.", a.Address)
		}
	}
	rest := g.withoutOfficial(text)
	for _, part := range shortened.FindAllString(untrusted.Fold(rest), -1) {
		if !g.known(*found, part) {
			found.add(agent.RuleAddress, "%s… is not the token's address, or not the whole of it.", part)
		}
	}
	for _, reading := range untrusted.Readings(rest) {
		if reading.Kind == untrusted.Leet {
			continue // it has no digits left
		}
		for _, hidden := range preflight.PlainAddresses(reading.Text) {
			if !preflight.Official(hidden, g.Official.Hex()) && !g.known(*found, hidden) {
				found.add(agent.RuleAddress, "%s is not the token's address.", hidden)
			}
		}
	}
}

// shortened is the start of an address.
var shortened = regexp.MustCompile(`\b0[xX][0-9a-fA-F]{4,}`)

// known tells whether an address was found that part belongs to.
func (g Guard) known(found violations, part string) bool {
	return slices.ContainsFunc(found, func(v Violation) bool {
		return v.Rule == agent.RuleAddress && strings.Contains(strings.ToLower(v.Detail), strings.ToLower(part))
	})
}

// withoutOfficial is text without the token's own address.
func (g Guard) withoutOfficial(text string) string {
	return regexp.MustCompile(`(?i)`+g.Official.Hex()).ReplaceAllString(text, "…")
}

func (g Guard) links(found *violations, text string) {
	for _, l := range g.URLs(text) {
		if !l.Allowed {
			found.add(agent.RuleLink, "%s is neither the token's site, nor the live page, nor on the allowlist.", l.URL)
		}
	}
	for _, reading := range untrusted.Readings(text) {
		for _, link := range preflight.Links(reading.Text) {
			whole := strings.Contains(strings.ToLower(link.Text), "://")
			if reading.Kind != untrusted.Leet && reading.Kind != untrusted.Rot13 && whole && !preflight.AllowedLink(link, g.Links) {
				found.add(agent.RuleLink, "%s is neither the token's site, nor the live page, nor on the allowlist.", link.Text)
			}
		}
	}
}

func (g Guard) names(found *violations, text string) {
	for _, name := range preflight.Handles(text) {
		if !strings.EqualFold(name, g.Handle) {
			found.add(agent.RuleMention, "@%s may not be named.", name)
		}
	}
	for _, symbol := range preflight.Tickers(text) {
		if !strings.EqualFold(symbol, g.Symbol) {
			found.add(agent.RuleCashtag, "$%s is not the token's symbol.", symbol)
		}
	}
	for _, command := range preflight.Commands(text) {
		found.add(agent.RuleCommand, "%s is a command to a bot.", command)
	}
}

// codes looks for what a reader would not see, or a machine would obey.
func (g Guard) codes(found *violations, text string) {
	rest := address.ReplaceAllString(text, "…") // those have a rule of their own
	if untrusted.Unseen(rest) {
		found.add(agent.RuleHidden, "It holds characters that can't be seen.")
	}
	if len(untrusted.Encoded(rest)) > 0 {
		found.add(agent.RuleEncoded, "It holds a text in code, or a long row of letters and digits.")
	}
	for _, s := range untrusted.Suspicions(rest) {
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

var address = regexp.MustCompile(`(?i)0x[0-9a-f]{40}\b`)
