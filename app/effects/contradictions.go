package effects

import (
	"encoding/json"
	"fmt"
	"slices"

	"vivra/app"
	"vivra/app/preflight"
)

// Contradictions says in sentences where an output speaks of another account,
// group, site or token than the operation's. Approving one with any is refused:
// the next draft is written from the operation as it is.
func Contradictions(f app.Frozen) []string {
	var c contradictions
	for _, call := range f.Calls {
		var to struct {
			Account, Host *string
			Chat          *int64
		}
		if err := json.Unmarshal(call.Request, &to); err != nil {
			c.say("Its calls can't be read.")
			continue
		}
		claim(&c, "account on X", handle, to.Account, f.Account)
		claim(&c, "Telegram group", group, to.Chat, f.Chat)
		claim(&c, "site", set, to.Host, f.Host)
		c.addresses(call, f.OfficialAddress)
	}
	if named, names := official(f); names && !preflight.Official(named, f.OfficialAddress) {
		c.say("It gives %s as the official address, the token's is %s.", set(named), f.OfficialAddress)
	}
	return c
}

type contradictions []string

func (c *contradictions) say(format string, args ...any) {
	if sentence := fmt.Sprintf(format, args...); !slices.Contains(*c, sentence) {
		*c = append(*c, sentence)
	}
}

func claim[T comparable](c *contradictions, what string, show func(T) string, named *T, own T) {
	if named != nil && *named != own {
		c.say("It is for the %s %s, the operation's is %s.", what, show(*named), show(own))
	}
}

// official is the address that a payload gives as the token's, and whether its
// kind gives one.
func official(f app.Frozen) (named string, names bool) {
	var p struct {
		Official string `json:"official_address"`
	}
	if f.Kind != app.KindTelegram && f.Kind != app.KindSite {
		return "", false
	}
	if err := json.Unmarshal(f.Payload, &p); err != nil {
		return "", true
	}
	return p.Official, true
}

// addresses looks through every word of a call that the world will read.
func (c *contradictions) addresses(call app.FrozenCall, own string) {
	for _, text := range texts(call) {
		for _, address := range preflight.Addresses(text) {
			if !preflight.Official(address, own) && !preflight.Burnt(address) {
				c.say("%s is not the token's address.", address)
			}
		}
	}
}

// texts are the words in a call's request. A build's own are in its files,
// which were looked through when it was proposed.
func texts(call app.FrozenCall) (all []string) {
	switch call.Kind {
	case XPost:
		p := request[Post](call)
		all = append(p.PollOptions, p.Text)
		for _, m := range p.Media {
			all = append(all, m.Alt)
		}
	case XProfile:
		p := request[app.ProfilePayload](call)
		all = append(p.Checklist, p.Name, p.Bio, p.URL, p.Picture.Alt, p.Banner.Alt)
	case TGTitle:
		all = []string{request[Title](call).Title}
	case TGDescribe:
		all = []string{request[Description](call).Description}
	case TGMessage:
		all = []string{request[Message](call).Text}
	case TGPoll:
		p := request[Poll](call)
		all = append(p.Options, p.Question)
	case UtilDeploy:
		for _, leaf := range leaves(request[app.UtilityPayload](call).Config) {
			if text, ok := leaf.(string); ok {
				all = append(all, text)
			}
		}
		slices.Sort(all)
	}
	return all
}

func request[T any](call app.FrozenCall) (r T) {
	// What can't be read was told by the caller, and is nothing to look through.
	_ = json.Unmarshal(call.Request, &r)
	return r
}
