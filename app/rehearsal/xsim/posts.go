package xsim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vivra/app"
	"vivra/app/preflight"
)

const (
	// duplicateWindow is how long the same text is refused from one account.
	duplicateWindow = 48 * time.Hour
	rateWindow      = 15 * time.Minute
	rateLimit       = 100 // posts per account and window
)

type post struct {
	id, author, text string
	parent           string   // id of the post replied to
	quotes           string   // id of the post quoted
	media            []string // ids
	mentions         []string // ids of accounts named in the text
	alts             []string // of the pictures of somebody else's post
	prefix           int      // characters of names that X put before the text
	poll             *poll
	at               time.Time
	charged          app.Nano
	ours             bool // came through the API
}

type createBody struct {
	Text  string `json:"text"`
	Reply *struct {
		InReplyTo string   `json:"in_reply_to_tweet_id"`
		Exclude   []string `json:"exclude_reply_user_ids"`
	} `json:"reply"`
	Media *struct {
		IDs []string `json:"media_ids"`
	} `json:"media"`
	Poll *struct {
		Options []string `json:"options"`
		Minutes int      `json:"duration_minutes"`
	} `json:"poll"`
	ReplySettings string `json:"reply_settings"`
	MadeWithAI    bool   `json:"made_with_ai"`
}

// strictJSON reads a body whose unknown fields X refuses.
func strictJSON(w http.ResponseWriter, r *http.Request, into any) bool {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		return true
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name = strings.Trim(name, `"`)
		invalid(w, name, fmt.Sprintf("$.%s: is not defined in the schema and the schema does not allow additional properties", name))
		return false
	}
	invalid(w, "body", "The body could not be read as JSON.")
	return false
}

func (s *Server) createPost(w http.ResponseWriter, r *http.Request, me *account) {
	if !s.withinRate(w, me) {
		return
	}
	var in createBody
	if !strictJSON(w, r, &in) || !checkShape(w, in) || !s.checkPolicy(w, in, me) {
		return
	}
	now := s.opts.Now().UTC()
	p := &post{id: s.newID(now), author: me.ID, text: in.Text, at: now, ours: true, mentions: s.named(in.Text)}
	summoned := false
	if in.Reply != nil {
		p.parent = in.Reply.InReplyTo
		summoned = s.find(p.parent).author != me.ID
	}
	if in.Media != nil {
		p.media = in.Media.IDs
	}
	if in.Poll != nil {
		p.poll = s.newPoll(now, in.Poll.Options, in.Poll.Minutes)
	}
	p.charged = priceOf(p.text, summoned)
	s.charges.Posts += p.charged
	s.posts = append(s.posts, p)
	me.writes = append(me.writes, now)
	writeJSON(w, http.StatusCreated, map[string]any{"data": map[string]any{
		"id": p.id, "text": s.shown(p).Text, "edit_history_tweet_ids": []string{p.id},
	}})
}

func (s *Server) withinRate(w http.ResponseWriter, me *account) bool {
	now := s.opts.Now()
	me.writes = slices.DeleteFunc(me.writes, func(at time.Time) bool { return now.Sub(at) >= rateWindow })
	reset := now.Add(rateWindow)
	if len(me.writes) > 0 {
		reset = me.writes[0].Add(rateWindow)
	}
	header := w.Header()
	header.Set("X-Rate-Limit-Limit", fmt.Sprint(rateLimit))
	header.Set("X-Rate-Limit-Remaining", fmt.Sprint(max(rateLimit-len(me.writes)-1, 0)))
	header.Set("X-Rate-Limit-Reset", fmt.Sprint(reset.Unix()))
	if len(me.writes) >= rateLimit {
		problem(w, http.StatusTooManyRequests, "Too Many Requests", "Too Many Requests")
		return false
	}
	return true
}

// checkShape refuses what the request alone shows to be wrong.
func checkShape(w http.ResponseWriter, in createBody) bool {
	settings := []string{"", "following", "mentionedUsers", "subscribers", "verified"}
	switch {
	case in.Poll != nil && in.Media != nil:
		invalid(w, "poll", "You can only provide one of poll or media.")
	case in.Text == "" && in.Media == nil:
		invalid(w, "text", "You must provide text or media.")
	case preflight.Length(in.Text) > preflight.MaxLength || strings.ContainsAny(in.Text, "\uFFFE\uFEFF\uFFFF"):
		invalid(w, "text", "The text is too long or holds an invalid character.")
	case len(preflight.Cashtags(in.Text)) > 1:
		forbidden(w, "Your post contains more than one cashtag.")
	case in.Media != nil && (len(in.Media.IDs) == 0 || len(in.Media.IDs) > preflight.MaxMedia):
		invalid(w, "media.media_ids", "1 to 4 media ids are allowed.")
	case !slices.Contains(settings, in.ReplySettings):
		invalid(w, "reply_settings", "The value is not one of the allowed ones.")
	case in.Poll != nil && !pollFits(in.Poll.Options, in.Poll.Minutes):
		invalid(w, "poll", "A poll has 2 to 4 options of 1 to 25 characters and lasts 5 to 10080 minutes.")
	default:
		return true
	}
	return false
}

func pollFits(options []string, minutes int) bool {
	return len(options) >= 2 && len(options) <= 4 && minutes >= 5 && minutes <= 10_080 &&
		!slices.ContainsFunc(options, func(o string) bool { return o == "" || utf8.RuneCountInString(o) > 25 })
}

// checkPolicy refuses what X forbids given what is there already.
func (s *Server) checkPolicy(w http.ResponseWriter, in createBody, me *account) bool {
	if in.Reply != nil && !s.mayReply(w, in.Reply.InReplyTo, me) {
		return false
	}
	for _, p := range s.posts {
		if in.Text != "" && p.author == me.ID && p.text == in.Text && s.opts.Now().Sub(p.at) < duplicateWindow {
			forbidden(w, "You are not allowed to create a Tweet with duplicate content.")
			return false
		}
	}
	if in.Reply != nil && s.answered(in.Reply.InReplyTo, me) {
		forbidden(w, "You have replied to this post already.")
		return false
	}
	if in.Media == nil {
		return true
	}
	for _, id := range in.Media.IDs {
		if m := s.media[id]; m == nil || m.owner != me.ID || m.state() != "succeeded" || s.opts.Now().After(m.expires) {
			invalid(w, "media.media_ids", "Your media IDs are invalid.")
			return false
		}
	}
	return true
}

// answered tells whether an account has replied to another's post: one reply for
// each interaction.
func (s *Server) answered(parentID string, me *account) bool {
	return s.find(parentID).author != me.ID && slices.ContainsFunc(s.posts, func(p *post) bool { return p.author == me.ID && p.parent == parentID })
}

// mayReply allows answers to one's own posts and to those who named the account
// or quoted it.
func (s *Server) mayReply(w http.ResponseWriter, parentID string, me *account) bool {
	parent := s.find(parentID)
	switch {
	case parent == nil:
		invalid(w, "reply.in_reply_to_tweet_id", "The post you reply to does not exist or is not visible to you.")
		return false
	case parent.author != me.ID && !slices.Contains(parent.mentions, me.ID) && !s.quoted(parent, me):
		forbidden(w, "Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.")
		return false
	}
	return true
}

func (s *Server) quoted(p *post, me *account) bool {
	of := s.find(p.quotes)
	return of != nil && of.author == me.ID
}

func (s *Server) find(id string) *post {
	for _, p := range s.posts {
		if p.id == id {
			return p
		}
	}
	return nil
}

// named returns the ids of the accounts that the text mentions.
func (s *Server) named(text string) []string {
	var ids []string
	for _, name := range preflight.Mentions(text) {
		if a := s.byName(name); a != nil {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

func (s *Server) byName(name string) *account {
	for _, a := range s.accounts {
		if strings.EqualFold(a.Username, name) {
			return a
		}
	}
	return nil
}
