package x

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vivra/app"
)

// maxPicture bounds a profile picture.
const maxPicture = 5 << 20

var userFields = url.Values{"user.fields": {"description,entities,name,profile_image_url,public_metrics,url,username"}}

type userAnswer struct {
	Data userShown `json:"data"`
}

type userShown struct {
	ID          string    `json:"id"`
	Username    string    `json:"username"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	URL         string    `json:"url"`
	Picture     string    `json:"profile_image_url"`
	CreatedAt   time.Time `json:"created_at"`
	Protected   bool      `json:"protected"`
	Metrics     struct {
		Followers int `json:"followers_count"`
		Following int `json:"following_count"`
		Tweets    int `json:"tweet_count"`
		Posts     int `json:"post_count"`
	} `json:"public_metrics"`
	Entities struct {
		URL         entities `json:"url"`
		Description entities `json:"description"`
	} `json:"entities"`
}

type entities struct {
	URLs []urlEntity `json:"urls"`
}

func (a userAnswer) profile() (app.Profile, error) {
	d := a.Data
	if d.ID == "" {
		return app.Profile{}, app.Errorf(app.NotFound, "X knows no such account.")
	}
	return app.Profile{
		ID: d.ID, Username: d.Username, Name: d.Name, Followers: d.Metrics.Followers, PictureURL: d.Picture,
		Bio: expand(d.Description, d.Entities.Description.URLs),
		URL: expand(d.URL, d.Entities.URL.URLs),
	}, nil
}

// Me returns the account the token belongs to.
func (c *Client) Me(ctx context.Context, accessToken string) (app.Profile, error) {
	return c.user(ctx, accessToken, "/2/users/me")
}

// User returns the account of that name, given without @.
func (c *Client) User(ctx context.Context, accessToken, username string) (app.Profile, error) {
	return c.user(ctx, accessToken, "/2/users/by/username/"+url.PathEscape(username))
}

func (c *Client) user(ctx context.Context, token, path string) (app.Profile, error) {
	var answer userAnswer
	if err := c.get(ctx, token, path, userFields, &answer); err != nil {
		return app.Profile{}, fmt.Errorf("read account: %w", err)
	}
	return answer.profile()
}

// Users returns the accounts with these ids, 100 at most, in the order that X
// gives. One that is gone is left out.
func (c *Client) Users(ctx context.Context, accessToken string, ids []string) ([]app.XUser, error) {
	query := url.Values{"ids": {strings.Join(ids, ",")}, "user.fields": {"created_at,description,entities,name,protected,public_metrics,username"}}
	var answer struct {
		Data []userShown `json:"data"`
	}
	if err := c.get(ctx, accessToken, "/2/users", query, &answer); err != nil {
		return nil, fmt.Errorf("read accounts: %w", err)
	}
	all := make([]app.XUser, len(answer.Data))
	for i, d := range answer.Data {
		all[i] = app.XUser{ID: d.ID, Username: d.Username, Name: d.Name, Bio: expand(d.Description, d.Entities.Description.URLs), CreatedAt: d.CreatedAt.UTC(),
			Followers: d.Metrics.Followers, Following: d.Metrics.Following, Posts: max(d.Metrics.Tweets, d.Metrics.Posts), Protected: d.Protected}
	}
	return all, nil
}

// Picture returns a profile picture, 400 pixels wide where X offers that size.
// Only the API's own host and the configured picture hosts are asked.
func (c *Client) Picture(ctx context.Context, pictureURL string) ([]byte, error) {
	if !c.pictureHost(pictureURL) {
		return nil, errors.New("read picture: its address is on a host that is not X's")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.Replace(pictureURL, "_normal.", "_400x400.", 1), nil)
	if err != nil {
		return nil, errors.New("read picture: its address is not a URL")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("read picture: %w", transportError(err))
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read picture: %w", &APIError{Status: res.StatusCode})
	}
	picture, err := io.ReadAll(io.LimitReader(res.Body, maxPicture+1))
	if err != nil {
		return nil, fmt.Errorf("read picture: %w", err)
	}
	if len(picture) > maxPicture {
		return nil, fmt.Errorf("read picture: larger than %d bytes", maxPicture)
	}
	return picture, nil
}

func (c *Client) pictureHost(pictureURL string) bool {
	picture, err := url.Parse(pictureURL)
	if err != nil || picture.User != nil {
		return false
	}
	base, err := url.Parse(c.cfg.APIBaseURL)
	if err == nil && picture.Scheme == base.Scheme && picture.Host == base.Host {
		return true
	}
	return picture.Scheme == "https" && slices.Contains(c.cfg.PictureHosts, picture.Host)
}
