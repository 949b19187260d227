package main

import (
	"fmt"
	"strings"
)

// service is one outside world: all of its variables are set, or it is off.
type service struct {
	needs   []string
	without string // what will not work
}

var services = []service{
	{[]string{"SURPLUS_BASE_URL", "SURPLUS_API_KEY"}, "no agent can think, so steps fail until it is there"},
	{[]string{"IMAGE_BASE_URL", "IMAGE_API_KEY"}, "the designer gets no pictures"},
	{[]string{"RPC_URL"}, "no token can be read, so no takeover can start"},
	{[]string{"EXPLORER_BASE_URL"}, "what only an explorer knows stays unknown, and pages don't link to one"},
	{[]string{"X_CLIENT_ID", "X_CLIENT_SECRET"}, "no account on X can be connected, so nothing is posted there"},
	{[]string{"TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET"}, "no Telegram group is set up or guarded"},
	{[]string{"CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_ZONE_ID", "VIVRA_SITE_DOMAIN"}, "relaunched sites can't be published"},
	{[]string{"VIVRA_ALERT_WEBHOOK_URL", "VIVRA_ALERT_WEBHOOK_SECRET"}, "alerts stand on the team's pages and are posted nowhere"},
}

// missing lists the services that are off.
func (e *environment) missing() []service {
	var off []service
	for _, s := range services {
		if len(e.unset(s.needs)) == len(s.needs) {
			off = append(off, s)
		}
	}
	return off
}

// incomplete reports the services of which only a part is set: that is never meant.
func (e *environment) incomplete() []fault {
	var faults []fault
	for _, s := range services {
		absent := e.unset(s.needs)
		if len(absent) == 0 || len(absent) == len(s.needs) {
			continue
		}
		for _, name := range absent {
			faults = append(faults, fault{name, "is missing: these go together: " + strings.Join(s.needs, ", ")})
		}
	}
	if e.AlertTelegramChat != "" && e.TelegramBotToken == "" {
		faults = append(faults, fault{"TELEGRAM_BOT_TOKEN", "is missing: VIVRA_ALERT_TELEGRAM_CHAT needs the bot that tells of alerts there"})
	}
	return faults
}

func (e *environment) unset(names []string) []string {
	values := make(map[string]string)
	for _, v := range e.variables() {
		values[v.name] = *v.into
	}
	var absent []string
	for _, name := range names {
		if values[name] == "" {
			absent = append(absent, name)
		}
	}
	return absent
}

// fault is one thing wrong with the environment.
type fault struct {
	variable string
	problem  string
}

// misconfigured is the error of a start that was refused, with all its faults.
type misconfigured []fault

func (m misconfigured) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Faults in the configuration: %d", len(m))
	for _, f := range m {
		fmt.Fprintf(&b, "\n  %s %s.", f.variable, f.problem)
	}
	return b.String()
}
