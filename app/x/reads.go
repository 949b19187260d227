package x

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"vivra/app"
)

// Window is a part of a list of posts.
type Window struct {
	SinceID string    // newer than this post, empty for any
	UntilID string    // older than this post, empty for any
	Since   time.Time // written since then, zero for any; X keeps whole seconds
	Most    int       // on one page, 5 to 100
	Next    string    // where the page before ended, empty for the newest
}

func (w Window) query() url.Values {
	query := postFields()
	query.Set("max_results", strconv.Itoa(min(MostPosts, max(FewestPosts, w.Most))))
	if w.SinceID != "" {
		query.Set("since_id", w.SinceID)
	}
	if w.UntilID != "" {
		query.Set("until_id", w.UntilID)
	}
	if !w.Since.IsZero() {
		query.Set("start_time", w.Since.UTC().Format("2006-01-02T15:04:05Z"))
	}
	if w.Next != "" {
		query.Set("pagination_token", w.Next)
	}
	return query
}

// How many posts a page, and how many accounts a look-up may ask for.
const (
	FewestPosts = 5
	MostPosts   = 100
	MostUsers   = 100
)

// Page is one page of posts, newest first.
type Page struct {
	Posts []app.Post
	Next  string // empty on the last one
}

// Timeline returns a page of what an account wrote.
func (c *Client) Timeline(ctx context.Context, accessToken, userID string, w Window) (Page, error) {
	page, err := c.page(ctx, accessToken, "/2/users/"+url.PathEscape(userID)+"/tweets", w.query())
	if err != nil {
		return page, fmt.Errorf("read timeline: %w", err)
	}
	return page, nil
}

// Mentions returns a page of the posts that name an account, with what their
// pictures are described as. Their authors are not asked for along with them:
// X may bill each.
func (c *Client) Mentions(ctx context.Context, accessToken, userID string, w Window) (Page, error) {
	query := w.query()
	query.Set("expansions", "attachments.media_keys")
	query.Set("media.fields", "alt_text")
	page, err := c.page(ctx, accessToken, "/2/users/"+url.PathEscape(userID)+"/mentions", query)
	if err != nil {
		return page, fmt.Errorf("read mentions: %w", err)
	}
	return page, nil
}

func (c *Client) page(ctx context.Context, accessToken, path string, query url.Values) (Page, error) {
	var answer postPage
	if err := c.get(ctx, accessToken, path, query, &answer); err != nil {
		return Page{}, err
	}
	posts, err := answer.posts()
	return Page{posts, answer.Meta.NextToken}, err
}

// ErrMore says that there are more posts than X shows, or than were to be read.
var ErrMore = errors.New("X has more posts than could be read")

// Walk reads page after page, from the newest to the oldest, and returns each
// post once: those that come while it walks push others onto the next page.
// What was read before an error is returned with it.
func Walk(w Window, pages int, read func(Window) (Page, error)) (all []app.Post, err error) {
	seen := map[string]bool{}
	for range pages {
		page, err := read(w)
		for _, post := range page.Posts {
			if !seen[post.ID] {
				seen[post.ID] = true
				all = append(all, post)
			}
		}
		if err != nil || page.Next == "" {
			return all, err
		}
		w.Next, w.Most = page.Next, MostPosts
	}
	return all, ErrMore
}

// Poll returns where the poll of a post stands. Votes are final once Closed.
func (c *Client) Poll(ctx context.Context, accessToken, postID string) (app.PollResult, error) {
	query := url.Values{
		"ids":         {postID},
		"expansions":  {"attachments.poll_ids"},
		"poll.fields": {"duration_minutes,end_datetime,id,options,voting_status"},
	}
	var answer struct {
		Includes struct {
			Polls []pollAnswer `json:"polls"`
		} `json:"includes"`
	}
	if err := c.get(ctx, accessToken, "/2/tweets", query, &answer); err != nil {
		return app.PollResult{}, fmt.Errorf("read poll: %w", err)
	}
	if len(answer.Includes.Polls) != 1 {
		return app.PollResult{}, app.Errorf(app.NotFound, "X shows no poll in post %s.", postID)
	}
	return answer.Includes.Polls[0].result(), nil
}

type pollAnswer struct {
	VotingStatus string `json:"voting_status"`
	Options      []struct {
		Position int `json:"position"` // from 1
		Votes    int `json:"votes"`
	} `json:"options"`
}

func (p pollAnswer) result() app.PollResult {
	result := app.PollResult{Closed: p.VotingStatus == "closed", Votes: make([]int, len(p.Options))}
	for _, option := range p.Options {
		if i := option.Position - 1; i >= 0 && i < len(result.Votes) {
			result.Votes[i] = option.Votes
		}
	}
	return result
}
