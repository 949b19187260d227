package doctor

import (
	"context"

	"github.com/jonboulle/clockwork"

	"vivra/app/telegram"
)

// AlertChat looks whether the bot sees the chat that alerts are told to.
func AlertChat(wall clockwork.Clock, cfg telegram.Config, chat int64) Check {
	s := newService(wall, "alerts on Telegram", "TELEGRAM_API_BASE_URL", "TELEGRAM_BOT_TOKEN")
	cfg.HTTP = s.client()
	return one(s.name, func(ctx context.Context) Finding {
		found, err := telegram.New(cfg).Chat(ctx, chat)
		if c := s.seen(); err != nil && c.json && c.status >= 400 && c.status < 500 {
			return s.broken("", "The bot does not see the chat (%d): add it there, and check VIVRA_ALERT_TELEGRAM_CHAT.", c.status)
		}
		if err != nil {
			return s.failed(err)
		}
		return s.ok("told to %q", plain(found.Title))
	})
}

// AlertWebhook says where alerts are posted. Nothing is asked there: a webhook
// takes alerts only.
func AlertWebhook(address string) Check {
	return one("alerts by webhook", func(context.Context) Finding {
		return ok("alerts by webhook", "posted to %s, signed; not tried", hostOf(address))
	})
}
