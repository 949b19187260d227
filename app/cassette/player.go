package cassette

import (
	"context"
	"fmt"
	"os"
	"sync"

	"vivra/app/agent"
)

// Player is a model that knows only what was recorded. Several answers to one
// request are given in the order in which they came. It is safe for concurrent
// use.
type Player struct {
	Encoder

	mu    sync.Mutex
	all   []Exchange
	used  []bool
	byKey map[string][]int // what is left under each key, in order
}

var _ agent.Model = (*Player)(nil)

// NewPlayer returns a player of these exchanges. It refuses one whose request
// is sent as other bytes now: it would never be found.
func NewPlayer(e Encoder, exchanges []Exchange) (*Player, error) {
	p := &Player{Encoder: e, all: exchanges, used: make([]bool, len(exchanges)), byKey: map[string][]int{}}
	for i, x := range exchanges {
		key, err := keyOf(e, x.Request)
		if err != nil {
			return nil, err
		}
		if key != x.RequestSHA256 {
			return nil, fmt.Errorf("exchange %d of the cassette: its request hashes to %s, not to %s: it was edited, or requests are written otherwise now; record it anew", i+1, key, x.RequestSHA256)
		}
		p.byKey[key] = append(p.byKey[key], i)
	}
	return p, nil
}

// Open returns a player of a cassette in a file.
func Open(e Encoder, name string) (*Player, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open cassette: %w", err)
	}
	defer f.Close()
	exchanges, err := Read(f)
	if err != nil {
		return nil, err
	}
	return NewPlayer(e, exchanges)
}

// Respond gives the recorded answer, or a *Miss.
func (p *Player) Respond(ctx context.Context, req agent.Request, _ func(string)) (agent.Response, error) {
	if err := ctx.Err(); err != nil {
		return agent.Response{}, err
	}
	key, err := keyOf(p, req)
	if err != nil {
		return agent.Response{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.byKey[key]
	if len(left) == 0 {
		return agent.Response{}, p.miss(key, req)
	}
	p.byKey[key], p.used[left[0]] = left[1:], true
	if answer := p.all[left[0]].Answer; answer.Fault == nil {
		return *answer.Response, nil
	} else {
		return agent.Response{}, answer.Fault
	}
}

// Unused returns what was recorded and never asked for, in order.
func (p *Player) Unused() (rest []Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, x := range p.all {
		if !p.used[i] {
			rest = append(rest, x)
		}
	}
	return rest
}

// Miss is a request that the cassette has no answer to, or none left.
type Miss struct {
	RequestSHA256 string
	// Nearest is the number of the most similar exchange, from 1; 0 when the
	// cassette is empty.
	Nearest int
	// Diff is how that one differs; empty when it is the same request, asked
	// more often than it was recorded.
	Diff string
}

func (m *Miss) Error() string {
	switch {
	case m.Nearest == 0:
		return fmt.Sprintf("the cassette is empty, so it has no request %s", m.RequestSHA256)
	case m.Diff == "":
		return fmt.Sprintf("the cassette has no further answer to request %s (exchange %d)", m.RequestSHA256, m.Nearest)
	}
	return fmt.Sprintf("the cassette has no request %s; the nearest is exchange %d:\n%s", m.RequestSHA256, m.Nearest, m.Diff)
}

func (p *Player) miss(key string, req agent.Request) *Miss {
	m := &Miss{RequestSHA256: key}
	made, best := Pretty(req), -1
	var nearest []string
	for i, x := range p.all {
		recorded := Pretty(x.Request)
		if same := alike(recorded, made); same > best {
			m.Nearest, best, nearest = i+1, same, recorded
		}
	}
	m.Diff = diff(nearest, made)
	return m
}
