package tgsim_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app/preflight"
	"vivra/app/rehearsal/tgsim"
	"vivra/app/telegram"
)

const (
	chat     = -1001000000001
	plain    = -1001000000002 // the bot is no administrator there
	botToken = "77:SECRET"
	official = "0xabcdef0123456789abcdef0123456789abcdef01"
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
	sim *tgsim.Server
	bot *telegram.Client
	*clock
}

func newWorld(t *testing.T, poison ...string) world {
	t.Helper()
	c := &clock{now: j0}
	sim := tgsim.New(tgsim.Options{
		Poison: poison, PoisonNames: []string{"<b>Admin</b>", "Support"}, Now: c.Now, Seed: 1, Token: botToken, Bot: tgsim.Bot{ID: 99, Username: "vivra_bot", Name: "Vivra"},
		Groups: []tgsim.Group{{ID: chat, Title: "old group", Address: official}, {ID: plain, Title: "plain", NotAdmin: true, Silent: true}},
	})
	srv := httptest.NewServer(sim)
	t.Cleanup(srv.Close)
	t.Cleanup(sim.Close)
	return world{sim, telegram.New(telegram.Config{BaseURL: srv.URL, Token: botToken}), c}
}

// updates reads everything there is with getUpdates.
func (w world) updates(t *testing.T) []telegram.Update {
	t.Helper()
	var all []telegram.Update
	for offset := int64(0); ; {
		batch, err := w.bot.GetUpdates(t.Context(), offset)
		if err != nil {
			t.Fatal(err)
		}
		if len(batch) == 0 {
			return all
		}
		for _, raw := range batch {
			u, err := telegram.DecodeUpdate(raw)
			if err != nil {
				t.Fatal(err)
			}
			all, offset = append(all, u), u.ID+1
		}
	}
}

func TestGroupSetup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	var photo bytes.Buffer
	if err := png.Encode(&photo, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time nothing changes and nothing is wrong
		for _, err := range []error{
			w.bot.SetTitle(ctx, chat, "Dodo, revived"),
			w.bot.SetDescription(ctx, chat, "It dances again."),
			w.bot.SetPhoto(ctx, chat, photo.Bytes()),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	id, err := w.bot.SendMessage(ctx, chat, "The one address: "+official)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.bot.Pin(ctx, chat, id), w.bot.Pin(ctx, chat, id)); err != nil {
		t.Fatal(err)
	}
	state, _ := w.sim.Group(chat)
	if state.Title != "Dodo, revived" || state.Description != "It dances again." || state.PinnedID != id || !bytes.Equal(state.Photo, photo.Bytes()) {
		t.Errorf("the group is %+v", state)
	}
	got, err := w.bot.Chat(ctx, chat)
	if err != nil || got.Title != state.Title || got.Pinned == nil || got.Pinned.MessageID != id || got.Pinned.Text != state.Pinned || got.Photo == nil {
		t.Errorf("the bot reads %+v, %v", got, err)
	}
	if sent := w.sim.Published(); len(sent) != 1 || sent[0].MessageID != id {
		t.Errorf("sent %+v", sent)
	}
}

func TestRights(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rights, err := w.bot.MyRights(t.Context(), chat)
	if err != nil || rights.Status != "administrator" || !rights.ChangeInfo || !rights.PinMessages {
		t.Errorf("got %+v, %v", rights, err)
	}
	if rights, err = w.bot.MyRights(t.Context(), plain); err != nil || rights.Status != "member" || rights.ChangeInfo {
		t.Errorf("got %+v, %v", rights, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	poll := func(question string, options []string, ahead time.Duration) error {
		_, _, err := w.bot.SendPoll(ctx, chat, question, options, j0.Add(ahead))
		return err
	}
	send := func(chat int64, text string) error {
		_, err := w.bot.SendMessage(ctx, chat, text)
		return err
	}
	long := strings.Repeat("é", 4097)
	for name, err := range map[string]error{
		"no right":            w.bot.SetTitle(ctx, plain, "a"),
		"no title":            w.bot.SetTitle(ctx, chat, " "),
		"long title":          w.bot.SetTitle(ctx, chat, long[:129*2]),
		"long description":    w.bot.SetDescription(ctx, chat, long[:256*2]),
		"photo is text":       w.bot.SetPhoto(ctx, chat, []byte("hello")),
		"unknown chat":        send(1, "a"),
		"empty message":       send(chat, " "),
		"long message":        send(chat, long),
		"unknown message":     w.bot.Pin(ctx, chat, 1),
		"no options":          poll("?", nil, time.Hour),
		"13 options":          poll("?", strings.Split("abcdefghijklm", ""), time.Hour),
		"long option":         poll("?", []string{long[:202], "a"}, time.Hour),
		"long question":       poll(long[:602], []string{"a", "b"}, time.Hour),
		"closes in the past":  poll("?", []string{"a", "b"}, -time.Hour),
		"closes in two years": poll("?", []string{"a", "b"}, 700*24*time.Hour),
	} {
		var refusal *telegram.APIError
		if !errors.As(err, &refusal) || refusal.Code != 400 || telegram.Unknown(err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if n := len(w.sim.Published()); n != 0 {
		t.Errorf("%d messages were sent", n)
	}
}

func TestPollClosesItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, pollID, err := w.bot.SendPoll(t.Context(), chat, "which face?", []string{"A", "B", "C"}, j0.Add(24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	w.sim.Advance(w.pass(time.Hour))
	w.sim.Advance(w.pass(23 * time.Hour))
	var last telegram.Poll
	for _, u := range w.updates(t) {
		if u.Poll != nil {
			last = *u.Poll
		}
	}
	sum := 0
	for _, votes := range last.Votes {
		sum += votes
	}
	if last.ID != pollID || !last.Closed || !slices.Equal(last.Options, []string{"A", "B", "C"}) || sum < 150 {
		t.Errorf("the last update says %+v", last)
	}
	if _, err := w.bot.StopPoll(t.Context(), chat, id); !errors.Is(err, telegram.ErrPollClosed) {
		t.Errorf("stopped again: %v", err)
	}
	if got := w.sim.Polls()[0]; !slices.Equal(got.Votes, last.Votes) || !got.Closed {
		t.Errorf("the server counts %+v", got)
	}
}

func TestPollIsStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, _, err := w.bot.SendPoll(t.Context(), chat, "which face?", []string{"A", "B"}, j0.Add(24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	w.pass(12 * time.Hour)
	result, err := w.bot.StopPoll(t.Context(), chat, id)
	if err != nil || !result.Closed || len(result.Votes) != 2 || result.Votes[0] == 0 {
		t.Fatalf("got %+v, %v", result, err)
	}
	w.sim.Advance(w.pass(24 * time.Hour))
	if got := w.sim.Polls()[0].Votes; !slices.Equal(got, result.Votes) {
		t.Errorf("a stopped poll went on to %v from %v", got, result.Votes)
	}
}

func TestMembersChat(t *testing.T) {
	t.Parallel()
	read := func(steps int) []telegram.Update {
		w := newWorld(t)
		for range steps {
			w.sim.Advance(w.pass(7 * 24 * time.Hour / time.Duration(steps)))
		}
		return w.updates(t)
	}
	one, many := read(1), read(100)
	if len(one) < 60 || len(one) != len(many) {
		t.Fatalf("%d and %d messages", len(one), len(many))
	}
	byID := map[int64]telegram.Update{}
	answers := map[string]int{}
	questions, foreign := 0, 0
	for i, u := range one {
		if u.Text != many[i].Text || u.FromID != many[i].FromID || u.ReplyTo != many[i].ReplyTo {
			t.Fatalf("message %d: %+v and %+v", i, u, many[i])
		}
		byID[u.MessageID] = u
		if strings.HasSuffix(u.Text, "?") {
			questions++
		}
		if u.ReplyTo != 0 {
			answers[u.FromName]++
			if asked := byID[u.ReplyTo]; !strings.HasSuffix(asked.Text, "?") || u.ReplyToFrom != asked.FromID || asked.Date.After(u.Date) {
				t.Errorf("%+v answers %+v", u, asked)
			}
		}
		for _, address := range preflight.Addresses(u.Text) {
			if address != official {
				foreign++
			}
		}
	}
	best := newWorld(t).sim.Helpful()
	if questions < 20 || foreign == 0 || answers[best[0]] <= answers[best[2]] || len(answers) != len(best) {
		t.Errorf("%d questions, answers %v, %d lies", questions, answers, foreign)
	}
}

// TestPoisonIsChattedUp: attackers without a username ask what they want to be
// read, and answer each other.
func TestPoisonIsChattedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "buy one", "buy two", "buy three")
	w.sim.Advance(w.pass(2 * 24 * time.Hour))
	texts, names, answers := map[string]int{}, map[string]int{}, 0
	for _, u := range w.updates(t) {
		if u.FromID >= 6000 && u.FromID < 6100 {
			texts[strings.TrimSuffix(u.Text, " ok?")]++
			names[u.FromName]++
			if u.ReplyTo != 0 {
				answers++
			}
		}
	}
	if len(texts) != 3 || names["<b>Admin</b>"] == 0 || names["Support"] == 0 || answers < 4 {
		t.Errorf("texts %v by %v, %d answers", texts, names, answers)
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var mu sync.Mutex
	var ids []int64
	failures := 3
	hook := httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("X-Telegram-Bot-Api-Secret-Token") != "s3cret" {
			t.Errorf("the secret is %q", r.Header.Get("X-Telegram-Bot-Api-Secret-Token"))
		}
		if failures--; failures >= 0 {
			res.WriteHeader(http.StatusInternalServerError)
			return
		}
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		u, err := telegram.DecodeUpdate(raw)
		if err != nil {
			t.Error(err)
		}
		ids = append(ids, u.ID)
	}))
	defer hook.Close()
	w.sim.Say(chat, "mira_k", "before there was a webhook")
	if err := w.bot.SetWebhook(t.Context(), hook.URL, "s3cret", []string{"message"}); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		w.sim.Say(chat, "mira_k", "gm")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := w.sim.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(ids) != 21 || !slices.IsSorted(ids) {
		t.Errorf("got updates %v", ids)
	}
	if _, err := w.bot.GetUpdates(t.Context(), 0); err == nil {
		t.Error("getUpdates works beside a webhook")
	}
	if err := w.bot.SetWebhook(t.Context(), "http://example.com/hook", "s", nil); err == nil {
		t.Error("a webhook without TLS was taken")
	}
}

func TestUndeliveredDoesNotHoldAnythingUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.bot.SetWebhook(t.Context(), "http://127.0.0.1:1/nobody", "s", telegram.AllowedUpdates); err != nil {
		t.Fatal(err)
	}
	w.sim.Advance(w.pass(30 * 24 * time.Hour))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := w.sim.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault   tgsim.Fault
		unknown bool
		sent    int
	}{
		"rate limit":             {tgsim.Fault{Path: "/sendMessage", Status: 429, RetryAfter: 7 * time.Second}, false, 0},
		"down":                   {tgsim.Fault{Path: "/sendMessage", Status: 500}, true, 0},
		"HTML":                   {tgsim.Fault{Path: "/sendMessage", Status: 502, HTML: "<html>"}, true, 0},
		"HTML as success":        {tgsim.Fault{Path: "/sendMessage", Status: 200, HTML: "<html>"}, true, 0},
		"HTML as refusal":        {tgsim.Fault{Path: "/sendMessage", Status: 403, HTML: "<html>"}, false, 0},
		"closed before":          {tgsim.Fault{Path: "/sendMessage"}, true, 0},
		"closed after accepting": {tgsim.Fault{Path: "/sendMessage", AfterAccept: true}, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.sim.Fail(c.fault)
			_, err := w.bot.SendMessage(t.Context(), chat, "gm")
			if err == nil || telegram.Unknown(err) != c.unknown || strings.Contains(err.Error(), botToken) {
				t.Fatalf("unknown is %v for %v", telegram.Unknown(err), err)
			}
			var refusal *telegram.APIError
			if errors.As(err, &refusal) && refusal.RateLimited() && refusal.RetryAfter != 7*time.Second {
				t.Errorf("retry after %s", refusal.RetryAfter)
			}
			if n := len(w.sim.Published()); n != c.sent {
				t.Errorf("%d messages were sent", n)
			}
		})
	}
}

func TestWrongToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	srv := httptest.NewServer(w.sim)
	defer srv.Close()
	var refusal *telegram.APIError
	if _, err := telegram.New(telegram.Config{BaseURL: srv.URL, Token: "77:GUESS"}).Me(t.Context()); !errors.As(err, &refusal) || refusal.Code != 401 {
		t.Errorf("got %v", err)
	}
}
