package x_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app/x"
)

// answering returns a client whose server answers with what the path calls for.
func answering(t *testing.T, answers map[string]string) *x.Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.Method+" "+r.URL.Path]
		if !ok {
			t.Errorf("unexpected %s %s", r.Method, r.URL)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(srv.Close)
	return x.New(x.Config{APIBaseURL: srv.URL + "/", AuthBaseURL: srv.URL, ClientID: "id", Wait: func(context.Context, time.Duration) error { return nil }})
}

func TestErrorShapes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status      int
		contentType string
		body        string
		want        string
		unknown     bool
	}{
		"problem":     {403, "application/problem+json", `{"title":"Forbidden","detail":"Not you.","status":403}`, "403 Forbidden: Not you.", false},
		"legacy":      {429, "application/json", `{"errors":[{"code":88,"message":"Rate limit exceeded"}]}`, "429 Too Many Requests: Rate limit exceeded", false},
		"invalid":     {400, "application/json", `{"detail":"One is invalid.","errors":[{"parameters":{"a":[]},"message":"a is"}]}`, "400 Bad Request: One is invalid. a is", false},
		"edge":        {502, "text/html; charset=utf-8", `<html>bad gateway</html>`, "502 Bad Gateway: text/html instead of JSON", true},
		"redirect":    {302, "text/html", ``, "302 Found: text/html instead of JSON", false},
		"empty":       {401, "", ``, "401 Unauthorized: ", false},
		"long detail": {400, "application/json", `{"detail":"` + strings.Repeat("é", 1000) + `"}`, "…", false},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("a redirect was followed")
			}
			w.Header().Set("Content-Type", c.contentType)
			w.Header().Set("Location", "/elsewhere")
			w.Header().Set("X-Rate-Limit-Reset", "1796000000")
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		_, err := x.New(x.Config{APIBaseURL: srv.URL}).CreatePost(t.Context(), "secret", x.PostRequest{Text: "a"})
		srv.Close()
		var refusal *x.APIError
		if !errors.As(err, &refusal) {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || x.Unknown(err) != c.unknown || len(err.Error()) > 400 {
			t.Errorf("%s: got %q, unknown %v", name, err, x.Unknown(err))
		}
		if refusal.RetryAfter != 7*time.Second || !refusal.ResetAt.Equal(time.Unix(1796000000, 0)) {
			t.Errorf("%s: retry after %s, reset at %s", name, refusal.RetryAfter, refusal.ResetAt)
		}
	}
}

func TestNobodyThereIsNotUnknown(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	_, err := x.New(x.Config{APIBaseURL: srv.URL}).CreatePost(t.Context(), "secret", x.PostRequest{Text: "a"})
	if err == nil || x.Unknown(err) {
		t.Errorf("nothing was sent, got %v", err)
	}
}

func TestBrokenSuccessIsUnknown(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "<html>", `{"data":{}}`} {
		_, err := answering(t, map[string]string{"POST /2/tweets": body}).CreatePost(t.Context(), "secret", x.PostRequest{Text: "a"})
		if !x.Unknown(err) {
			t.Errorf("%q: got %v", body, err)
		}
	}
}

func TestMentionsReadBothSpellings(t *testing.T) {
	t.Parallel()
	post := `{"id":"%d","author_id":"22","text":"@tok @other wen &amp; where? https://t.co/a","created_at":"2026-07-24T21:23:23.000Z",%s
		"display_text_range":[5,40],"entities":{"mentions":[{"start":0,"id":"11"},{"start":5,"id":"12"},{"start":5,"id":"12"}],
		"urls":[{"url":"https://t.co/a","expanded_url":"https://dodo.example/x"}]}}`
	client := answering(t, map[string]string{"GET /2/users/11/mentions": `{"data":[` +
		fmt.Sprintf(post, 20, `"referenced_posts":[{"type":"quoted","id":"3"},{"type":"replied_to","id":"4"}],`) + "," +
		fmt.Sprintf(post, 19, `"referenced_tweets":[{"type":"replied_to","id":"4"}],`) + `]}`})
	got, err := client.Mentions(t.Context(), "token", "11", x.Window{Most: 100})
	if err != nil || len(got.Posts) != 2 || got.Posts[0].ID != "20" || got.Posts[0].QuotesID != "3" || got.Posts[1].QuotesID != "" {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, post := range got.Posts {
		if post.ParentID != "4" || post.Text != "@tok @other wen & where? https://dodo.example/x" || !slices.Equal(post.MentionIDs, []string{"12"}) {
			t.Errorf("got %+v", post)
		}
	}
}

func TestMediaIsWaitedFor(t *testing.T) {
	t.Parallel()
	var parts, looks int
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/2/media/upload/initialize":
			_, _ = io.WriteString(w, `{"id":"5"}`) // at the top level, as it has been
		case "/2/media/upload/5/append":
			if r.FormValue("segment_index") != fmt.Sprint(parts) {
				t.Errorf("segment %q came as number %d", r.FormValue("segment_index"), parts)
			}
			parts++
			w.WriteHeader(http.StatusNoContent)
		case "/2/media/upload/5/finalize":
			_, _ = io.WriteString(w, `{"data":{"id":"5","processing_info":{"state":"pending","check_after_secs":3}}}`)
		case "/2/media/upload":
			looks++
			_, _ = io.WriteString(w, `{"data":{"id":"5","processing_info":{"state":"succeeded"}}}`)
		default:
			t.Errorf("unexpected %s", r.URL)
		}
	}))
	defer srv.Close()
	var waited time.Duration
	client := x.New(x.Config{APIBaseURL: srv.URL, Wait: func(_ context.Context, d time.Duration) error { waited += d; return nil }})
	id, err := client.UploadMedia(t.Context(), "token", x.Upload{Bytes: make([]byte, 5<<20), MIME: "image/gif"})
	if err != nil || id != "5" || parts != 3 || looks != 1 || waited != 3*time.Second {
		t.Errorf("got %q, %v; %d parts, %d looks, waited %s", id, err, parts, looks, waited)
	}
}

func TestPublicClientNamesItself(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, basic := r.BasicAuth(); basic || r.FormValue("client_id") != "id" || r.FormValue("refresh_token") != "old" {
			t.Errorf("sent %v", r.Form)
		}
		_, _ = io.WriteString(w, `{"access_token":"a","refresh_token":"b","expires_in":7200,"scope":"tweet.read offline.access"}`)
	}))
	defer srv.Close()
	token, err := x.New(x.Config{AuthBaseURL: srv.URL, ClientID: "id"}).Refresh(t.Context(), "old", time.Unix(0, 0))
	if err != nil || token.RefreshToken != "b" || !token.ExpiresAt.Equal(time.Unix(7200, 0)) {
		t.Fatalf("got %v, %v", token, err)
	}
	if shown := fmt.Sprintf("%v %+v %#v", token, token, &token); strings.Contains(shown, `"b"`) || strings.Contains(shown, " b ") {
		t.Errorf("a token prints as %s", shown)
	}
}
