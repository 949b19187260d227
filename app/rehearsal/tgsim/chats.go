package tgsim

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"vivra/app"
)

// rights are those an administrator may have.
var rights = []string{"can_change_info", "can_pin_messages", "can_delete_messages", "can_restrict_members", "can_invite_users"}

func (s *Server) botUser() map[string]any {
	return map[string]any{"id": s.opts.Bot.ID, "is_bot": true, "first_name": s.opts.Bot.Name, "username": s.opts.Bot.Username}
}

func (s *Server) getMe(params) (any, error) {
	me := s.botUser()
	me["can_join_groups"], me["can_read_all_group_messages"] = true, true
	return me, nil
}

func (s *Server) group(p params) (*group, error) {
	if g := s.groups[p.int("chat_id")]; g != nil {
		return g, nil
	}
	return nil, badRequest("chat not found")
}

// allowed returns the group when the bot has the right there.
func (s *Server) allowed(p params, right, to string) (*group, error) {
	g, err := s.group(p)
	if err != nil {
		return nil, err
	}
	if g.NotAdmin || slices.Contains(g.Lacks, right) {
		return nil, badRequest("not enough rights to %s", to)
	}
	return g, nil
}

func (g *group) chat() map[string]any {
	return map[string]any{"id": g.ID, "type": "supergroup", "title": g.Title}
}

func (s *Server) getChat(p params) (any, error) {
	g, err := s.group(p)
	if err != nil {
		return nil, err
	}
	chat := g.chat()
	if g.Description != "" {
		chat["description"] = g.Description
	}
	if g.photo != nil {
		id := app.SHA256Hex(g.photo)[:16]
		chat["photo"] = map[string]any{"small_file_id": "s" + id, "small_file_unique_id": "su" + id, "big_file_id": "b" + id, "big_file_unique_id": "bu" + id}
	}
	if g.pinned != 0 {
		chat["pinned_message"] = g.messages[g.pinned]
	}
	return chat, nil
}

func (s *Server) getChatMember(p params) (any, error) {
	g, err := s.group(p)
	if err != nil {
		return nil, err
	}
	id := p.int("user_id")
	if id == s.opts.Bot.ID {
		return s.membership(g), nil
	}
	for _, m := range people {
		if m.id == id {
			return map[string]any{"status": "member", "user": m.user()}, nil
		}
	}
	return nil, badRequest("user not found")
}

func (s *Server) membership(g *group) map[string]any {
	if g.NotAdmin {
		return map[string]any{"status": "member", "user": s.botUser()}
	}
	member := map[string]any{"status": "administrator", "user": s.botUser(), "can_be_edited": false}
	for _, right := range rights {
		member[right] = !slices.Contains(g.Lacks, right)
	}
	return member
}

func (s *Server) getChatAdministrators(p params) (any, error) {
	g, err := s.group(p)
	if err != nil || g.NotAdmin {
		return []any{}, err
	}
	return []any{s.membership(g)}, nil
}

func (s *Server) setChatTitle(p params) (any, error) {
	g, err := s.allowed(p, "can_change_info", "change chat title")
	if err != nil {
		return nil, err
	}
	title := strings.TrimSpace(p.values["title"])
	switch n := utf8.RuneCountInString(title); {
	case n == 0:
		return nil, badRequest("title must be non-empty")
	case n > 128:
		return nil, badRequest("chat title is too long")
	case title == g.Title:
		return nil, badRequest("chat title is not modified")
	}
	g.Title = title
	return true, nil
}

func (s *Server) setChatDescription(p params) (any, error) {
	g, err := s.allowed(p, "can_change_info", "set chat description")
	if err != nil {
		return nil, err
	}
	description := p.values["description"]
	switch {
	case utf8.RuneCountInString(description) > 255:
		return nil, badRequest("chat description is too long")
	case description == g.Description:
		return nil, badRequest("chat description is not modified")
	}
	g.Description = description
	return true, nil
}

func (s *Server) setChatPhoto(p params) (any, error) {
	g, err := s.allowed(p, "can_change_info", "change chat photo")
	if err != nil {
		return nil, err
	}
	photo, ok := p.files["photo"]
	if !ok {
		return nil, badRequest("there is no photo in the request")
	}
	if kind := http.DetectContentType(photo); kind != "image/png" && kind != "image/jpeg" {
		return nil, badRequest("PHOTO_EXT_INVALID")
	}
	g.photo = photo
	return true, nil
}

func (s *Server) pinChatMessage(p params) (any, error) {
	g, err := s.allowed(p, "can_pin_messages", "manage pinned messages in the chat")
	if err != nil {
		return nil, err
	}
	id := p.int("message_id")
	if g.messages[id] == nil {
		return nil, badRequest("message to pin not found")
	}
	if g.pinned != id {
		g.pinned = id
		s.tell(g, s.opts.Now(), s.botUser(), map[string]any{"pinned_message": g.messages[id]})
	}
	return true, nil
}
