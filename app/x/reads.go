package x

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"vivra/app"
)

// Timeline returns the account's newest posts, newest first; most is 5 to 100.
func (c *Client) Timeline(ctx context.Context, accessToken, userID string, most int) ([]app.Post, error) {
	query := postFields()
	query.Set("max_results", strconv.Itoa(min(100, max(5, most))))
	var page postPage
	if err := c.get(ctx, accessToken, "/2/users/"+url.PathEscape(userID)+"/tweets", query, &page); err != nil {
		return nil, fmt.Errorf("read timeline: %w", err)
	}
	return page.posts()
}

// ErrMore says that an account has written more since an instant than X shows.
var ErrMore = errors.New("X shows no more of the timeline")

// TimelineSince returns everything that the account wrote since an instant,
// newest first, as far back as X keeps a timeline.
func (c *Client) TimelineSince(ctx context.Context, accessToken, userID string, since time.Time) ([]app.Post, error) {
	const pages = 32 // of 100: X shows 3,200 posts at most
	query := postFields()
	query.Set("max_results", "100")
	query.Set("start_time", since.UTC().Format("2006-01-02T15:04:05Z"))
	all, more, err := c.pages(ctx, accessToken, "/2/users/"+url.PathEscape(userID)+"/tweets", query, pages)
	if err == nil && more {
		err = ErrMore
	}
	if err != nil {
		return nil, fmt.Errorf("read timeline: %w", err)
	}
	return all, nil
}

// pages reads at most that many pages, newest first, and tells whether there
// are more.
func (c *Client) pages(ctx context.Context, accessToken, path string, query url.Values, most int) (all []app.Post, more bool, err error) {
	for range most {
		var page postPage
		if err := c.get(ctx, accessToken, path, query, &page); err != nil {
			return nil, false, err
		}
		posts, err := page.posts()
		if err != nil {
			return nil, false, err
		}
		all = append(all, posts...)
		if page.Meta.NextToken == "" {
			return all, false, nil
		}
		query.Set("pagination_token", page.Meta.NextToken)
	}
	return all, true, nil
}

// maxPages bounds how far back one read of mentions goes.
const maxPages = 10

// Mentions returns the posts that name the account and are newer than sinceID
// (empty: the newest there are), oldest first. Late-indexed mentions exist: ask with an
// overlap and drop what is known.
func (c *Client) Mentions(ctx context.Context, accessToken, userID, sinceID string) ([]app.Post, error) {
	query := postFields()
	query.Set("max_results", "100")
	if sinceID != "" {
		query.Set("since_id", sinceID)
	}
	all, _, err := c.pages(ctx, accessToken, "/2/users/"+url.PathEscape(userID)+"/mentions", query, maxPages)
	if err != nil {
		return nil, fmt.Errorf("read mentions: %w", err)
	}
	slices.Reverse(all)
	return all, nil
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
