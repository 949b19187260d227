package mentions

import (
	"regexp"
	"strings"

	"vivra/app/preflight"
	"vivra/app/untrusted"
)

// field is one text that an author can put before a reader.
type field struct {
	text string
	name bool // what somebody calls or says of themselves
}

func fields(p Post) []field {
	all := []field{{text: p.Text}}
	for _, alt := range p.Alts {
		all = append(all, field{text: alt})
	}
	if p.Author != nil {
		all = append(all, field{p.Author.Name, true}, field{p.Author.Bio, true})
	}
	return all
}

// steers tells whether a mention tries to have something said or done, and how.
// It misses what no rule knows: the reader after it can neither act nor speak.
func steers(p Post, official string) (Why, bool) {
	var whole []string
	for _, f := range fields(p) {
		whole = append(whole, f.text)
		if why, found := inField(f, official); found {
			return why, true
		}
	}
	// An address may stand partly in one and partly in another.
	if named(field{strings.Join(whole, "\n"), true}, official) {
		return Address, true
	}
	return "", false
}

func inField(f field, official string) (Why, bool) {
	readings := untrusted.Readings(f.text)
	switch {
	case named(f, official), strange(f.text, readings, official):
		return Address, true
	case orders(f.text, readings):
		return Instruction, true
	}
	for _, s := range untrusted.Suspicions(f.text) {
		switch s.Kind {
		case untrusted.Hidden:
			return Hidden, true
		case untrusted.Base64, untrusted.Hex, untrusted.Morse:
			return Encoded, true
		default:
			return Instruction, true
		}
	}
	rest := preflight.WithoutPlain(f.text) // those have a rule of their own
	if untrusted.Unseen(rest) {
		return Hidden, true
	}
	// Pictures and links of X are rows of letters and digits.
	if len(untrusted.Encoded(links.ReplaceAllString(rest, "…"))) > 0 {
		return Encoded, true
	}
	return "", false
}

var links = regexp.MustCompile(`(?i)https?://\S+`)

// named tells whether a text names an account that is not the token's, in
// whatever disguise. A name such as dodo.eth in what somebody calls themselves
// is their own.
func named(f field, official string) bool {
	for _, a := range preflight.Addresses(f.text) {
		if !ours(a, official) && (!f.name || strings.HasPrefix(a, "0x")) {
			return true
		}
	}
	return false
}

// strange tells whether a text holds an address that is not the token's, or the
// start of one, when it is read in another way.
func strange(text string, readings []untrusted.Suspicion, official string) bool {
	var found []string
	for _, r := range readings {
		if r.Kind != untrusted.Leet { // it has no digits left
			found = append(found, preflight.PlainAddresses(r.Text)...)
		}
	}
	for _, a := range found {
		if !ours(a, official) {
			return true
		}
	}
	for _, start := range preflight.Starts(text) {
		if !strings.HasPrefix(strings.ToLower(official), strings.ToLower(start)) && !preflight.Burnt(start) {
			return true
		}
	}
	return false
}

func ours(address, official string) bool {
	return preflight.Official(address, official) || preflight.Burnt(address)
}
