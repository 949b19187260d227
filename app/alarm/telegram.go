package alarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/paths"
	"vivra/app/telegram"
	"vivra/app/untrusted"
)

// Messenger sends to a chat.
type Messenger interface {
	SendNote(ctx context.Context, chat int64, n *telegram.Note) (int64, error)
}

// Telegram tells a chat of the team. What comes within the pace is told in one
// message.
type Telegram struct {
	Bot       Messenger
	Chat      int64
	PublicURL string
}

const (
	telegramPace = 30 * time.Second
	telegramMost = 2000 // a message names the first few and counts the others
)

// Name implements Channel.
func (Telegram) Name() string { return app.AlertTelegram }

// Gather implements Channel.
func (Telegram) Gather() (int, time.Duration) { return telegramMost, telegramPace }

// Send implements Channel.
func (t Telegram) Send(ctx context.Context, all []app.Delivery) error {
	_, err := t.Bot.SendNote(ctx, t.Chat, t.note(all))
	var refused *telegram.APIError
	switch {
	case errors.As(err, &refused) && refused.MigrateTo != 0:
		return &Fault{Why: fmt.Sprintf("The group has become a supergroup: set VIVRA_ALERT_TELEGRAM_CHAT to %d.", refused.MigrateTo)}
	case errors.As(err, &refused):
		return &Fault{Why: untrusted.Quote(refused.Error(), 200), Wait: refused.RetryAfter}
	case err != nil:
		return &Fault{Why: "Telegram can't be reached, or gave no answer."}
	}
	return nil
}

// maxWords of an alert's message are shown.
const maxWords = 300

// note lists what came, as far as a message goes, and counts the rest.
func (t Telegram) note(all []app.Delivery) *telegram.Note {
	n := new(telegram.Note)
	if len(all) > 1 {
		n.Say(fmt.Sprintf("%d alerts\n\n", len(all)))
	}
	left := telegram.MaxNote - telegram.Units(n.Text())
	for i, d := range all {
		head, words, link := fmt.Sprintf("Alert %d, %s: %s\n", d.ID, d.OperationSlug, kind(d.Kind)), untrusted.Quote(d.Message, maxWords), "\n"+t.link(d)+"\n\n"
		used := telegram.Units(head + words + link)
		if used+telegram.Units(t.rest(all[i+1:])) > left {
			n.Say(t.rest(all[i:]))
			return n
		}
		left -= used
		n.Say(head)
		n.Quote(words)
		n.Say(link)
	}
	return n
}

func (t Telegram) link(d app.Delivery) string {
	return t.PublicURL + paths.AlertPlace(d.OperationSlug, d.Kind, d.Subject)
}

// rest counts alerts by kind, the most frequent first.
func (t Telegram) rest(all []app.Delivery) string {
	const most = 8
	if len(all) == 0 {
		return ""
	}
	counts := map[string]int{}
	var kinds []string
	for _, d := range all {
		k := kind(d.Kind)
		if counts[k]++; counts[k] == 1 {
			kinds = append(kinds, k)
		}
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return counts[b] - counts[a] })
	var parts []string
	for _, k := range kinds[:min(most, len(kinds))] {
		parts = append(parts, fmt.Sprintf("%d %s", counts[k], k))
	}
	if len(kinds) > most {
		parts = append(parts, "and others")
	}
	return fmt.Sprintf("And %d more: %s.\n%s%s", len(all), strings.Join(parts, ", "), t.PublicURL, paths.Alerts())
}

// kind is a kind's name in words. An agent may have made it up, from letters
// and underscores only.
func kind(k string) string { return strings.ReplaceAll(k, "_", " ") }
