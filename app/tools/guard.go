package tools

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/preflight"
	"vivra/app/untrusted"
)

// Guard knows what an output of one operation may hold.
type Guard struct {
	Official app.Address
	// Links are hosts (pons.family, with the port if one is written) or pages
	// (t.me/dodo, and all below it).
	Links []string
	// Handle is the operation's own account on X, Symbol the token's symbol.
	Handle, Symbol string
	// Telegram: the texts go there, where a command counts wherever it stands.
	Telegram bool
	// Code must stand in a post, as it is; empty for none.
	Code string
	// Banned are the phrases that no post may hold.
	Banned []string
	// Said is what the account has said by Now, and what waits to be said. A daily
	// post must not be like any of it.
	Said  []app.Said
	Now   time.Time
	Daily bool
}

// GuardOf is the guard of scope's operation: its own address, account and
// symbol; links to its site, its account on X, the product's public pages and
// the allowlist.
func GuardOf(scope agent.Scope, publicURL string) Guard {
	own := strings.TrimPrefix(strings.TrimPrefix(publicURL, "https://"), "http://")
	links := append(slices.Clone(scope.LinkHosts), scope.SiteHost, own)
	if scope.XHandle != "" {
		links = append(links, "x.com/"+scope.XHandle)
	}
	return Guard{Official: scope.Token.Ref.Address, Links: links, Handle: scope.XHandle, Symbol: scope.Token.Symbol, Telegram: scope.Agent == tgBot, Code: scope.Code,
		Banned: scope.Banned, Now: scope.Now, Daily: scope.Task == "cm.daily_post"}
}

func (d Deps) guard(scope agent.Scope) Guard { return GuardOf(scope, d.PublicURL) }

// speaker is the guard of what an operation's account says: it knows what that
// has said before.
func (d Deps) speaker(ctx context.Context, scope agent.Scope) (Guard, error) {
	said, err := d.History.Said(ctx, scope)
	if err != nil {
		return Guard{}, fmt.Errorf("look for what the account has said: %w", err)
	}
	g := d.guard(scope)
	g.Said = said
	return g, nil
}

// Allows tells whether an output may link to link, with or without a scheme.
func (g Guard) Allows(link string) bool {
	if !strings.Contains(link, "://") {
		link = "https://" + link
	}
	links := preflight.Links(link)
	return len(links) == 1 && links[0].Text == link && preflight.AllowedLink(links[0], g.Links) && !carries(link)
}

// Addresses are those in texts, seen through disguises as well.
func (g Guard) Addresses(texts ...string) []app.FoundAddress {
	found := []app.FoundAddress{}
	for _, address := range each(preflight.Addresses, texts) {
		found = append(found, app.FoundAddress{Address: address, Matches: preflight.Official(address, g.Official.Hex())})
	}
	return found
}

// URLs are the links in texts, seen through disguises as well: what X or
// Telegram would make a link of, and anything else that names a scheme.
func (g Guard) URLs(texts ...string) []app.FoundLink {
	found := []app.FoundLink{}
	for _, link := range each(linksIn, texts) {
		found = append(found, app.FoundLink{URL: link, Allowed: g.Allows(link)})
	}
	return found
}

var schemed = regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*)://[^\s<>"]+`)

func linksIn(text string) (found []string) {
	for _, link := range preflight.Links(text) {
		found = append(found, link.Text)
	}
	found = append(found, preflight.HiddenLinks(text)...)
	for _, m := range schemed.FindAllStringSubmatch(text, -1) {
		u, err := url.Parse(m[0])
		if scheme := strings.ToLower(m[1]); err != nil || u.User != nil || scheme != "https" && scheme != "http" {
			found = append(found, m[0])
		}
	}
	// Telegram, unlike X, links a bare name in any alphabet.
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`()[]{}<>,;"`, r) }) {
		if !preflight.HasLink(word) && preflight.HasLink("https://"+word) {
			found = append(found, word)
		}
	}
	return found
}

// Problems says in sentences why texts may not go out.
func (g Guard) Problems(texts ...string) (problems []string) {
	for _, v := range g.Violations(texts...) {
		problems = append(problems, v.Detail)
	}
	return problems
}

// Risk is what a person sees before deciding on texts. effect says what
// approval will do; price is what the platform will charge.
func (g Guard) Risk(effect string, price app.Nano, texts ...string) app.Risk {
	return app.Risk{
		Addresses: g.Addresses(texts...), Links: g.URLs(texts...), Problems: list(g.Problems(texts...)),
		Sources: []string{}, PublishPrice: price, Effect: effect,
	}
}

// each collects what extract finds in the texts as they are and as they look
// once what can't be seen is gone; each find once.
func each(extract func(string) []string, texts []string) (found []string) {
	for _, text := range texts {
		finds := extract(text)
		if seen := untrusted.Normalise(text); seen != text {
			finds = append(finds, extract(seen)...)
		}
		for _, find := range finds {
			if !slices.Contains(found, find) {
				found = append(found, find)
			}
		}
	}
	return found
}
