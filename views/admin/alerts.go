package admin

import (
	"fmt"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/layout"
	"vivra/views/ui"
)

// Alerts is a page of alerts, open ones or those that somebody acknowledged.
type Alerts struct {
	layout.Team
	List   paths.AlertList
	Page   app.AlertPage
	Groups []app.AlertGroup // of the open ones
	Now    time.Time
}

func (m Alerts) open() (n int) {
	for _, g := range m.Groups {
		n += g.Count
	}
	return n
}

// live tells whether the page is kept up to date: what is older does not change.
func (m Alerts) live() bool { return m.List.Before == 0 && !m.List.Acknowledged }

func (m Alerts) filtered() bool { return m.List.Operation != "" || m.List.Kind != "" }

// title says what the list holds.
func (m Alerts) title() string {
	what := "Open"
	if m.List.Acknowledged {
		what = "Acknowledged"
	}
	if m.List.Kind != "" {
		what += ": " + alertKind(m.List.Kind)
	}
	if m.List.Operation != "" {
		what += ", " + m.List.Operation
	}
	return what
}

// older is the list from where this page ends.
func (m Alerts) older() string {
	l := m.List
	l.Before = m.Page.Items[len(m.Page.Items)-1].ID
	return l.URL()
}

// everyOne is the list without a filter, open or not as this one.
func (m Alerts) everyOne() string { return paths.AlertList{Acknowledged: m.List.Acknowledged}.URL() }

func (m Alerts) here(g app.AlertGroup) bool {
	return g.Operation == m.List.Operation && g.Kind == m.List.Kind
}

// alertKind is a kind in words. What an agent calls its alert stands as it is.
func alertKind(kind string) string {
	words := map[string]string{
		"approval_expired":   "approval expired",
		"budget_exceeded":    "budget used up",
		"budget_warning":     "budget nearly used up",
		"effect_unknown":     "in doubt",
		"mention_flagged":    "mentions to be seen",
		"mentions_bound":     "mentions wait for tomorrow",
		"mentions_missed":    "mentions may be lost",
		"mentions_unread":    "mentions can't be read",
		"not_applied":        "not applied on X",
		"nothing_to_publish": "nothing to publish",
		"overrun":            "charged too much",
		"payload_changed":    "not what was approved",
		"publication_failed": "not published",
		"rejected":           "rejected too often",
		"step_failed":        "step failed",
		"token_name":         "unsafe name",
		"unsafe_output":      "kept from leaving",
		"validation_overdue": "waits too long",
		"x_account":          "account on X",
	}
	if word := words[kind]; word != "" {
		return word
	}
	if own, ok := strings.CutPrefix(kind, "agent_"); ok {
		return "an agent says: " + strings.ReplaceAll(own, "_", " ")
	}
	return strings.ReplaceAll(kind, "_", " ")
}

// advice is what to do about an alert, and how the link to the place is called.
func advice(a app.Alert) (todo, link string) {
	switch a.Kind {
	case "validation_overdue":
		return "Approve or reject it.", "Open the output"
	case "payload_changed", "approval_expired":
		return "Nothing more goes out on that approval. Decide the draft that waits in its place; where a part is out, say how it goes on.", "Open the draft"
	case "effect_unknown":
		return "Look there whether it went out, then say which.", "Settle it"
	case "publication_failed":
		return "Mend what the platform complains of, then retry it, or skip the step. Where a part is out, it goes on from there or ends with that.", "See the publication"
	case "not_applied":
		return "Enter it on X as the checklist has it. It is read back by itself.", "See what is missing"
	case "x_account":
		return "Connect the account. What waits goes out then.", "Open the accounts"
	case "mention_flagged":
		return "Look at them. None was answered.", "See the mentions"
	case "mentions_unread":
		return "Look at the account in X's developer console. Reading goes on by itself.", "See the mentions"
	case "mentions_missed":
		return "Look for them on X.", "See the mentions"
	case "mentions_bound":
		return "Raise what a day may cost, or leave it: X keeps the newest 800 of them.", "Open the setting"
	case "step_failed", "rejected":
		return "Read its trace, then run it again or skip it.", "See the step"
	case "unsafe_output":
		return "Nothing of it went out. Look at what the run had read.", "See the step"
	case "nothing_to_publish":
		return "Read why in its trace.", "See the step"
	case "budget_warning", "budget_exceeded", "overrun":
		if strings.HasPrefix(a.Subject, "agent:") {
			return "Raise the agent's share, or leave it.", "Open the setting"
		}
		if strings.HasPrefix(a.Subject, "x/") {
			return "Look at what X's developer console says it charged.", "See the budget"
		}
		return "Raise the cap, or let it end here.", "See the budget"
	}
	if strings.HasPrefix(a.Kind, "agent_") {
		return "An agent asks for a person: look at its step.", "See the step"
	}
	return "Look at the operation.", "See the operation"
}

func alertPlace(a app.Alert) string { return paths.AlertPlace(a.OperationSlug, a.Kind, a.Subject) }

// faultWords says that alerts do not reach a channel.
func faultWords(f app.DeliveryFault) string {
	name := map[string]string{app.AlertTelegram: "the Telegram chat", app.AlertWebhook: "the webhook"}[f.Channel]
	var what []string
	if f.GivenUp > 0 {
		what = append(what, ui.Count(f.GivenUp, "was given up", "were given up")+" after a day")
	}
	if f.Waiting > 0 {
		what = append(what, ui.Count(f.Waiting, "is tried again", "are tried again"))
	}
	return fmt.Sprintf("Alerts do not reach %s: %s. %s They stand here in any case.", name, strings.Join(what, ", "), f.Why)
}
