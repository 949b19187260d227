package tgsim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// mostPending bounds the queue; the oldest updates are dropped beyond it.
	mostPending = 10_000
	// A failed delivery is repeated at once, then after pauses that double.
	// Telegram's are 2 to 120 seconds; a local world has less time.
	shortestPause = 20 * time.Millisecond
	longestPause  = time.Second
)

// defaultAllowed are the kinds that come when none were asked for.
var defaultAllowed = []string{
	"message", "edited_message", "channel_post", "edited_channel_post", "callback_query", "poll", "poll_answer", "my_chat_member", "chat_join_request",
}

type update struct {
	id  int64
	key string // updates of one key are delivered in order, one at a time
	raw []byte
}

type webhook struct{ url, secret string }

// queue delivers updates. It has its own lock: the webhook's handler may call
// the server back.
type queue struct {
	http    *http.Client
	ctx     context.Context
	cancel  context.CancelFunc
	workers sync.WaitGroup

	mu      sync.Mutex
	lastID  int64
	pending []update
	busy    map[string]bool
	hook    webhook
	allowed []string
	lastErr string
	changed chan struct{} // closed when something was delivered
}

func (q *queue) start(client *http.Client) {
	q.http, q.busy, q.changed, q.lastID = client, map[string]bool{}, make(chan struct{}), 10_000
	q.ctx, q.cancel = context.WithCancel(context.Background())
}

func (q *queue) stop() {
	q.mu.Lock()
	q.cancel() // under the lock: no worker begins after it
	q.mu.Unlock()
	q.workers.Wait()
}

// add queues an update of the given kind.
func (q *queue) add(kind, scope string, id int64, body any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	allowed := q.allowed
	if len(allowed) == 0 {
		allowed = defaultAllowed
	}
	if !slices.Contains(allowed, kind) {
		return
	}
	q.lastID++
	raw, err := json.Marshal(map[string]any{"update_id": q.lastID, kind: body})
	if err != nil {
		panic(err) // maps of strings and numbers always encode
	}
	q.pending = append(q.pending, update{q.lastID, fmt.Sprintf("%s %d", scope, id), raw})
	if len(q.pending) > mostPending {
		q.pending = slices.Delete(q.pending, 0, 1)
	}
	q.wake()
}

// wake gives every key with something to deliver a worker. The lock is held.
func (q *queue) wake() {
	if q.hook.url == "" || q.ctx.Err() != nil {
		return
	}
	for _, u := range q.pending {
		if !q.busy[u.key] {
			q.busy[u.key] = true
			q.workers.Go(func() { q.deliver(u.key) })
		}
	}
}

// deliver empties one key's queue.
func (q *queue) deliver(key string) {
	failures := 0
	for {
		u, hook, ok := q.head(key)
		if !ok {
			return
		}
		err := q.push(hook, u)
		q.done(u, err)
		if err == nil {
			failures = 0
			continue
		}
		failures++
		q.rest(failures)
	}
}

// rest pauses before the next try; the first is repeated at once.
func (q *queue) rest(failures int) {
	if failures < 2 {
		return
	}
	timer := time.NewTimer(min(shortestPause<<min(failures-2, 10), longestPause))
	defer timer.Stop()
	select {
	case <-q.ctx.Done():
	case <-timer.C:
	}
}

// head returns the first update of the key; without one its worker ends.
func (q *queue) head(key string) (update, webhook, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.pending, func(u update) bool { return u.key == key })
	if i < 0 || q.hook.url == "" || q.ctx.Err() != nil {
		delete(q.busy, key)
		return update{}, webhook{}, false
	}
	return q.pending[i], q.hook, true
}

func (q *queue) push(hook webhook, u update) error {
	req, err := http.NewRequestWithContext(q.ctx, http.MethodPost, hook.url, bytes.NewReader(u.raw))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if hook.secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", hook.secret)
	}
	res, err := q.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("wrong response from the webhook: %s", res.Status)
	}
	return nil
}

func (q *queue) done(u update, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.lastErr = err.Error()
		return
	}
	q.pending = slices.DeleteFunc(q.pending, func(p update) bool { return p.id == u.id })
	close(q.changed)
	q.changed = make(chan struct{})
}

func (q *queue) drain(ctx context.Context) error {
	for {
		q.mu.Lock()
		left, hooked, changed := len(q.pending), q.hook.url != "", q.changed
		q.mu.Unlock()
		if left == 0 || !hooked {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d updates are undelivered: %w", left, ctx.Err())
		case <-changed:
		}
	}
}

// take confirms what stands before offset and returns up to limit updates.
func (q *queue) take(offset int64, limit int) []json.RawMessage {
	q.pending = slices.DeleteFunc(q.pending, func(u update) bool { return u.id < offset })
	batch := make([]json.RawMessage, 0, limit)
	for _, u := range q.pending[:min(limit, len(q.pending))] {
		batch = append(batch, u.raw)
	}
	return batch
}
