package boot

import (
	"context"
	"strconv"

	"vivra/app/alarm"
	"vivra/app/doctor"
	"vivra/app/live"
	"vivra/app/telegram"
)

// alertChannels are where alerts are brought beside the pages, by what is set.
func (a *App) alertChannels() []alarm.Channel {
	cfg := a.Config
	var all []alarm.Channel
	if chat := cfg.alertChat(); chat != 0 {
		all = append(all, alarm.Telegram{Bot: a.Desk.Telegram, Chat: chat, PublicURL: cfg.PublicURL})
	}
	if cfg.AlertWebhookURL != "" {
		all = append(all, alarm.NewWebhook(alarm.WebhookConfig{URL: cfg.AlertWebhookURL, Secret: cfg.AlertWebhookSecret, PublicURL: cfg.PublicURL, Wall: cfg.Wall}))
	}
	return all
}

// alertChat is the chat's number, 0 when none is set.
func (s Services) alertChat() int64 {
	chat, err := strconv.ParseInt(s.AlertTelegramChat, 10, 64)
	if err != nil {
		return 0
	}
	return chat
}

// bringAlerts works until ctx ends.
func (a *App) bringAlerts(ctx context.Context) error {
	return (&alarm.Alarm{Store: a.Store, Channels: a.channels, Clock: a.Config.Clock, Wall: a.Config.Wall, Log: a.log, Reached: a.Config.Reached}).
		Run(ctx, func() (<-chan struct{}, func()) { return a.Hub.Subscribe(live.Alerts) })
}

// alerts looks at where alerts are brought; nothing is sent there.
func (e *examination) alerts() []doctor.Check {
	var all []doctor.Check
	if chat := e.alertChat(); chat != 0 {
		all = append(all, doctor.AlertChat(e.Wall, telegram.Config{BaseURL: e.TelegramAPIBaseURL, Token: e.TelegramBotToken}, chat))
	}
	if e.AlertWebhookURL != "" {
		all = append(all, doctor.AlertWebhook(e.AlertWebhookURL))
	}
	if len(all) == 0 {
		all = append(all, doctor.NotConfigured("alerts", "VIVRA_ALERT_TELEGRAM_CHAT or VIVRA_ALERT_WEBHOOK_URL", "they stand on the team's pages only"))
	}
	return all
}
