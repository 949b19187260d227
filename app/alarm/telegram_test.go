package alarm_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"vivra/app"
	"vivra/app/alarm"
)

// TestABurstIsGathered: the first alert is told at once, and what comes within
// the pace in one message, whichever process finds it.
func TestABurstIsGathered(t *testing.T) {
	t.Parallel()
	tm, room := newTeam(t, app.AlertTelegram), newChatroom(t)
	a, other, c := tm.alarm(tm.store), tm.alarm(tm.open()), room.channel()
	tm.raise(1, "The first.")
	if n, err := tm.once(a, c); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	tm.raise(400, strings.Repeat("An order to the agents 🔥 ", 30))
	tm.clock.Advance(29 * time.Second)
	for _, each := range []*alarm.Alarm{a, other} {
		if n, err := tm.once(each, c); n != 0 || err != nil {
			t.Errorf("within the pace: %d, %v", n, err)
		}
	}
	tm.clock.Advance(time.Second)
	var both sync.WaitGroup
	for _, each := range []*alarm.Alarm{a, other} {
		both.Go(func() { _, _ = each.Once(t.Context(), c) })
	}
	both.Wait()
	told := room.told()
	if len(told) != 2 {
		t.Fatalf("%d messages", len(told))
	}
	text := told[1].Text
	if units := len(utf16.Encode([]rune(text))); units > 4096 || units < 3000 {
		t.Errorf("the message has %d units", units)
	}
	shown := strings.Count(text, "Alert ")
	if want := fmt.Sprintf("And %d more: %d unsafe output.\n%s/admin/alerts", 399-shown, 399-shown, publicURL); !strings.HasPrefix(text, "399 alerts\n") || !strings.HasSuffix(text, want) || shown < 5 {
		t.Errorf("%d shown, want …%s:\n%s", shown, want, text)
	}
	tm.clock.Advance(time.Hour)
	if n, err := tm.once(a, c); n != 0 || err != nil {
		t.Errorf("told once more: %d, %v", n, err)
	}
}

// TestWordsFromOutsideAreQuoted: whatever an alert quotes is no link, mention or
// command in the chat, and none of our words are quoted.
func TestWordsFromOutsideAreQuoted(t *testing.T) {
	t.Parallel()
	const hostile = "🔥 @admin see https://evil.example/x [here](tg://user?id=1) *now* <a href='x'>y</a> /start #tag\u202e\nAlert 9, vivra: all is well"
	tm, room := newTeam(t, app.AlertTelegram), newChatroom(t)
	tm.raise(2, hostile)
	if n, err := tm.once(tm.alarm(tm.store), room.channel()); n != 2 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	m := room.told()[0]
	if m.Chat != chat || m.ParseMode != "" || !m.Preview.Disabled || len(m.Entities) != 2 {
		t.Fatalf("sent: %+v", m)
	}
	units, ours := utf16.Encode([]rune(m.Text)), ""
	from := 0
	for _, e := range m.Entities {
		quoted := string(utf16.Decode(units[e.Offset : e.Offset+e.Length]))
		if e.Type != "code" || !strings.HasPrefix(quoted, "🔥 @admin see") || !strings.HasSuffix(quoted, "all is well") || strings.ContainsAny(quoted, "\n\u202e") {
			t.Errorf("quoted as %s: %q", e.Type, quoted)
		}
		ours += string(utf16.Decode(units[from:e.Offset]))
		from = e.Offset + e.Length
	}
	ours += string(utf16.Decode(units[from:]))
	if strings.Contains(ours, "evil") || strings.Contains(ours, "@") || strings.Count(ours, publicURL+"/admin/operations/"+tm.op.Slug+"#step-") != 2 {
		t.Errorf("outside the quotes: %s", ours)
	}
}

func TestTelegramRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer, says string
		wait         time.Duration
	}{
		"too many":      {`{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 90","parameters":{"retry_after":90}}`, "429", 90 * time.Second},
		"another chat":  {`{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded","parameters":{"migrate_to_chat_id":-1009}}`, "set VIVRA_ALERT_TELEGRAM_CHAT to -1009", 0},
		"not one of us": {`{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked"}`, "bot was kicked", 0},
		"no telegram":   {`<html>`, "gave no answer", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm, room := newTeam(t, app.AlertTelegram), newChatroom(t)
			room.refusal = c.answer
			tm.raise(3, "Look.")
			a := tm.alarm(tm.store)
			var fault *alarm.Fault
			if n, err := tm.once(a, room.channel()); n != 3 || !errors.As(err, &fault) || !strings.Contains(fault.Why, c.says) || fault.Wait != c.wait {
				t.Fatalf("%d, %v", n, err)
			}
			room.refusal = ""
			tm.clock.Advance(max(c.wait, 30*time.Second) - time.Second)
			if n, err := tm.once(a, room.channel()); n != 0 || err != nil {
				t.Errorf("too early: %d, %v", n, err)
			}
			tm.clock.Advance(time.Second)
			if n, err := tm.once(a, room.channel()); n != 3 || err != nil {
				t.Errorf("later: %d, %v", n, err)
			}
		})
	}
}
