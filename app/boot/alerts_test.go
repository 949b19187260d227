package boot_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/alarm"
	"vivra/app/boot"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
)

// TestAlertsAreBroughtWhereTheConfigurationSays, by a process that is only told
// of them by the database, and without the address in its log.
func TestAlertsAreBroughtWhereTheConfigurationSays(t *testing.T) {
	t.Parallel()
	came := make(chan string, 10)
	keep := func(what string, answer string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.Header.Get(alarm.HeaderSignature) == "sha256="+alarm.Sign("alert-secret-0123456789", r.Header.Get(alarm.HeaderTimestamp), body) || strings.HasSuffix(r.URL.Path, "/sendMessage") {
				came <- what
			}
			_, _ = io.WriteString(w, answer)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	hook, bot := keep("webhook", "ok")+"/url-secret", keep("chat", `{"ok":true,"result":{"message_id":1}}`)
	p := serve(t, testdb.URL(t), func(c *boot.Config) {
		c.TelegramAPIBaseURL, c.TelegramBotToken, c.AlertTelegramChat = bot, "77:bot-secret", "-1001"
		c.AlertWebhookURL, c.AlertWebhookSecret = hook, "alert-secret-0123456789"
	})
	store := p.app().Store
	op := testop.New(t, store, 1, app.Dollar)
	if err := store.RaiseAlert(t.Context(), op.ID, "rejected", "x", "Look.", time.Now()); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for range 2 {
		select {
		case what := <-came:
			got[what] = true
		case <-time.After(soon):
			t.Fatalf("only %v came:\n%s", got, p.log)
		}
	}
	if !got["webhook"] || !got["chat"] {
		t.Errorf("came: %v", got)
	}
	p.end()
	if log := p.log.String(); strings.Contains(log, "secret") {
		t.Errorf("the log shows a secret:\n%s", log)
	}
}
