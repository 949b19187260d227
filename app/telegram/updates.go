package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// AllowedUpdates are the kinds the product listens to. They have to be named:
// some are off unless asked for, and an old setting stays when none is sent.
var AllowedUpdates = []string{
	"message", "edited_message", "channel_post", "edited_channel_post", "callback_query", "poll", "poll_answer",
	"my_chat_member", "chat_member", "chat_join_request", "message_reaction",
}

// SetWebhook makes Telegram deliver updates to url with secret in the header
// X-Telegram-Bot-Api-Secret-Token (1 to 256 of A-Z a-z 0-9 _ -).
func (c *Client) SetWebhook(ctx context.Context, url, secret string, allowedUpdates []string) error {
	args := struct {
		URL     string   `json:"url"`
		Secret  string   `json:"secret_token"`
		Allowed []string `json:"allowed_updates"`
	}{url, secret, allowedUpdates}
	return c.call(ctx, "setWebhook", args, nil)
}

// GetUpdates returns at most 100 raw updates from offset on and confirms those
// before it. It is refused while a webhook is set.
func (c *Client) GetUpdates(ctx context.Context, offset int64) ([]json.RawMessage, error) {
	args := struct {
		Offset  int64    `json:"offset"`
		Limit   int      `json:"limit"`
		Allowed []string `json:"allowed_updates"`
	}{offset, 100, AllowedUpdates}
	var updates []json.RawMessage
	err := c.call(ctx, "getUpdates", args, &updates)
	return updates, err
}

// Update is what the product reads of an update. What it does not know it
// leaves out: an update of a new kind has an id, a kind and nothing else.
type Update struct {
	ID     int64
	Kind   string // message, edited_message, poll, …
	ChatID int64
	// MessageID and ReplyTo are 0 when there is none.
	MessageID int64
	ReplyTo   int64
	// ReplyToFrom is who wrote the message that is replied to.
	ReplyToFrom int64
	FromID      int64
	FromName    string // @username, else the display name: outside text
	FromBot     bool
	Date        time.Time
	Text        string // text or caption: outside text
	Poll        *Poll  // of kind poll
}

// Poll is a snapshot of a poll. Counts are absolute: the last one wins.
type Poll struct {
	ID      string
	Options []string
	Votes   []int
	Closed  bool
}

// DecodeUpdate reads one raw update. Only an update without an id is an error.
func DecodeUpdate(raw []byte) (Update, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return Update{}, errors.New("decode update: it is not a JSON object")
	}
	var u Update
	if err := json.Unmarshal(members["update_id"], &u.ID); err != nil {
		return Update{}, errors.New("decode update: it has no update_id")
	}
	for kind, body := range members {
		if isObject(body) {
			u.Kind = kind
			u.read(body)
		}
	}
	return u, nil
}

func isObject(raw json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) }

func (u *Update) read(body json.RawMessage) {
	if u.Kind == "poll" {
		u.readPoll(body)
		return
	}
	var m messageObject
	readMembers(body, &m)
	if m.Message != nil && m.Chat.ID == 0 { // a callback_query stands on a message
		m.Chat, m.ID = m.Message.Chat, m.Message.ID
	}
	u.ChatID, u.MessageID, u.ReplyTo, u.ReplyToFrom = m.Chat.ID, m.ID, m.ReplyTo.ID, m.ReplyTo.From.ID
	u.FromID, u.FromName, u.FromBot = m.From.ID, m.From.name(), m.From.Bot
	if m.Date > 0 {
		u.Date = time.Unix(m.Date, 0).UTC()
	}
	u.Text = m.Text
	if u.Text == "" {
		u.Text = m.Caption
	}
}

func (u *Update) readPoll(body json.RawMessage) {
	var p pollObject
	if err := json.Unmarshal(body, &p); err == nil && p.ID != "" {
		u.Poll = &Poll{ID: p.ID, Options: p.labels(), Votes: p.result().Votes, Closed: p.Closed}
	}
}

type messageObject struct {
	ID      int64      `json:"message_id"`
	Date    int64      `json:"date"`
	Text    string     `json:"text"`
	Caption string     `json:"caption"`
	Chat    chatObject `json:"chat"`
	From    userObject `json:"from"`
	ReplyTo struct {
		ID   int64      `json:"message_id"`
		From userObject `json:"from"`
	} `json:"reply_to_message"`
	Message *messageObject `json:"message"`
}

type chatObject struct {
	ID int64 `json:"id"`
}

type userObject struct {
	ID        int64  `json:"id"`
	Bot       bool   `json:"is_bot"`
	Username  string `json:"username"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
}

func (u userObject) name() string {
	if u.Username != "" {
		return "@" + u.Username
	}
	// A display name that begins with @ would pass for somebody's username.
	return strings.TrimLeft(strings.TrimSpace(u.FirstName+" "+u.LastName), "@＠ ")
}

// readMembers fills m member by member, so that one member of an unexpected
// shape doesn't cost the others.
func readMembers(body json.RawMessage, m *messageObject) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return
	}
	for name, target := range map[string]any{
		"message_id": &m.ID, "date": &m.Date, "text": &m.Text, "caption": &m.Caption,
		"chat": &m.Chat, "from": &m.From, "reply_to_message": &m.ReplyTo, "message": &m.Message,
	} {
		if raw, ok := members[name]; ok {
			_ = json.Unmarshal(raw, target) // unreadable: left out
		}
	}
}
