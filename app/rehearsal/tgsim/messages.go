package tgsim

import (
	"strings"
	"time"
	"unicode/utf8"
)

// keep gives a message its id and remembers it.
func (g *group) keep(at time.Time, from map[string]any, content map[string]any) map[string]any {
	g.lastID++
	message := map[string]any{"message_id": g.lastID, "from": from, "chat": g.chat(), "date": at.Unix()}
	for name, value := range content {
		message[name] = value
	}
	g.messages[g.lastID] = message
	return message
}

// tell keeps a message and sends it to the bot as an update.
func (s *Server) tell(g *group, at time.Time, from map[string]any, content map[string]any) int64 {
	message := g.keep(at, from, content)
	s.updates.add("message", "chat", g.ID, message)
	return g.lastID
}

func (s *Server) sendMessage(p params) (any, error) {
	g, err := s.group(p)
	if err != nil {
		return nil, err
	}
	text := p.values["text"]
	switch {
	case strings.TrimSpace(text) == "":
		return nil, badRequest("message text is empty")
	case utf8.RuneCountInString(text) > 4096:
		return nil, badRequest("message is too long")
	}
	content := map[string]any{"text": text}
	replyTo, err := g.replied(p)
	if err != nil {
		return nil, err
	}
	if replyTo != 0 {
		content["reply_to_message"] = flat(g.messages[replyTo])
	}
	now := s.opts.Now().UTC()
	message := g.keep(now, s.botUser(), content)
	s.sent = append(s.sent, Published{Chat: g.ID, MessageID: g.lastID, Text: text, ReplyTo: replyTo, At: now})
	return message, nil
}

// replied returns the id of the message that is answered, 0 when none is.
func (g *group) replied(p params) (int64, error) {
	var reply struct {
		ID      int64 `json:"message_id"`
		Lenient bool  `json:"allow_sending_without_reply"`
	}
	if err := p.json("reply_parameters", &reply); err != nil {
		return 0, err
	}
	if reply.ID != 0 && g.messages[reply.ID] == nil {
		if reply.Lenient {
			return 0, nil
		}
		return 0, badRequest("message to be replied not found")
	}
	return reply.ID, nil
}

// flat is a message as it is shown inside another: without its own replies.
func flat(message map[string]any) map[string]any {
	copied := map[string]any{}
	for name, value := range message {
		if name != "reply_to_message" {
			copied[name] = value
		}
	}
	return copied
}
