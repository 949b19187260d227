package xsim

import (
	"html"
	"strings"
	"unicode/utf8"

	"vivra/app"
	"vivra/app/preflight"
)

type shownPost struct {
	ID           string         `json:"id"`
	AuthorID     string         `json:"author_id"`
	Text         string         `json:"text"`
	CreatedAt    string         `json:"created_at"`
	Conversation string         `json:"conversation_id"`
	History      []string       `json:"edit_history_tweet_ids"`
	Referenced   []shownRef     `json:"referenced_tweets,omitempty"`
	DisplayRange []int          `json:"display_text_range"`
	Entities     map[string]any `json:"entities,omitempty"`
	Attachments  map[string]any `json:"attachments,omitempty"`
}

type shownRef struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// shown is how X shows a post: escaped, its links shortened.
func (s *Server) shown(p *post) shownPost {
	v := shownPost{
		ID: p.id, AuthorID: p.author, CreatedAt: p.at.Format("2006-01-02T15:04:05.000Z"), Conversation: p.id,
		History: []string{p.id}, Entities: map[string]any{}, Attachments: map[string]any{},
	}
	if p.parent != "" {
		v.Referenced, v.Conversation = []shownRef{{"replied_to", p.parent}}, p.parent
	}
	if p.quotes != "" {
		v.Referenced = append(v.Referenced, shownRef{"quoted", p.quotes})
	}
	text, urls := shorten(s.addressed(p))
	for _, id := range p.media {
		link := urlEntity("https://x.com/" + s.accounts[p.author].Username + "/status/" + p.id + "/photo/" + id)
		link["display_url"], link["media_key"] = "pic.x.com/"+id, "3_"+id
		urls, text = append(urls, link), text+" "+link["url"].(string)
	}
	v.Text = html.EscapeString(text)
	v.DisplayRange = []int{p.prefix, utf8.RuneCountInString(text)}
	if keys := s.mediaKeys(p); len(keys) > 0 {
		v.Attachments["media_keys"] = keys
	}
	if len(urls) > 0 {
		v.Entities["urls"] = urls
	}
	if mentions := s.mentionEntities(p); len(mentions) > 0 {
		v.Entities["mentions"] = mentions
	}
	if p.poll != nil {
		v.Attachments["poll_ids"] = []string{p.poll.id}
	}
	return v
}

// addressed is a post with the name that X puts before a reply that came through
// the API.
func (s *Server) addressed(p *post) string {
	if to := s.find(p.parent); p.ours && to != nil && to.author != p.author {
		return "@" + s.accounts[to.author].Username + " " + p.text
	}
	return p.text
}

func (s *Server) mentionEntities(p *post) []map[string]any {
	var all []map[string]any
	for _, id := range p.mentions {
		name := s.accounts[id].Username
		start := max(strings.Index(strings.ToLower(p.text), "@"+strings.ToLower(name)), 0)
		all = append(all, map[string]any{"id": id, "username": name, "start": start, "end": start + len(name) + 1})
	}
	return all
}

// shorten replaces each link by its t.co form.
func shorten(text string) (string, []map[string]any) {
	var urls []map[string]any
	for _, link := range preflight.Links(text) {
		if link.Counted {
			urls = append(urls, urlEntity(link.Text))
			text = strings.Replace(text, link.Text, short(link.Text), 1)
		}
	}
	return text, urls
}

func short(url string) string { return "https://t.co/" + app.SHA256Hex([]byte(url))[:10] }

func urlEntity(url string) map[string]any {
	expanded := url
	if !strings.Contains(url, "://") {
		expanded = "http://" + url
	}
	_, display, _ := strings.Cut(expanded, "://")
	return map[string]any{"url": short(url), "expanded_url": expanded, "display_url": display}
}
