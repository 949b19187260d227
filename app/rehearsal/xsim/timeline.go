package xsim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vivra/app"
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
		if fits(p) && !p.at.After(s.opts.Now()) && !p.at.Before(since) && newer(p.id, r.FormValue("since_id")) && older(p.id, r.FormValue("until_id")) {
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
		if media := s.described(r, batch); len(media) > 0 {
			body["includes"] = map[string]any{"media": media}
		}
	}
	writeJSON(w, http.StatusOK, body)
}

// described are the pictures of posts, with their alt texts when those are asked for.
func (s *Server) described(r *http.Request, posts []*post) (all []map[string]any) {
	if r.FormValue("expansions") != "attachments.media_keys" {
		return nil
	}
	for _, p := range posts {
		for i, key := range s.mediaKeys(p) {
			shown := map[string]any{"media_key": key, "type": "photo"}
			if alt := s.altOf(p, i); alt != "" && r.FormValue("media.fields") == "alt_text" {
				shown["alt_text"] = alt
			}
			all = append(all, shown)
		}
	}
	return all
}

func (s *Server) mediaKeys(p *post) (keys []string) {
	for _, id := range p.media {
		keys = append(keys, "3_"+id)
	}
	for i := range p.alts {
		keys = append(keys, fmt.Sprintf("3_%s%d", p.id, i))
	}
	return keys
}

func (s *Server) altOf(p *post, i int) string {
	if i < len(p.media) {
		return s.media[p.media[i]].alt
	}
	return p.alts[i-len(p.media)]
}

// newer compares ids as the numbers they are.
func newer(id, since string) bool {
	return since == "" || len(id) > len(since) || len(id) == len(since) && id > since
}

func older(id, until string) bool { return until == "" || newer(until, id) && id != until }

func (s *Server) showAll(me *account, posts []*post) []shownPost {
	all := make([]shownPost, 0, len(posts))
	for _, p := range posts {
		s.bill(me, app.ReadPost, p.id, p.author)
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
