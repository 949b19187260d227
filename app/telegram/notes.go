package telegram

import (
	"context"
	"strings"
	"unicode/utf16"
)

// Note is a plain message of our own in which other people's words are quoted.
// What is quoted stands as code, where Telegram finds no link, mention, tag or
// command.
type Note struct {
	text   strings.Builder
	units  int // length in UTF-16 code units, by which Telegram counts
	quotes []entity
}

type entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
}

// MaxNote is how many units a message may have.
const MaxNote = 4096

// Units returns how long text is as Telegram counts.
func Units(text string) int { return len(utf16.Encode([]rune(text))) }

// Say adds words of ours.
func (n *Note) Say(text string) {
	n.text.WriteString(text)
	n.units += Units(text)
}

// Quote adds words of others.
func (n *Note) Quote(text string) {
	from := n.units
	n.Say(text)
	if n.units > from {
		n.quotes = append(n.quotes, entity{"code", from, n.units - from})
	}
}

// Text is what the note says.
func (n *Note) Text() string { return n.text.String() }

// SendNote sends a note without a preview of what it links to.
func (c *Client) SendNote(ctx context.Context, chat int64, n *Note) (int64, error) {
	type preview struct {
		Disabled bool `json:"is_disabled"`
	}
	args := struct {
		Chat     int64    `json:"chat_id"`
		Text     string   `json:"text"`
		Entities []entity `json:"entities,omitempty"`
		Preview  preview  `json:"link_preview_options"`
	}{chat, n.Text(), n.quotes, preview{true}}
	var sent sentMessage
	err := c.call(ctx, "sendMessage", args, &sent)
	return sent.ID, err
}
