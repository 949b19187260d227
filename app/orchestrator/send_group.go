package orchestrator

import (
	"context"
	"fmt"
	"strconv"
	"time"
	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres"
)

func (o *Orchestrator) sendMessage(ctx context.Context, p effects.Message) (postgres.Sent, error) {
	id, err := o.Desk.Telegram.SendMessage(ctx, p.Chat, p.Text)
	return postgres.Sent{ProviderID: strconv.FormatInt(id, 10), Receipt: map[string]int64{"message_id": id}, Summary: "Wrote in the Telegram group"}, err
}

func (o *Orchestrator) pin(ctx context.Context, e app.Effect, p effects.Pin) (postgres.Sent, error) {
	message, err := o.pinned(ctx, e, p)
	if err != nil {
		return postgres.Sent{}, beforeSending(err)
	}
	return said(pinnedThere), o.Desk.Telegram.Pin(ctx, p.Chat, message)
}

// pinned is the number of the message that is to be pinned.
func (o *Orchestrator) pinned(ctx context.Context, e app.Effect, p effects.Pin) (int64, error) {
	id, err := o.answered(ctx, e, p.Position)
	if err != nil {
		return 0, fmt.Errorf("find the message to pin: %w", err)
	}
	message, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("find the message to pin: %w", err)
	}
	return message, nil
}

func (o *Orchestrator) sendPoll(ctx context.Context, p effects.Poll) (postgres.Sent, error) {
	closes := o.Clock.Now().Add(time.Duration(p.Minutes) * time.Minute)
	id, poll, err := o.Desk.Telegram.SendPoll(ctx, p.Chat, p.Question, p.Options, closes)
	return postgres.Sent{ProviderID: strconv.FormatInt(id, 10), Receipt: map[string]any{"message_id": id, "poll_id": poll}, Summary: "Opened the poll on Telegram"}, err
}
