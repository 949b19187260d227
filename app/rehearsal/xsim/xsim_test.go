package xsim_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/preflight"
	"vivra/app/rehearsal/xsim"
	"vivra/app/x"
)

var j0 = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

// clock is a simulated clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

type world struct {
	sim    *xsim.Server
	client *x.Client
	clock  *clock
	token  string
}

func newWorld(t *testing.T, poison ...string) world {
	t.Helper()
	c := &clock{now: j0}
	sim := xsim.New(xsim.Options{
		Poison: poison, Now: c.Now, Seed: 1, ClientID: "client", ClientSecret: "hush hush",
		Accounts: []xsim.Account{
			{ID: "11", Username: "dodo", Name: "Dodo", AccessToken: "access", RefreshToken: "refresh", History: []app.Post{
				{Text: "we launch & fly https://dodo.example", CreatedAt: j0.Add(-900 * time.Hour)},
			}},
			{ID: "12", Username: "stranger", Name: "Stranger", Followers: 7},
		},
	})
	srv := httptest.NewServer(sim)
	t.Cleanup(srv.Close)
	client := x.New(x.Config{APIBaseURL: srv.URL, AuthBaseURL: srv.URL, ClientID: "client", ClientSecret: "hush hush"})
	return world{sim, client, c, "access"}
}

func (w world) post(t *testing.T, p x.PostRequest) string {
	t.Helper()
	id, err := w.client.CreatePost(t.Context(), w.token, p)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func picture(t *testing.T) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestThreadIsPublishedInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	media, err := w.client.UploadMedia(t.Context(), w.token, x.Upload{Bytes: picture(t), MIME: "image/png", Alt: "the board"})
	if err != nil {
		t.Fatal(err)
	}
	first := w.post(t, x.PostRequest{Text: "1/2 it dances", MediaIDs: []string{media}, MadeWithAI: true})
	w.post(t, x.PostRequest{Text: "2/2 see dodo.fun", ReplyTo: first})

	posts := w.sim.Posts()
	if len(posts) != 2 || posts[1].ReplyTo != posts[0].ID || posts[0].Media[0].Alt != "the board" || !bytes.Equal(posts[0].Media[0].Bytes, picture(t)) {
		t.Fatalf("got %+v", posts)
	}
	if posts[0].Charged != preflight.PricePost || posts[1].Charged != preflight.PriceLink {
		t.Errorf("charged %s and %s", posts[0].Charged, posts[1].Charged)
	}
	if want := preflight.PricePost + preflight.PriceLink + preflight.PriceMetadata; w.sim.Charged() != want {
		t.Errorf("charged %s in all, want %s", w.sim.Charged(), want)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post(t, x.PostRequest{Text: "gm"})
	stranger := w.sim.Say("12", "nobody in particular")
	two := []string{"A", "B"}
	for name, c := range map[string]struct {
		post x.PostRequest
		want int
	}{
		"too long":            {x.PostRequest{Text: strings.Repeat("a", 281)}, 400},
		"empty":               {x.PostRequest{}, 400},
		"two cashtags":        {x.PostRequest{Text: "$DODO $ETH"}, 403},
		"duplicate":           {x.PostRequest{Text: "gm"}, 403},
		"poll and media":      {x.PostRequest{Text: "?", PollOptions: two, PollMinutes: 60, MediaIDs: []string{"1"}}, 400},
		"poll of one":         {x.PostRequest{Text: "?", PollOptions: two[:1], PollMinutes: 60}, 400},
		"long option":         {x.PostRequest{Text: "?", PollOptions: []string{"A", strings.Repeat("b", 26)}, PollMinutes: 60}, 400},
		"short poll":          {x.PostRequest{Text: "?", PollOptions: two, PollMinutes: 4}, 400},
		"unknown media":       {x.PostRequest{Text: "?", MediaIDs: []string{"1"}}, 400},
		"unknown parent":      {x.PostRequest{Text: "?", ReplyTo: "1"}, 400},
		"reply without a cue": {x.PostRequest{Text: "?", ReplyTo: stranger}, 403},
	} {
		_, err := w.client.CreatePost(t.Context(), w.token, c.post)
		var refusal *x.APIError
		if !errors.As(err, &refusal) || refusal.Status != c.want || x.Unknown(err) {
			t.Errorf("%s: got %v, want status %d", name, err, c.want)
			continue
		}
		if got := refusal.Duplicate(); got != (name == "duplicate") {
			t.Errorf("%s: duplicate is %v", name, got)
		}
		if got := refusal.NotSummoned(); got != (name == "reply without a cue") {
			t.Errorf("%s: not summoned is %v", name, got)
		}
	}
	if n := len(w.sim.Posts()); n != 1 {
		t.Errorf("%d posts were published", n)
	}
	w.clock.pass(49 * time.Hour)
	w.renew(t)
	w.post(t, x.PostRequest{Text: "gm"})
}

func (w *world) renew(t *testing.T) {
	t.Helper()
	token, err := w.client.Refresh(t.Context(), "refresh", w.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	w.token = token.AccessToken
}

func TestTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.pass(2 * time.Hour)
	var refusal *x.APIError
	if _, err := w.client.Me(t.Context(), "access"); !errors.As(err, &refusal) || !refusal.Unauthorized() {
		t.Fatalf("an expired token: %v", err)
	}
	token, err := w.client.Refresh(t.Context(), "refresh", w.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	if !token.ExpiresAt.Equal(w.clock.Now().Add(2*time.Hour)) || !slices.Contains(token.Scopes, "tweet.write") {
		t.Errorf("got scopes %v until %s", token.Scopes, token.ExpiresAt)
	}
	if me, err := w.client.Me(t.Context(), token.AccessToken); err != nil || me.Username != "dodo" {
		t.Fatalf("got %+v, %v", me, err)
	}
	if _, err := w.client.Refresh(t.Context(), "refresh", w.clock.Now()); !errors.As(err, &refusal) || refusal.Status != 400 {
		t.Fatalf("a spent refresh token: %v", err)
	}
	if strings.Contains(refusal.Error(), "refresh") && strings.Contains(refusal.Error(), token.RefreshToken) {
		t.Errorf("the error tells a secret: %v", refusal)
	}
	if _, err := w.client.Me(t.Context(), token.AccessToken); !errors.As(err, &refusal) || !refusal.Unauthorized() {
		t.Errorf("reuse must end the whole family, got %v", err)
	}
}

func TestWrongClientSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	srv := httptest.NewServer(w.sim)
	defer srv.Close()
	client := x.New(x.Config{AuthBaseURL: srv.URL, ClientID: "client", ClientSecret: "guess"})
	var refusal *x.APIError
	if _, err := client.Refresh(t.Context(), "refresh", j0); !errors.As(err, &refusal) || refusal.Status != 401 {
		t.Errorf("got %v", err)
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post(t, x.PostRequest{Text: "Fish & chips < caf\u00e9? see dodo.fun/a"})
	profile, err := w.client.User(t.Context(), w.token, "Stranger")
	if err != nil || profile.ID != "12" || profile.Followers != 7 {
		t.Fatalf("got %+v, %v", profile, err)
	}
	if _, err := w.client.User(t.Context(), w.token, "nobody"); app.KindOf(err) != app.NotFound {
		t.Errorf("an unknown account: %v", err)
	}
	page, err := w.client.Timeline(t.Context(), w.token, "11", x.Window{Most: 5})
	posts := page.Posts
	if err != nil || len(posts) != 2 {
		t.Fatalf("got %+v, %v", posts, err)
	}
	if !x.SameText("Fish & chips < cafe\u0301? see dodo.fun/a", posts[0].Text) || x.SameText("Fish", posts[0].Text) {
		t.Errorf("got %q", posts[0].Text)
	}
	if posts[1].Text != "we launch & fly https://dodo.example" || !posts[1].CreatedAt.Equal(j0.Add(-900*time.Hour)) {
		t.Errorf("got %+v", posts[1])
	}
}

func TestProfileAppliedByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.sim.ApplyProfile("11", "Dodo, revived", "It dances.", "https://dodo.vivra.site", picture(t)); err != nil {
		t.Fatal(err)
	}
	me, err := w.client.Me(t.Context(), w.token)
	if err != nil {
		t.Fatal(err)
	}
	if me.Name != "Dodo, revived" || me.Bio != "It dances." || me.URL != "https://dodo.vivra.site" {
		t.Errorf("got %+v", me)
	}
	got, err := w.client.Picture(t.Context(), me.PictureURL)
	if err != nil || !bytes.Equal(got, picture(t)) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	if _, err := w.client.Picture(t.Context(), "http://169.254.169.254/latest"); err == nil {
		t.Error("a picture was fetched from a foreign host")
	}
}

func TestPollRunsItsDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post(t, x.PostRequest{Text: "which face?", PollOptions: []string{"A", "B", "C"}, PollMinutes: 24 * 60})
	w.sim.Advance(w.clock.pass(time.Hour))
	early, err := w.client.Poll(t.Context(), w.token, id)
	if err != nil || early.Closed {
		t.Fatalf("got %+v, %v", early, err)
	}
	w.sim.Advance(w.clock.pass(23 * time.Hour))
	w.renew(t)
	final, err := w.client.Poll(t.Context(), w.token, id)
	if err != nil || !final.Closed || len(final.Votes) != 3 {
		t.Fatalf("got %+v, %v", final, err)
	}
	sum := final.Votes[0] + final.Votes[1] + final.Votes[2]
	if sum < 850 || sum > 1150 || final.Votes[0] <= early.Votes[0] {
		t.Errorf("votes went from %v to %v", early.Votes, final.Votes)
	}
	if seen := w.sim.Posts()[0].Poll; !seen.Closed || !slices.Equal(seen.Votes, final.Votes) {
		t.Errorf("the server itself counts %+v", seen)
	}
	if _, err := w.client.Poll(t.Context(), w.token, "1"); app.KindOf(err) != app.NotFound {
		t.Errorf("an unknown post: %v", err)
	}
}

// mentions are all since a post, oldest first.
func (w world) mentions(t *testing.T, since string) []app.Post {
	t.Helper()
	all, err := x.Walk(x.Window{SinceID: since, Most: 20}, 10, func(window x.Window) (x.Page, error) {
		return w.client.Mentions(t.Context(), w.token, "11", window)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	return all
}

func TestMentionsAreTheSameForOneSeed(t *testing.T) {
	t.Parallel()
	read := func(steps int) []app.Post {
		w := newWorld(t)
		w.post(t, x.PostRequest{Text: "hello again"})
		for range steps {
			w.sim.Advance(w.clock.pass(40 * 24 * time.Hour / time.Duration(steps)))
		}
		w.renew(t)
		return w.mentions(t, "")
	}
	one, many := read(1), read(80)
	if len(one) < 120 || len(one) != len(many) {
		t.Fatalf("%d and %d mentions", len(one), len(many))
	}
	hostile := 0
	for i, m := range one {
		if m.Text != many[i].Text || !m.CreatedAt.Equal(many[i].CreatedAt) {
			t.Fatalf("mention %d: %q and %q", i, m.Text, many[i].Text)
		}
		if i > 0 && m.CreatedAt.Before(one[i-1].CreatedAt) || !slices.Equal(m.MentionIDs, []string{"11"}) {
			t.Fatalf("mention %d: %+v", i, m)
		}
		if len(preflight.Addresses(m.Text)) > 0 {
			hostile++
		}
	}
	if hostile == 0 || hostile == len(one) {
		t.Errorf("%d of %d are hostile", hostile, len(one))
	}
}

// TestPoisonComesRound: every poisoned text names the account within a few
// days, and the profile shows what its owner entered.
func TestPoisonComesRound(t *testing.T) {
	t.Parallel()
	poison := []string{"one!", "two!", "three!", "four!", "five!", "six!", "seven!"}
	w := newWorld(t, poison...)
	w.post(t, x.PostRequest{Text: "hello again"})
	w.sim.Advance(w.clock.pass(4 * 24 * time.Hour))
	w.renew(t)
	mentions := w.mentions(t, "")
	seen := map[string]int{}
	for _, m := range mentions {
		seen[strings.TrimPrefix(m.Text, "@dodo ")]++
	}
	for _, text := range poison {
		if seen[text] == 0 {
			t.Errorf("%q never came: %v", text, seen)
		}
	}
	if name, bio, url := w.sim.Profile("12"); name != "Stranger" || bio+url != "" {
		t.Errorf("the profile shows %q, %q, %q", name, bio, url)
	}
}

func TestMentionsSinceAndReply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post(t, x.PostRequest{Text: "hello again"})
	first := w.sim.Say("12", "@dodo when?")
	second := w.sim.Say("12", "so @DODO why?")
	got := w.mentions(t, first)
	if len(got) != 1 || got[0].ID != second {
		t.Fatalf("got %+v", got)
	}
	w.post(t, x.PostRequest{Text: "because", ReplyTo: second})
	if reply := w.sim.Posts()[1]; reply.Charged != preflight.PriceReply {
		t.Errorf("a summoned reply costs %s", reply.Charged)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault     xsim.Fault
		unknown   bool
		published int
	}{
		"rate limit":                 {xsim.Fault{Path: "POST /2/tweets", Status: 429, RetryAfter: time.Minute}, false, 0},
		"no credits":                 {xsim.Fault{Path: "POST /2/tweets", Status: 402}, false, 0},
		"down":                       {xsim.Fault{Path: "/2/tweets", Status: 503}, true, 0},
		"HTML from the edge":         {xsim.Fault{Path: "/2/tweets", Status: 502, HTML: "<html>"}, true, 0},
		"HTML as success":            {xsim.Fault{Path: "/2/tweets", Status: 200, HTML: "<html>"}, true, 0},
		"closed before":              {xsim.Fault{Path: "/2/tweets"}, true, 0},
		"closed after accepting":     {xsim.Fault{Path: "/2/tweets", AfterAccept: true}, true, 1},
		"gateway gave up afterwards": {xsim.Fault{Path: "/2/tweets", AfterAccept: true, Status: 504}, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.sim.Fail(c.fault)
			_, err := w.client.CreatePost(t.Context(), w.token, x.PostRequest{Text: "gm"})
			if err == nil || x.Unknown(err) != c.unknown {
				t.Fatalf("unknown is %v for %v", x.Unknown(err), err)
			}
			if strings.Contains(err.Error(), w.token) {
				t.Errorf("the error tells the token: %v", err)
			}
			if n := len(w.sim.Posts()); n != c.published {
				t.Errorf("%d posts were published", n)
			}
			if _, err := w.client.CreatePost(t.Context(), w.token, x.PostRequest{Text: "gm again"}); err != nil {
				t.Errorf("the fault hit twice: %v", err)
			}
		})
	}
}

func TestHangingAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	srv := httptest.NewServer(w.sim)
	defer srv.Close()
	hasty := *srv.Client()
	hasty.Timeout = 50 * time.Millisecond
	client := x.New(x.Config{APIBaseURL: srv.URL, HTTP: &hasty})
	w.sim.Fail(xsim.Fault{Path: "/2/tweets", AfterAccept: true, Hang: true})
	if _, err := client.CreatePost(t.Context(), w.token, x.PostRequest{Text: "gm"}); !x.Unknown(err) {
		t.Errorf("got %v", err)
	}
	if n := len(w.sim.Posts()); n != 1 {
		t.Errorf("%d posts were published", n)
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 100 {
		w.clock.pass(time.Second)
		w.post(t, x.PostRequest{Text: w.clock.Now().String()})
	}
	_, err := w.client.CreatePost(t.Context(), w.token, x.PostRequest{Text: "one more"})
	var refusal *x.APIError
	if !errors.As(err, &refusal) || !refusal.RateLimited() || !refusal.ResetAt.Equal(j0.Add(15*time.Minute+time.Second)) {
		t.Fatalf("got %+v", refusal)
	}
	w.clock.pass(15 * time.Minute)
	w.post(t, x.PostRequest{Text: "one more"})
}

func TestUnknownFieldsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for body, want := range map[string]int{
		`{"text":"a","made_with_ai":true}`: 201,
		`{"text":"b","txet":"c"}`:          400,
		`{"text":"b","reply":{"to":"1"}}`:  400,
		`text`:                             400,
	} {
		req := httptest.NewRequest("POST", "/2/tweets", strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer access")
		answer := httptest.NewRecorder()
		w.sim.ServeHTTP(answer, req)
		if answer.Code != want {
			t.Errorf("%s: got %d %s", body, answer.Code, answer.Body)
		}
	}
}
