package agents

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vivra/app/agent"
)

// PreambleFields fill the preamble. None is outside text: the token's own name
// and symbol go into the user message only.
type PreambleFields struct {
	Slug      string // of the operation; empty when a candidate is studied
	ChainID   int64
	Address   string // EIP-55
	J0        time.Time
	Now       time.Time
	XHandle   string   // without @; empty until one is named
	SiteHost  string   // host name of the relaunched site
	LivePage  string   // URL of the operation's public page
	LinkHosts []string // hosts that a public text may link to besides those two
	// Rules are further sentences, written by code from the settings.
	Rules []string
}

// placeholder is a field of the preamble.
var placeholder = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// preambleNames lists the placeholders that the preamble must hold, each once
// at least, and no other.
var preambleNames = []string{"operation", "chain_id", "address", "j0", "now", "day", "x_account", "site", "live_page", "link_hosts", "rules"}

// Fill returns the system prompt of an agent for one run.
func (c *Catalogue) Fill(a agent.Agent, f PreambleFields) string {
	values := f.values()
	return placeholder.ReplaceAllStringFunc(a.System, func(field string) string {
		if value, ok := values[strings.Trim(field, "{}")]; ok {
			return value
		}
		return field
	})
}

func (f PreambleFields) values() map[string]string {
	v := map[string]string{
		"operation":  plain(f.Slug, "none yet: the token is a candidate"),
		"chain_id":   strconv.FormatInt(f.ChainID, 10),
		"address":    plain(f.Address, "unknown"),
		"j0":         "not set",
		"now":        f.Now.UTC().Format(time.RFC3339),
		"day":        "not started",
		"x_account":  plain(f.XHandle, "none yet"),
		"site":       plain(f.SiteHost, "none yet"),
		"live_page":  plain(f.LivePage, "none yet"),
		"link_hosts": "none",
		"rules":      rules(f.Rules),
	}
	if !f.J0.IsZero() {
		v["j0"], v["day"] = f.J0.UTC().Format(time.RFC3339), day(f.J0, f.Now)
	}
	if hosts := slices.DeleteFunc(slices.Clone(f.LinkHosts), func(h string) bool { return plain(h, "") == "" }); len(hosts) > 0 {
		v["link_hosts"] = strings.Join(hosts, ", ")
	}
	return v
}

// day counts calendar days (UTC) from J0's day.
func day(j0, now time.Time) string {
	days := int(now.UTC().Truncate(24*time.Hour).Sub(j0.UTC().Truncate(24*time.Hour)) / (24 * time.Hour))
	if days < 0 {
		return "not started"
	}
	return fmt.Sprintf("J+%d", days)
}

func rules(list []string) string {
	if len(list) == 0 {
		return "- No further rules."
	}
	return "- " + strings.Join(list, "\n- ")
}

var plainText = regexp.MustCompile(`^[A-Za-z0-9._:/@?=&%+~-]{1,200}$`)

// plain lets only names, addresses and URLs into a system prompt: a sentence
// that somebody hid in a slug or a handle doesn't fit.
func plain(s, otherwise string) string {
	if !plainText.MatchString(s) {
		return otherwise
	}
	return s
}
