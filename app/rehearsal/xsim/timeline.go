package xsim

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/preflight"
)

func (s *Server) timeline(w http.ResponseWriter, r *http.Request, me *account) {
	id := r.PathValue("id")
	s.page(w, r, me, func(p *post) bool { return p.author == id })
}

func (s *Server) mentions(w http.ResponseWriter, r *http.Request, me *account) {
	id := r.PathValue("id")
	s.page(w, r, me, func(p *post) bool { return p.author != id && slices.Contains(p.mentions, id) })
}

// page answers one page of the posts that fit, newest first.
func (s *Server) page(w http.ResponseWriter, r *http.Request, me *account, fits func(*post) bool) {
	size, err := strconv.Atoi(r.FormValue("max_results"))
	if err != nil || size < 5 || size > 100 {
		invalid(w, "max_results", "The `max_results` query parameter value is not between 5 and 100.")
		return
	}
	var since time.Time
	if from := r.FormValue("start_time"); from != "" {
		if since, err = time.Parse("2006-01-02T15:04:05Z", from); err != nil {
			invalid(w, "start_time", "The `start_time` query parameter value is not a timestamp of the form YYYY-MM-DDTHH:mm:ssZ.")
			return
		}
	}
	var all []*post
	for _, p := range slices.Backward(s.posts) {
		if fits(p) && !p.at.After(s.opts.Now()) && !p.at.Before(since) && newer(p.id, r.FormValue("since_id")) {
			all = append(all, p)
		}
	}
	from, err := strconv.Atoi("0" + strings.TrimPrefix(r.FormValue("pagination_token"), "page"))
	if err != nil || from > len(all) {
		invalid(w, "pagination_token", "The pagination token is not valid.")
		return
	}
	batch := all[from:min(from+size, len(all))]
	meta := map[string]any{"result_count": len(batch)}
	if from+size < len(all) {
		meta["next_token"] = fmt.Sprintf("page%d", from+size)
	}
	body := map[string]any{"meta": meta}
	if len(batch) > 0 {
		meta["newest_id"], meta["oldest_id"] = batch[0].id, batch[len(batch)-1].id
		body["data"] = s.showAll(me, batch)
	}
	writeJSON(w, http.StatusOK, body)
}

// newer compares ids as the numbers they are.
func newer(id, since string) bool {
	return since == "" || len(id) > len(since) || len(id) == len(since) && id > since
}

func (s *Server) showAll(me *account, posts []*post) []shownPost {
	all := make([]shownPost, 0, len(posts))
	for _, p := range posts {
		price := pricePostRead
		if me.OwnsApp && p.author == me.ID {
			price = priceOwned
		}
		s.bill("post", p.id, price)
		all = append(all, s.shown(p))
	}
	return all
}

// lookUpPosts answers posts by id, with their polls when asked for.
func (s *Server) lookUpPosts(w http.ResponseWriter, r *http.Request, me *account) {
	var found []*post
	var missing []map[string]any
	for id := range strings.SplitSeq(r.FormValue("ids"), ",") {
		if p := s.find(id); p != nil {
			found = append(found, p)
			continue
		}
		missing = append(missing, map[string]any{
			"value": id, "detail": fmt.Sprintf("Could not find tweet with ids: [%s].", id), "title": "Not Found Error",
			"resource_type": "tweet", "parameter": "ids", "type": "https://api.x.com/2/problems/resource-not-found",
		})
	}
	body := map[string]any{}
	if len(found) > 0 {
		body["data"] = s.showAll(me, found)
	}
	if polls := s.polls(found); len(polls) > 0 && r.FormValue("expansions") == "attachments.poll_ids" {
		body["includes"] = map[string]any{"polls": polls}
	}
	if len(missing) > 0 {
		body["errors"] = missing
	}
	writeJSON(w, http.StatusOK, body)
}

type shownPost struct {
	ID           string         `json:"id"`
	AuthorID     string         `json:"author_id"`
	Text         string         `json:"text"`
	CreatedAt    string         `json:"created_at"`
	Conversation string         `json:"conversation_id"`
	History      []string       `json:"edit_history_tweet_ids"`
	Referenced   []shownRef     `json:"referenced_tweets,omitempty"`
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
	text, urls := shorten(p.text)
	for _, id := range p.media {
		link := urlEntity("https://x.com/" + s.accounts[p.author].Username + "/status/" + p.id + "/photo/" + id)
		link["display_url"], link["media_key"] = "pic.x.com/"+id, "3_"+id
		urls, text = append(urls, link), text+" "+link["url"].(string)
	}
	v.Text = html.EscapeString(text)
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

// The prices of reads; the same resource is paid once a day (UTC).
const (
	pricePostRead = 5 * app.Dollar / 1000
	priceUser     = 10 * app.Dollar / 1000
	priceOwned    = app.Dollar / 1000
)

func (s *Server) bill(kind, id string, price app.Nano) {
	key := kind + " " + id + " " + s.opts.Now().UTC().Format(time.DateOnly)
	if !s.billed[key] {
		s.billed[key] = true
		s.charged += price
	}
}
