package paths

import (
	"net/url"
	"strings"
)

// AlertList is a part of the alerts.
type AlertList struct {
	Operation    string // slug; empty: of all
	Kind         string // empty: of all kinds
	Acknowledged bool   // those that somebody has acknowledged
	Before       int64  // only what is older than the alert with that number
}

func (l AlertList) query() url.Values {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("operation", l.Operation)
	set("kind", l.Kind)
	if l.Acknowledged {
		q.Set("acknowledged", "yes")
	}
	if l.Before > 0 {
		q.Set("before", number(l.Before))
	}
	return q
}

// URL is the page of the list.
func (l AlertList) URL() string { return withQuery(Alerts(), l.query()) }

// Live keeps that page up to date.
func (l AlertList) Live() string { return withQuery(Alerts()+"/live", l.query()) }

func AlertsAcknowledgement() string { return Alerts() + "/acknowledgement" }

// EffectID is the DOM id of a publication, which its key is made into.
func EffectID(key string) string { return "effect-" + strings.ReplaceAll(key, "/", "-") }

// StepAnchor is a step on its operation's page.
func StepAnchor(slug, key string) string { return AdminOperation(slug) + "#" + StepID(key) }

// EffectAnchor is a publication on its operation's page.
func EffectAnchor(slug, key string) string { return AdminOperation(slug) + "#" + EffectID(key) }

// AlertPlace is where what an alert tells of can be seen to. Its subject begins
// with a step's key, a publication's key, a draft's id or a wall of the budget.
func AlertPlace(slug, kind, subject string) string {
	name := subject
	if cut := strings.IndexAny(subject, "#: "); cut > 0 {
		name = subject[:cut]
	}
	switch kind {
	case "validation_overdue", "payload_changed", "approval_expired":
		draft, _, _ := strings.Cut(name, "/")
		return Validation(draft)
	case "mention_flagged":
		return MentionList{Slug: slug, State: "flagged"}.URL()
	case "mentions_unread", "mentions_missed":
		return MentionList{Slug: slug}.URL()
	case "mentions_bound":
		return SettingAnchor("x.mentions_daily_cents")
	case "x_account":
		if handle, ok := strings.CutPrefix(name, "@"); ok {
			return XAccount(handle)
		}
		return XAccounts()
	case "effect_unknown", "publication_failed", "not_applied":
		return EffectAnchor(slug, name)
	case "step_failed", "rejected", "unsafe_output", "nothing_to_publish":
		return StepAnchor(slug, name)
	case "budget_warning", "budget_exceeded", "overrun":
		subject, _, _ := strings.Cut(subject, " ") // an earlier cap
		if agent, ok := strings.CutPrefix(subject, "agent:"); ok {
			return SettingAnchor("budget.share_percent." + agent)
		}
		return AdminOperation(slug) + "#budget"
	}
	if strings.HasPrefix(kind, "agent_") && subject != "" {
		return StepAnchor(slug, name)
	}
	return AdminOperation(slug)
}
