package doctor

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/telegram"
)

// Telegram looks at the bot and at where its updates go; hook is where they
// should. serves tells whether Vivra is up, which sets the webhook at its start.
func Telegram(wall clockwork.Clock, cfg telegram.Config, hook string, serves func(context.Context) bool) Check {
	s := newService(wall, "Telegram", "TELEGRAM_API_BASE_URL", "TELEGRAM_BOT_TOKEN")
	cfg.HTTP = s.client()
	return one(s.name, func(ctx context.Context) Finding {
		client := telegram.New(cfg)
		me, err := client.Me(ctx)
		if c := s.seen(); err != nil && c.status == http.StatusNotFound && c.json {
			return s.broken("", "Telegram knows no such bot (404): check TELEGRAM_BOT_TOKEN.") // the token is part of the path
		}
		if err != nil {
			return s.failed(err)
		}
		set, err := client.Webhook(ctx)
		if err != nil {
			return s.failed(err)
		}
		latency := s.seen().latency.Milliseconds()
		f := s.webhook(set, "@"+me.Username, hook, serves(ctx))
		f.Latency = latency
		return f
	})
}

func (s service) webhook(set telegram.Webhook, bot, hook string, serving bool) Finding {
	missing := slices.DeleteFunc(slices.Clone(telegram.AllowedUpdates), func(kind string) bool { return slices.Contains(set.Allowed, kind) })
	switch {
	case set.URL == "" && serving:
		return s.warning(bot, "No webhook is set although Vivra is up, so no group is heard: start vivra serve anew, and see why Telegram refuses in its log.")
	case set.URL == "" && !strings.HasPrefix(hook, "https://") && s.public():
		return s.warning(bot, "Telegram brings updates to https:// addresses only, so no group will be heard: set VIVRA_PUBLIC_URL to one.")
	case set.URL == "":
		return s.ok("%s; vivra serve sets its webhook", bot)
	case set.URL != hook:
		return s.warning(bot, "Its updates go to another address than VIVRA_PUBLIC_URL, at %s: start vivra serve here to take them over, or use another bot.", hostOf(set.URL))
	case set.FailedSince(s.wall.Now().Add(-time.Hour)):
		return s.warning(bot, "Telegram can't bring updates here (%s; %d wait): see that VIVRA_PUBLIC_URL can be reached from outside.", most(plain(set.LastError), 60), set.Pending)
	case len(missing) > 0:
		return s.warning(bot, "Telegram does not bring %s: start vivra serve anew, which asks for it.", strings.Join(missing, ", "))
	}
	return s.ok("%s; webhook at %s, %s", bot, hostOf(set.URL), app.Count(set.Pending, "update waits", "updates wait"))
}

// public tells whether the real service was asked, which has the stricter rules.
func (s service) public() bool { return s.seen().host == "api.telegram.org" }
