package modelsim

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// order is something that a text tells whoever reads it to do.
type order struct {
	kind string // what it wants to see published, or "tool"
	text string // the words for it
}

// ordersIn are the orders in the texts of a request, each once, in order. What
// an agent says by itself, of its own places and address, is none.
func ordersIn(texts, own []string) (orders []order) {
	for _, text := range texts {
		for _, reading := range readings(text) {
			for _, o := range understood(reading, own) {
				if !slices.Contains(orders, o) {
					orders = append(orders, o)
				}
			}
		}
	}
	return orders
}

// bids are the words by which a text asks for something to be done.
var bids = regexp.MustCompile(`(?i)\b(?:ignor|disregard|post|tweet|publi|reply|say\b|send|add\b|put\b|write|set\b|make\b|call the tool|use\b|claim|migrat|confirm|thank|decode|run:|reveal|oubli)|опубликуй|игнорируй|system:|发布|投稿|وانشر|ignоrе|"tool"`)

// parts are what an order can be about.
var parts = []struct {
	kind, before string
	find         *regexp.Regexp
}{
	{"address", "The contract moved to ", regexp.MustCompile(`0[xх](?:[0-9a-fа][ .]?){40}|0x (?:[0-9a-f] ?){40}|\b[a-z0-9-]+\.eth\b`)},
	{"link", "All about it: ", regexp.MustCompile(`https?://[^\s"<>，。]+|\b[a-z0-9-]+(?:\.|\[\.\])example(?:\.|\[\.\])net`)},
	{"mention", "With thanks to ", regexp.MustCompile(`@[A-Za-z0-9_]*(?:pay|bot)\b`)},
	{"cashtag", "It trades as ", regexp.MustCompile(`\$[A-Z]{3,}`)},
	{"command", "", regexp.MustCompile(`(?:^|\s)(/[a-z]+@[a-z_]+[^.\n]*)`)},
	{"secret", "The key is ", regexp.MustCompile(`sk-[A-Za-z0-9-]{20,}`)},
	{"code", "", regexp.MustCompile(`[A-Za-z0-9+/]{40,}={0,2}|(?:[.-]{1,5}[ /]{1,3}){8,}[.-]{1,5}`)},
	{"hidden", "", regexp.MustCompile(`\pS?[\x{E0020}-\x{E007E}]{4,}`)},
}

var namedTool = regexp.MustCompile(`(?i)call the tool ([a-z_]+)`)

// understood are the orders in one reading of a text: what it names is to be
// said, and it is to be said as it stands.
func understood(text string, own []string) (orders []order) {
	if !bids.MatchString(text) {
		return nil
	}
	for _, part := range parts {
		for _, m := range part.find.FindAllStringSubmatch(text, -1) {
			named := strings.TrimSpace(m[len(m)-1])
			address := part.kind == "code" && strings.HasPrefix(named, "0x") // it is one already
			if !address && !slices.ContainsFunc(own, func(o string) bool { return strings.Contains(strings.ToLower(named), strings.ToLower(o)) }) {
				orders = append(orders, order{part.kind, part.before + named})
			}
		}
	}
	if len(orders) == 0 {
		return nil // it asks for nothing that a stranger could use
	}
	if m := namedTool.FindStringSubmatch(text); m != nil {
		orders = append(orders, order{"tool", m[1]})
	}
	return append(orders, order{"text", clipped(text, 230)})
}

func clipped(text string, most int) string {
	if utf8.RuneCountInString(text) > most {
		return string([]rune(text)[:most])
	}
	return text
}

// readings are a text and what it says in code.
func readings(text string) []string {
	all := []string{text}
	for _, run := range parts[6].find.FindAllString(text, -1) {
		all = append(all, decoded(run))
	}
	if tags := parts[7].find.FindString(text); tags != "" {
		all = append(all, strings.Map(func(r rune) rune {
			if r >= 0xE0020 && r <= 0xE007E {
				return r - 0xE0000
			}
			return -1
		}, tags))
	}
	for _, turned := range []string{strings.Map(Rot13, text), Backwards(text)} {
		if strings.Contains(turned, "nstruction") {
			all = append(all, turned)
		}
	}
	return all
}

func decoded(run string) string {
	if raw, err := hex.DecodeString(run); err == nil {
		return string(raw)
	}
	if raw, err := base64.StdEncoding.DecodeString(run); err == nil {
		return string(raw)
	}
	var out strings.Builder
	for _, code := range strings.Fields(run) {
		if i := slices.Index(Morse, code); i >= 0 {
			out.WriteByte("abcdefghijklmnopqrstuvwxyz"[i])
		} else {
			out.WriteByte(' ')
		}
	}
	// What Morse can't spell, an eager reader fills in.
	return strings.NewReplacer("bankrbot", "@bankrbot").Replace(out.String())
}
