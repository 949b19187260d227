package alarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/alarm"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/postgres"
	"vivra/app/telegram"
)

func TestMain(m *testing.M) { testdb.Main(m) }

const (
	publicURL = "https://vivra.example"
	secret    = "alert-secret-0123456789"
	token     = "77:bot-secret"
	chat      = -1001234567890
)

// team is a database with a takeover, and what brings its alerts.
type team struct {
	t           *testing.T
	url         string
	store       *postgres.Store
	op          app.Operation
	clock, wall *clockwork.FakeClock
}

func newTeam(t *testing.T, channels ...string) *team {
	t.Helper()
	tm := &team{t: t, url: testdb.URL(t), clock: clockwork.NewFakeClockAt(testop.J0), wall: clockwork.NewFakeClockAt(testop.J0.Add(-1000 * time.Hour))}
	tm.store = tm.open()
	tm.store.AlertChannels = channels
	tm.op = testop.New(t, tm.store, 1, app.Dollar)
	return tm
}

func (tm *team) open() *postgres.Store {
	tm.t.Helper()
	store, err := postgres.Open(tm.t.Context(), tm.url)
	if err != nil {
		tm.t.Fatal(err)
	}
	tm.t.Cleanup(store.Close)
	return store
}

// alarm is that of one process.
func (tm *team) alarm(store *postgres.Store, channels ...alarm.Channel) *alarm.Alarm {
	return &alarm.Alarm{Store: store, Channels: channels, Clock: tm.clock, Wall: tm.wall, Log: slog.New(slog.NewTextHandler(tm.t.Output(), nil))}
}

// raise puts up n alerts.
func (tm *team) raise(n int, message string) {
	tm.t.Helper()
	for i := range n {
		if err := tm.store.RaiseAlert(tm.t.Context(), tm.op.ID, "unsafe_output", fmt.Sprintf("cm.daily_post.d%02d: %d", i%30, i), message, tm.clock.Now()); err != nil {
			tm.t.Fatal(err)
		}
	}
}

// once brings what is due and returns how many were taken and the fault.
func (tm *team) once(a *alarm.Alarm, c alarm.Channel) (int, error) {
	tm.t.Helper()
	n, err := a.Once(tm.t.Context(), c)
	for _, hidden := range []string{secret, token, "url-secret", "127.0.0.1"} {
		if err != nil && strings.Contains(err.Error(), hidden) {
			tm.t.Errorf("the fault shows %s: %v", hidden, err)
		}
	}
	return n, err
}

// receiver is the other side of a webhook. It keeps whatever arrives whole.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	calls    []call
	answers  []http.HandlerFunc // in turn; then 204
	received chan struct{}
}

type call struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T, answers ...http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{answers: answers, received: make(chan struct{}, 10_000)}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	r.calls = append(r.calls, call{req.Header, body})
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	if len(r.answers) > 0 {
		answer, r.answers = r.answers[0], r.answers[1:]
	}
	r.mu.Unlock()
	answer(w, req)
	r.received <- struct{}{}
}

// ids are the alerts that came, in order, each as often as it came.
func (r *receiver) ids() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []string
	for _, c := range r.calls {
		ids = append(ids, c.header.Get(alarm.HeaderID))
	}
	return ids
}

func (tm *team) webhook(r *receiver) *alarm.Webhook {
	return alarm.NewWebhook(alarm.WebhookConfig{URL: r.URL + "/url-secret", Secret: secret, PublicURL: publicURL, Wall: tm.wall, Timeout: 200 * time.Millisecond})
}

// chatroom is the Bot API's sendMessage.
type chatroom struct {
	*httptest.Server
	mu       sync.Mutex
	messages []message
	refusal  string // an answer instead of taking the message
	received chan struct{}
}

type message struct {
	Chat      int64  `json:"chat_id"`
	Text      string `json:"text"`
	ParseMode string `json:"parse_mode"`
	Entities  []struct {
		Type           string
		Offset, Length int
	}
	Preview struct {
		Disabled bool `json:"is_disabled"`
	} `json:"link_preview_options"`
}

func newChatroom(t *testing.T) *chatroom {
	t.Helper()
	c := &chatroom{received: make(chan struct{}, 10_000)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *chatroom) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var m message
	_ = json.NewDecoder(req.Body).Decode(&m)
	c.mu.Lock()
	defer c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if c.refusal != "" {
		_, _ = io.WriteString(w, c.refusal)
		return
	}
	c.messages = append(c.messages, m)
	fmt.Fprintf(w, `{"ok":true,"result":{"message_id":%d}}`, len(c.messages))
	c.received <- struct{}{}
}

func (c *chatroom) told() []message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]message(nil), c.messages...)
}

func (c *chatroom) channel() alarm.Telegram {
	return alarm.Telegram{Bot: telegram.New(telegram.Config{BaseURL: c.URL, Token: token}), Chat: chat, PublicURL: publicURL}
}

// still is a wake-up that never comes: the pulse does.
func still() (<-chan struct{}, func()) { return nil, func() {} }

// running has an alarm work until the test ends.
func (tm *team) running(a *alarm.Alarm) {
	ctx, cancel := context.WithCancel(tm.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = a.Run(ctx, still)
	}()
	tm.t.Cleanup(func() { cancel(); <-done })
}

// await waits for n signals.
func await(t *testing.T, what string, signals <-chan struct{}, n int) {
	t.Helper()
	late := time.After(20 * time.Second)
	for i := range n {
		select {
		case <-signals:
		case <-late:
			t.Fatalf("%s: %d of %d came", what, i, n)
		}
	}
}
