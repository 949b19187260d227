package boot

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"vivra/app/live"
	"vivra/app/paths"
	"vivra/app/schedule"
	"vivra/app/telegram"
)

// keptAfterEnd is how long the words of mentions are kept once their operation
// has ended.
const keptAfterEnd = 30 * 24 * time.Hour

// Run works until ctx ends: workers, ticks, and the ear for other processes.
func (a *App) Run(ctx context.Context) error {
	farewell, err := a.watch.Start(ctx)
	if err != nil {
		return err
	}
	defer farewell()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.run(ctx) })
	g.Go(func() error { return a.Store.Listen(ctx, a.heard) })
	g.Go(func() error {
		return schedule.Run(ctx, a.Config.Clock, a.log, []schedule.Tick{
			{Name: "orchestrator", Every: time.Minute, Timeout: time.Minute, Do: a.Orchestrator.Tick, Wake: a.wake},
			{Name: "sessions", Every: time.Hour, Timeout: time.Minute, Do: func(ctx context.Context) error {
				return a.Store.DeleteExpiredSessions(ctx, a.Config.Wall.Now())
			}},
			{Name: "mentions", Every: time.Hour, Timeout: time.Minute, Do: func(ctx context.Context) error {
				now := a.Config.Clock.Now()
				_, err := a.Store.ClearMentions(ctx, now.Add(-keptAfterEnd), now)
				return err
			}},
		})
	})
	g.Go(func() error { return a.pulse(ctx) })
	g.Go(func() error { return a.alarm(ctx) })
	g.Go(func() error { return a.bringAlerts(ctx) })
	g.Go(func() error { return a.serveMetrics(ctx) })
	g.Go(func() error { a.hookTelegram(ctx); return nil })
	g.Go(func() error { a.tryModels(ctx); return nil })
	err = g.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// pulse wakes the orchestrator by the wall clock too: leases run out there.
func (a *App) pulse(ctx context.Context) error {
	tick := a.Config.Wall.NewTicker(max(a.Config.Lease/4, 100*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.Chan():
			a.Wake()
		}
	}
}

// hookTelegram asks Telegram to bring updates here. Failing is no reason not to
// serve: the group is then only not heard.
func (a *App) hookTelegram(ctx context.Context) {
	if a.Config.TelegramBotToken == "" || a.Config.TelegramWebhookSecret == "" {
		return
	}
	if err := a.Desk.Telegram.SetWebhook(ctx, a.Config.PublicURL+paths.TelegramWebhook(), a.Config.TelegramWebhookSecret, telegram.AllowedUpdates); err != nil {
		a.log.WarnContext(ctx, "Telegram does not take our webhook", "error", err)
	}
}

// heard passes a change on to the pages and the orchestrator of this process. A
// growing answer makes nothing due.
func (a *App) heard(announced string) {
	a.Hub.OperationChanged(announced)
	if !live.OfRun(announced) {
		a.Wake()
	}
}

// Wake has the orchestrator look for what is due at once: after a change, or
// when a clock was turned.
func (a *App) Wake() {
	for _, sleeper := range []chan struct{}{a.wake, a.woken} {
		select {
		case sleeper <- struct{}{}:
		default:
		}
	}
}

// Close gives back what Build took.
func (a *App) Close() {
	a.browser.Close()
	if err := a.blobs.Close(); err != nil {
		a.log.Error("close blobs", "error", err)
	}
}
