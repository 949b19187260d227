package doctor

import (
	"testing"

	"vivra/app/telegram"
)

func TestWhereAlertsAreBrought(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer string
		state  State
		words  string
	}{
		"a chat":      {`200 {"ok":true,"result":{"id":-100,"type":"supergroup","title":"Team\u202e"}}`, OK, `told to "Team"`},
		"no such":     {`400 {"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`, Broken, "The bot does not see the chat (400): add it there"},
		"kicked":      {`403 {"ok":false,"error_code":403,"description":"Forbidden: bot was kicked"}`, Broken, "check VIVRA_ALERT_TELEGRAM_CHAT"},
		"no Telegram": {`200 <html>`, Broken, "check TELEGRAM_API_BASE_URL"},
	} {
		at := paths{"/bot77:SECRET/getChat": tc.answer}.serve(t)
		f := AlertChat(wall, telegram.Config{BaseURL: at, Token: "77:SECRET"}, -100).Look(t.Context())[0]
		expect(t, name, f, tc.state, tc.words)
	}
	f := AlertWebhook("https://hooks.example/url-secret?key=x").Look(t.Context())[0]
	expect(t, "a webhook", f, OK, "posted to hooks.example, signed; not tried")
}
