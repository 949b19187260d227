package telegram

import (
	"context"
	"errors"
	"time"

	"vivra/app"
)

// SendMessage sends plain text, at most 4,096 characters. The Bot API has no
// idempotency key: sending again after an unknown outcome may send twice.
func (c *Client) SendMessage(ctx context.Context, chat int64, text string) (int64, error) {
	args := struct {
		Chat int64  `json:"chat_id"`
		Text string `json:"text"`
	}{chat, text}
	var sent sentMessage
	err := c.call(ctx, "sendMessage", args, &sent)
	return sent.ID, err
}

// Reply answers a message of the group with plain text.
func (c *Client) Reply(ctx context.Context, chat, messageID int64, text string) (int64, error) {
	type reply struct {
		ID      int64 `json:"message_id"`
		Lenient bool  `json:"allow_sending_without_reply"`
	}
	args := struct {
		Chat  int64  `json:"chat_id"`
		Text  string `json:"text"`
		Reply reply  `json:"reply_parameters"`
	}{chat, text, reply{messageID, true}}
	var sent sentMessage
	err := c.call(ctx, "sendMessage", args, &sent)
	return sent.ID, err
}

// Pin pins a message without notifying anyone; pinning it again changes nothing.
func (c *Client) Pin(ctx context.Context, chat, messageID int64) error {
	args := struct {
		Chat    int64 `json:"chat_id"`
		Message int64 `json:"message_id"`
		Silent  bool  `json:"disable_notification"`
	}{chat, messageID, true}
	return unlessSame(c.call(ctx, "pinChatMessage", args, nil))
}

// SendPoll asks the group anonymously, one answer each, until closeAt (5 to
// 2,628,000 seconds ahead). Question: at most 300 characters; options: at most
// 100 each. The count comes with the poll updates and with StopPoll.
func (c *Client) SendPoll(ctx context.Context, chat int64, question string, options []string, closeAt time.Time) (messageID int64, pollID string, err error) {
	type option struct {
		Text string `json:"text"`
	}
	args := struct {
		Chat      int64    `json:"chat_id"`
		Question  string   `json:"question"`
		Options   []option `json:"options"`
		Anonymous bool     `json:"is_anonymous"`
		CloseDate int64    `json:"close_date"`
	}{Chat: chat, Question: question, Anonymous: true, CloseDate: closeAt.Unix()}
	for _, text := range options {
		args.Options = append(args.Options, option{text})
	}
	var sent sentMessage
	if err := c.call(ctx, "sendPoll", args, &sent); err != nil {
		return 0, "", err
	}
	return sent.ID, sent.Poll.ID, nil
}

// StopPoll ends a poll and returns its final count. For one that has ended
// already it returns ErrPollClosed: the count is that of its last poll update.
func (c *Client) StopPoll(ctx context.Context, chat, messageID int64) (app.PollResult, error) {
	args := struct {
		Chat    int64 `json:"chat_id"`
		Message int64 `json:"message_id"`
	}{chat, messageID}
	var poll pollObject
	err := c.call(ctx, "stopPoll", args, &poll)
	var api *APIError
	if errors.As(err, &api) && api.pollClosed() {
		return app.PollResult{Closed: true}, ErrPollClosed
	}
	if err != nil {
		return app.PollResult{}, err
	}
	return poll.result(), nil
}

type sentMessage struct {
	ID   int64      `json:"message_id"`
	Poll pollObject `json:"poll"`
}

type pollObject struct {
	ID      string `json:"id"`
	Closed  bool   `json:"is_closed"`
	Options []struct {
		Text  string `json:"text"`
		Votes int    `json:"voter_count"`
	} `json:"options"`
}

func (p pollObject) result() app.PollResult {
	result := app.PollResult{Closed: p.Closed, Votes: make([]int, 0, len(p.Options))}
	for _, option := range p.Options {
		result.Votes = append(result.Votes, option.Votes)
	}
	return result
}

func (p pollObject) labels() []string {
	labels := make([]string, 0, len(p.Options))
	for _, option := range p.Options {
		labels = append(labels, option.Text)
	}
	return labels
}
