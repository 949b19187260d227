package runner_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/internal/testprocess"
	"vivra/app/rehearsal/modelsim"
)

// labels are the points at which a process can die.
var labels = []string{"reserved", "answered", "settled", "tool_done", "finishing", "finished"}

// TestKilledAnywhere: 200 runs of random scripts, in processes that are killed
// again and again at random points, come to the same output, transcript and
// proposal as when nobody disturbs them. No model is asked twice for one turn
// unless its answer was lost, and then both are counted.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	runs := 200
	if testing.Short() {
		runs = 40
	}
	const shards = 2
	var mu sync.Mutex
	deaths := map[string]int{}
	t.Run("shards", func(t *testing.T) {
		for shard := range shards {
			t.Run(strconv.Itoa(shard), func(t *testing.T) {
				t.Parallel()
				a, b := newTroupe(t, uint64(shard), runs/shards), newTroupe(t, uint64(shard), runs/shards)
				a.undisturbed()
				died := b.killed(rand.New(rand.NewPCG(uint64(shard), 9)))
				for i := range a.ops {
					a.compare(t, b, i)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, label := range died {
					deaths[label]++
				}
			})
		}
	})
	t.Logf("deaths: %v", deaths)
	for _, label := range labels {
		if deaths[label] == 0 {
			t.Errorf("no process died at %q", label)
		}
	}
}

// troupe is a stage with many operations of one step each, whose model follows
// a script of its own in each of them.
type troupe struct {
	*stage
	ops []app.Operation

	mu    sync.Mutex
	asked map[string]int // requests by operation and turn
}

func newTroupe(t *testing.T, seed uint64, n int) *troupe {
	tr := &troupe{stage: newStage(t, setting{spec: ample}), asked: map[string]int{}}
	scripts := map[string][]move{}
	for i := range n {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		token, step := testop.Token(1), testop.Step("scanner", metrics, metrics, false)
		binary.BigEndian.PutUint32(token.Ref.Address[8:], uint32(i+1))
		if rng.IntN(2) == 0 {
			step = testop.Step("cm", post, post, true)
		}
		scripts[fmt.Sprintf("%x", token.Ref.Address[:])] = script(rng, step.Task == post)
		tr.ops = append(tr.ops, testop.Of(t, tr.store, app.NewOperation{Token: token, Slug: fmt.Sprintf("run-%d", i), J0: testop.J0,
			Cap: 400 * app.Dollar, Envelope: app.Dollar, XHandle: fmt.Sprintf("dodo_%d", i)}, step)) // what one says is no repeat of another's
	}
	tr.sim.Script(func(req modelsim.Request) (modelsim.Answer, bool) {
		address, turn := addressIn(*req.Messages[0].Content), 0
		for _, m := range req.Messages {
			if m.Role == "assistant" {
				turn++
			}
		}
		tr.mu.Lock()
		tr.asked[fmt.Sprint(address, " ", turn+1)]++
		tr.mu.Unlock()
		moves := scripts[address]
		if turn >= len(moves) {
			return modelsim.Answer{Text: "That was all."}, true
		}
		return moves[turn](req), true
	})
	return tr
}

func (tr *troupe) ids() (ids []int64) {
	for _, op := range tr.ops {
		ids = append(ids, op.ID)
	}
	return ids
}

func (tr *troupe) undisturbed() {
	tr.t.Helper()
	c := company{store: tr.store, clock: tr.clock, wall: tr.wall, model: tr.runner.Model, spec: ample}
	if err := c.workOn(tr.t.Context(), tr.ids(), 4, nil, func(int64) {}); err != nil {
		tr.t.Fatal(err)
	}
}

// killed plays all runs in processes of which each is killed, until one is not,
// and tells where they died.
func (tr *troupe) killed(rng *rand.Rand) (died []string) {
	tr.t.Helper()
	left := tr.ids()
	for n := 0; ; n++ {
		spec := workerSpec{Database: tr.database, Model: tr.modelURL, Operations: left, Wall: tr.wall.Now(), Lanes: 12, Nth: 1 + rng.Int64N(120)}
		if n < len(labels) {
			spec.Label, spec.Nth = labels[n], 1+rng.Int64N(3)
		}
		ended, label := tr.process(spec)
		tr.wall.Advance(2 * lease)
		left = slices.DeleteFunc(left, func(id int64) bool { return slices.Contains(ended, id) })
		if label == "" {
			return died
		}
		died = append(died, label)
	}
}

// process is the life of one worker: what it has done, and where it was killed.
func (tr *troupe) process(spec workerSpec) (ended []int64, died string) {
	tr.t.Helper()
	p := testprocess.Start(tr.t, workerArg, spec)
	for line, alive := p.Hear(); alive; line, alive = p.Hear() {
		what, rest, _ := strings.Cut(line, " ")
		if what == "died" {
			died = rest
			continue
		}
		id, err := strconv.ParseInt(rest, 10, 64)
		if what != "ended" || err != nil {
			tr.t.Fatalf("the worker says %q", line)
		}
		ended = append(ended, id)
	}
	if killed := p.Killed(tr.t); killed != (died != "") {
		tr.t.Fatalf("the worker that died at %q was killed: %t", died, killed)
	}
	return ended, died
}
