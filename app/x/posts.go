package x

import (
	"context"
	"errors"
	"fmt"
)

// PostRequest is one post. A poll goes alone: no media with it.
type PostRequest struct {
	Text        string
	ReplyTo     string // the id of the post this one answers, empty when none
	MediaIDs    []string
	PollOptions []string
	PollMinutes int
	// MadeWithAI discloses that the media was generated.
	MadeWithAI bool
}

// The body of POST /2/tweets; X refuses fields it does not know.
type postBody struct {
	Text       string     `json:"text"`
	Reply      *replyBody `json:"reply,omitempty"`
	Media      *mediaBody `json:"media,omitempty"`
	Poll       *pollBody  `json:"poll,omitempty"`
	MadeWithAI bool       `json:"made_with_ai,omitempty"`
}

type replyBody struct {
	InReplyTo string `json:"in_reply_to_tweet_id"`
}

type mediaBody struct {
	IDs []string `json:"media_ids"`
}

type pollBody struct {
	Options []string `json:"options"`
	Minutes int      `json:"duration_minutes"`
}

func (p PostRequest) body() postBody {
	body := postBody{Text: p.Text, MadeWithAI: p.MadeWithAI}
	if p.ReplyTo != "" {
		body.Reply = &replyBody{p.ReplyTo}
	}
	if len(p.MediaIDs) > 0 {
		body.Media = &mediaBody{p.MediaIDs}
	}
	if len(p.PollOptions) > 0 {
		body.Poll = &pollBody{p.PollOptions, p.PollMinutes}
	}
	return body
}

// CreatePost publishes and returns the post's id. X has no idempotency key:
// after an error for which Unknown holds, look at Timeline first.
func (c *Client) CreatePost(ctx context.Context, accessToken string, p PostRequest) (string, error) {
	var answer struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := c.post(ctx, accessToken, "/2/tweets", p.body(), &answer); err != nil {
		return "", fmt.Errorf("create post: %w", err)
	}
	if answer.Data.ID == "" {
		return "", fmt.Errorf("create post: %w", &unknownError{errors.New("X accepted the post but named no id")})
	}
	return answer.Data.ID, nil
}
