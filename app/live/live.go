// Package live tells open pages that something they show has changed.
//
// A change carries no data: whoever hears of it reads the truth again, so a
// slow page can miss any number of changes and still end up right.
package live

import (
	"strconv"
	"strings"
	"sync"
)

// The topics that are not about one operation.
const (
	Validations = "validations"
	Operations  = "operations"
	Alerts      = "alerts"
)

// Operation is the topic of one operation's log, steps and publications.
func Operation(id int64) string { return "operation:" + strconv.FormatInt(id, 10) }

// Run is the topic of one run's transcript and of the answer it waits for.
func Run(id string) string { return runPrefix + id }

const runPrefix = "run:"

// Hub passes changes on to its subscribers. It is safe for concurrent use; the
// zero value is ready.
type Hub struct {
	mu     sync.Mutex
	topics map[string]map[chan struct{}]struct{}
}

// Changed wakes every subscriber of topic. It never blocks.
func (h *Hub) Changed(topic string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for ch := range h.topics[topic] {
		wake(ch)
	}
}

// OperationChanged passes on what the database announced: the id of a changed
// operation, "run:" and a run's id for a piece of an answer, or "0" when
// anything may have changed. Lists show every operation, so they hear of it too.
func (h *Hub) OperationChanged(id string) {
	if id == "0" || id == "" {
		h.ChangedAll()
		return
	}
	if OfRun(id) {
		h.Changed(id)
		return
	}
	for _, topic := range []string{"operation:" + id, Validations, Operations, Alerts} {
		h.Changed(topic)
	}
}

// OfRun tells whether an announcement is about one run only: its answer grew,
// and nothing has become due.
func OfRun(announced string) bool { return strings.HasPrefix(announced, runPrefix) }

// ChangedAll wakes every subscriber of every topic, for when changes may have
// been missed, as after a lost connection to the database.
func (h *Hub) ChangedAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, subscribers := range h.topics {
		for ch := range subscribers {
			wake(ch)
		}
	}
}

func wake(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default: // it was told already and has not looked yet
	}
}

// Subscribe returns a channel that receives after changes of topic, several of
// them as one, and a function that ends the subscription.
func (h *Hub) Subscribe(topic string) (changes <-chan struct{}, unsubscribe func()) {
	ch := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.topics == nil {
		h.topics = make(map[string]map[chan struct{}]struct{})
	}
	if h.topics[topic] == nil {
		h.topics[topic] = make(map[chan struct{}]struct{})
	}
	h.topics[topic][ch] = struct{}{}
	return ch, func() { h.drop(topic, ch) }
}

func (h *Hub) drop(topic string, ch chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.topics[topic], ch)
	if len(h.topics[topic]) == 0 {
		delete(h.topics, topic)
	}
}
