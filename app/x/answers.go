package x

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"vivra/app"
)

// postFields asks with the older names, which X still serves everywhere; the
// decoder takes both.
func postFields() url.Values {
	return url.Values{"tweet.fields": {"attachments,author_id,conversation_id,created_at,display_text_range,entities,note_tweet,referenced_tweets"}}
}

type postPage struct {
	Data     []postAnswer `json:"data"` // absent when empty
	Includes struct {
		Media []mediaShown `json:"media"`
	} `json:"includes"`
	Meta struct {
		NextToken string `json:"next_token"`
	} `json:"meta"`
}

type mediaShown struct {
	Key string `json:"media_key"`
	Alt string `json:"alt_text"`
}

func (p postPage) posts() ([]app.Post, error) {
	posts := make([]app.Post, 0, len(p.Data))
	for _, answer := range p.Data {
		post, err := answer.post()
		if err != nil {
			return nil, err
		}
		for _, m := range p.Includes.Media {
			if m.Alt != "" && slices.Contains(answer.Attachments.MediaKeys, m.Key) {
				post.AltTexts = append(post.AltTexts, m.Alt)
			}
		}
		posts = append(posts, post)
	}
	return posts, nil
}

type postAnswer struct {
	ID               string      `json:"id"`
	AuthorID         string      `json:"author_id"`
	Text             string      `json:"text"`
	CreatedAt        string      `json:"created_at"`
	ReferencedTweets []reference `json:"referenced_tweets"`
	ReferencedPosts  []reference `json:"referenced_posts"`
	DisplayTextRange []int       `json:"display_text_range"`
	Attachments      struct {
		MediaKeys []string `json:"media_keys"`
	} `json:"attachments"`
	Entities  postEntities `json:"entities"`
	NoteTweet longer       `json:"note_tweet"`
	NotePost  longer       `json:"note_post"`
}

type postEntities struct {
	Mentions []struct {
		ID    string `json:"id"`
		Start int    `json:"start"`
	} `json:"mentions"`
	URLs []urlEntity `json:"urls"`
}

// longer is the whole of a post that has more than 280 characters: its text is
// only the beginning.
type longer struct {
	Text     string       `json:"text"`
	Entities postEntities `json:"entities"`
}

// whole is what a post says, with what stands in it.
func (a postAnswer) whole() (text string, in postEntities) {
	for _, l := range []longer{a.NoteTweet, a.NotePost} {
		if l.Text != "" {
			return l.Text, l.Entities
		}
	}
	return a.Text, a.Entities
}

type reference struct {
	Type string `json:"type"` // replied_to, quoted
	ID   string `json:"id"`
}

func (a postAnswer) post() (app.Post, error) {
	at, err := time.Parse(time.RFC3339, a.CreatedAt)
	if err != nil {
		return app.Post{}, fmt.Errorf("post %s has no readable instant: %q", a.ID, capped(a.CreatedAt))
	}
	text, in := a.whole()
	post := app.Post{ID: a.ID, AuthorID: a.AuthorID, Text: expand(text, in.URLs), CreatedAt: at.UTC(), MentionIDs: a.mentioned()}
	for _, ref := range slices.Concat(a.ReferencedTweets, a.ReferencedPosts) {
		switch ref.Type {
		case "replied_to":
			post.ParentID = ref.ID
		case "quoted":
			post.QuotesID = ref.ID
		}
	}
	return post, nil
}

// mentioned leaves out the names X puts before a reply's own text: they were
// not written by its author.
func (a postAnswer) mentioned() []string {
	var ids []string
	_, in := a.whole()
	for _, m := range in.Mentions {
		if len(a.DisplayTextRange) == 2 && m.Start < a.DisplayTextRange[0] {
			continue
		}
		if !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
