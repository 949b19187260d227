package x_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"vivra/app/x"
)

// createPost is every field that POST /2/tweets takes: any other is refused.
type createPost struct {
	Text  string `json:"text"`
	Reply *struct {
		InReplyTo string   `json:"in_reply_to_tweet_id"`
		Exclude   []string `json:"exclude_reply_user_ids"`
	} `json:"reply"`
	Media *struct {
		IDs    []string `json:"media_ids"`
		Tagged []string `json:"tagged_user_ids"`
	} `json:"media"`
	Poll *struct {
		Options       []string `json:"options"`
		Minutes       int      `json:"duration_minutes"`
		ReplySettings string   `json:"reply_settings"`
	} `json:"poll"`
	EditOptions *struct {
		Previous string `json:"previous_post_id"`
	} `json:"edit_options"`
	Quote           string `json:"quote_tweet_id"`
	Community       string `json:"community_id"`
	ReplySettings   string `json:"reply_settings"`
	MadeWithAI      bool   `json:"made_with_ai"`
	PaidPartnership bool   `json:"paid_partnership"`
}

type openUpload struct {
	Type     string `json:"media_type"`
	Total    int    `json:"total_bytes"`
	Category string `json:"media_category"`
}

type describeUpload struct {
	ID       string `json:"id"`
	Metadata struct {
		AltText struct {
			Text string `json:"text"`
		} `json:"alt_text"`
	} `json:"metadata"`
}

// bodiesOf returns the JSON bodies that call sends, by path.
func bodiesOf(t *testing.T, call func(*x.Client) error) map[string][]byte {
	t.Helper()
	sent := map[string][]byte{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.Header.Get("Content-Type") == "application/json" {
			sent[r.URL.Path] = body
		} else if len(body) > 2<<20+1024 {
			t.Errorf("a segment of %d bytes", len(body))
		}
		_, _ = io.WriteString(w, `{"data":{"id":"5"}}`)
	}))
	t.Cleanup(srv.Close)
	if err := call(x.New(x.Config{APIBaseURL: srv.URL})); err != nil {
		t.Fatal(err)
	}
	return sent
}

// TestBodiesHoldKnownFieldsOnly: X refuses a body with any other, and a field
// that says nothing is not sent.
func TestBodiesHoldKnownFieldsOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		post x.PostRequest
		want string
	}{
		"text":    {x.PostRequest{Text: "gm"}, `{"text":"gm"}`},
		"answer":  {x.PostRequest{Text: "2/5", ReplyTo: "9007199254740993"}, `{"text":"2/5","reply":{"in_reply_to_tweet_id":"9007199254740993"}}`},
		"picture": {x.PostRequest{Text: "look", MediaIDs: []string{"5"}, MadeWithAI: true}, `{"text":"look","media":{"media_ids":["5"]},"made_with_ai":true}`},
		"poll":    {x.PostRequest{Text: "which?", PollOptions: []string{"A", "B"}, PollMinutes: 1440}, `{"text":"which?","poll":{"options":["A","B"],"duration_minutes":1440}}`},
	} {
		sent := bodiesOf(t, func(client *x.Client) error {
			_, err := client.CreatePost(t.Context(), "token", c.post)
			return err
		})["/2/tweets"]
		var body createPost
		if err := strictly(sent, &body); err != nil || string(sent) != c.want {
			t.Errorf("%s: %s, %v", name, sent, err)
		}
	}
	sent := bodiesOf(t, func(client *x.Client) error {
		_, err := client.UploadMedia(t.Context(), "token", x.Upload{Bytes: make([]byte, 3<<20), MIME: "image/png", Alt: "a dodo"})
		return err
	})
	var opened openUpload
	if err := strictly(sent["/2/media/upload/initialize"], &opened); err != nil || opened != (openUpload{"image/png", 3 << 20, "tweet_image"}) {
		t.Errorf("opened %+v, %v", opened, err)
	}
	var described describeUpload
	if err := strictly(sent["/2/media/metadata"], &described); err != nil || described.ID != "5" || described.Metadata.AltText.Text != "a dodo" {
		t.Errorf("described %+v, %v", described, err)
	}
}

func strictly(body []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}
