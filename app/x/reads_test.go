package x_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/x"
)

// asked returns a client whose server answers each request by a function of
// what it is asked.
func asked(t *testing.T, answer func(path string, query url.Values) (status int, body string)) *x.Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, body := answer(r.URL.Path, r.URL.Query())
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(srv.Close)
	return x.New(x.Config{APIBaseURL: srv.URL})
}

func posts(next string, ids ...string) string {
	var data []string
	for _, id := range ids {
		data = append(data, `{"id":"`+id+`","text":"gm","created_at":"2027-01-11T09:00:00.000Z"}`)
	}
	if len(data) == 0 {
		return `{"meta":{"result_count":0}}`
	}
	return `{"data":[` + strings.Join(data, ",") + `],"meta":{"next_token":"` + next + `"}}`
}

// TestTimelineThatNeverEnds: an account that wrote more than X shows can't be
// read to its end, which is said rather than taken for the end.
func TestTimelineThatNeverEnds(t *testing.T) {
	t.Parallel()
	looks := 0
	client := asked(t, func(_ string, q url.Values) (int, string) {
		looks++
		if got := q.Get("start_time"); got != "2027-01-11T08:00:00Z" {
			t.Errorf("asked for posts since %q", got)
		}
		return http.StatusOK, posts("more", "1")
	})
	since := time.Date(2027, 1, 11, 9, 0, 0, 0, time.FixedZone("CET", 3600))
	got, err := x.Walk(x.Window{Since: since, Most: 20}, 32, func(w x.Window) (x.Page, error) { return client.Timeline(t.Context(), "token", "11", w) })
	if !errors.Is(err, x.ErrMore) || looks != 32 || len(got) != 1 {
		t.Errorf("%d posts on %d pages: %v", len(got), looks, err)
	}
}

// TestWalkGivesEachPostOnce: posts that come meanwhile push others onto the
// next page, and what was read before a fault is there.
func TestWalkGivesEachPostOnce(t *testing.T) {
	t.Parallel()
	const big, bigger = "9007199254740993", "9007199254740995" // more than a float holds
	for name, c := range map[string]struct {
		pages map[string]string
		want  []string
		fails bool
	}{
		"nothing":         {map[string]string{"": posts("")}, nil, false},
		"one page":        {map[string]string{"": posts("", bigger, big)}, []string{bigger, big}, false},
		"pages overlap":   {map[string]string{"": posts("b", "5", "4"), "b": posts("", "4", "3")}, []string{"5", "4", "3"}, false},
		"the second dies": {map[string]string{"": posts("b", "5", "4"), "b": "503"}, []string{"5", "4"}, true},
	} {
		var sizes []string
		client := asked(t, func(path string, q url.Values) (int, string) {
			sizes = append(sizes, q.Get("max_results"))
			if path != "/2/users/11/mentions" || q.Get("since_id") != big || q.Get("media.fields") != "alt_text" || strings.Contains(q.Encode(), "author_id&") || q.Get("expansions") != "attachments.media_keys" {
				t.Errorf("%s: asked %s with %s", name, path, q.Encode())
			}
			if body := c.pages[q.Get("pagination_token")]; body != "503" {
				return http.StatusOK, body
			}
			return http.StatusServiceUnavailable, ""
		})
		got, err := x.Walk(x.Window{SinceID: big, Most: 3}, 9, func(w x.Window) (x.Page, error) { return client.Mentions(t.Context(), "token", "11", w) })
		var ids []string
		for _, p := range got {
			ids = append(ids, p.ID)
		}
		if !slices.Equal(ids, c.want) || (err != nil) != c.fails || sizes[0] != "5" || len(sizes) > 1 && sizes[1] != "100" {
			t.Errorf("%s: %v, %v; pages of %v", name, ids, err, sizes)
		}
	}
}

func TestMentionsTellWhatPicturesAreDescribedAs(t *testing.T) {
	t.Parallel()
	client := asked(t, func(string, url.Values) (int, string) {
		return http.StatusOK, `{"data":[{"id":"2","text":"@tok look","created_at":"2027-01-11T09:00:00.000Z","attachments":{"media_keys":["3_1","3_2"]}},
			{"id":"1","text":"@tok","created_at":"2027-01-11T09:00:00.000Z","edit_history_post_ids":["1"]}],
			"includes":{"media":[{"media_key":"3_1","type":"photo","alt_text":"a dodo"},{"media_key":"3_2","type":"photo"}]}}`
	})
	got, err := client.Mentions(t.Context(), "token", "11", x.Window{})
	if err != nil || !slices.Equal(got.Posts[0].AltTexts, []string{"a dodo"}) || got.Posts[1].AltTexts != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestUsersReadBothSpellings(t *testing.T) {
	t.Parallel()
	client := asked(t, func(path string, q url.Values) (int, string) {
		if path != "/2/users" || q.Get("ids") != "22,23,24" || q.Has("expansions") {
			t.Errorf("asked %s with %s", path, q.Encode())
		}
		return http.StatusOK, `{"data":[
			{"id":"22","username":"mara","name":"M &amp; R","description":"see https://t.co/a","created_at":"2019-03-01T10:00:00.000Z","protected":true,
			"public_metrics":{"followers_count":3,"following_count":4,"tweet_count":5},"entities":{"description":{"urls":[{"url":"https://t.co/a","expanded_url":"https://m.example"}]}}},
			{"id":"23","username":"new","name":"n","public_metrics":{"post_count":9}}],"errors":[{"value":"24","title":"Not Found Error"}]}`
	})
	got, err := client.Users(t.Context(), "token", []string{"22", "23", "24"})
	want := []app.XUser{
		{ID: "22", Username: "mara", Name: "M &amp; R", Bio: "see https://m.example", CreatedAt: time.Date(2019, 3, 1, 10, 0, 0, 0, time.UTC), Protected: true, Followers: 3, Following: 4, Posts: 5},
		{ID: "23", Username: "new", Name: "n", Posts: 9},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestRefusalsAreToldApart(t *testing.T) {
	t.Parallel()
	const soon, tonight = "1796000000", "1796040000"
	for name, c := range map[string]struct {
		status                int
		headers               map[string]string
		body                  string
		limited, capped, paid bool
		reset                 string
	}{
		"a quarter of an hour": {429, map[string]string{"x-rate-limit-reset": soon, "x-rate-limit-remaining": "0"}, `{"title":"Too Many Requests"}`, true, false, false, soon},
		"the account's day":    {429, map[string]string{"x-rate-limit-reset": soon, "x-rate-limit-remaining": "7", "x-user-limit-24hour-reset": tonight, "x-user-limit-24hour-remaining": "0"}, `{}`, true, false, false, tonight},
		"the application's":    {429, map[string]string{"x-rate-limit-reset": soon, "x-app-limit-24hour-reset": tonight, "x-app-limit-24hour-remaining": "0"}, `{}`, true, false, false, tonight},
		"a day with some left": {429, map[string]string{"x-rate-limit-reset": soon, "x-app-limit-24hour-reset": tonight, "x-app-limit-24hour-remaining": "3"}, `{}`, true, false, false, soon},
		"nothing told":         {429, nil, `<html>`, true, false, false, ""},
		"the plan":             {429, map[string]string{"x-rate-limit-reset": soon}, `{"title":"UsageCapExceeded","detail":"Usage cap exceeded: Monthly product cap"}`, false, true, false, soon},
		"the plan by its type": {429, nil, `{"title":"Too Many Requests","type":"https://api.twitter.com/2/problems/usage-capped"}`, false, true, false, ""},
		"no credits":           {402, nil, `{"title":"CreditsDepleted"}`, false, false, true, ""},
		"not allowed":          {403, map[string]string{"x-rate-limit-reset": soon}, `{"title":"Forbidden"}`, false, false, false, soon},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for key, value := range c.headers {
				w.Header().Set(key, value)
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		_, err := x.New(x.Config{APIBaseURL: srv.URL}).Mentions(t.Context(), "token", "11", x.Window{})
		srv.Close()
		var refusal *x.APIError
		if !errors.As(err, &refusal) || !x.Unbilled(err) {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		reset := ""
		if !refusal.ResetAt.IsZero() {
			reset = fmt.Sprint(refusal.ResetAt.Unix())
		}
		if refusal.RateLimited() != c.limited || refusal.UsageCapped() != c.capped || refusal.PaymentRequired() != c.paid || reset != c.reset {
			t.Errorf("%s: limited %v, capped %v, unpaid %v, until %s", name, refusal.RateLimited(), refusal.UsageCapped(), refusal.PaymentRequired(), reset)
		}
	}
}

// TestWhatMayHaveBeenBilled: an answer that was lost may have been sent.
func TestWhatMayHaveBeenBilled(t *testing.T) {
	t.Parallel()
	broken := asked(t, func(string, url.Values) (int, string) { return http.StatusOK, `{"data":[{"id":"1"` })
	strange := asked(t, func(string, url.Values) (int, string) {
		return http.StatusOK, `{"data":[{"id":"1","created_at":"soon"}]}`
	})
	for name, client := range map[string]*x.Client{"broken": broken, "strange": strange} {
		if _, err := client.Mentions(t.Context(), "token", "11", x.Window{}); err == nil || x.Unbilled(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	nobody := x.New(x.Config{APIBaseURL: "http://127.0.0.1:1"})
	if _, err := nobody.Mentions(t.Context(), "token", "11", x.Window{}); !x.Unbilled(err) {
		t.Errorf("nobody was there: %v", err)
	}
}

// TestLongPostsAreReadWhole: X cuts the text of those with more than 280
// characters, and has all of it elsewhere.
func TestLongPostsAreReadWhole(t *testing.T) {
	t.Parallel()
	client := asked(t, func(_ string, q url.Values) (int, string) {
		if !strings.Contains(q.Get("tweet.fields"), "note_tweet") {
			t.Errorf("asked %s", q.Encode())
		}
		return http.StatusOK, `{"data":[{"id":"2","text":"@tok so …","created_at":"2027-01-11T09:00:00.000Z","entities":{},
			"note_tweet":{"text":"@tok so, stop replying to me https://t.co/y","entities":{"mentions":[{"start":0,"id":"11"}],"urls":[{"url":"https://t.co/y","expanded_url":"https://m.example"}]}}}]}`
	})
	got, err := client.Mentions(t.Context(), "token", "11", x.Window{})
	if err != nil || got.Posts[0].Text != "@tok so, stop replying to me https://m.example" || !slices.Equal(got.Posts[0].MentionIDs, []string{"11"}) {
		t.Errorf("got %+v, %v", got, err)
	}
}
