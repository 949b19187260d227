package paths

import "net/url"

// MentionList is a part of an operation's mentions.
type MentionList struct {
	Slug   string
	State  string // empty: in any
	Before string // only those older than that post
}

// URL is the page of the list.
func (l MentionList) URL() string {
	q := url.Values{}
	if l.State != "" {
		q.Set("state", l.State)
	}
	if l.Before != "" {
		q.Set("before", l.Before)
	}
	return withQuery(AdminOperation(l.Slug)+"/mentions", q)
}

// OptOutRemoval is where an author's wish to be left alone is taken back.
func OptOutRemoval(slug, author string) string {
	return AdminOperation(slug) + "/opt-outs/" + url.PathEscape(author) + "/removal"
}

// MentionID is the DOM id of a mention.
func MentionID(post string) string { return "mention-" + post }
