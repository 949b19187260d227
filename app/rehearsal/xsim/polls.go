package xsim

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// votesPerDay is how many people answer a poll that is open for a day.
const votesPerDay = 1000

// poll has its outcome from the start; time only reveals it.
type poll struct {
	id      string
	options []string
	final   []int
	opened  time.Time
	closes  time.Time
	seen    []int // votes up to the last Advance
	closed  bool
}

func (s *Server) newPoll(now time.Time, options []string, minutes int) *poll {
	p := &poll{
		id: s.newID(now), options: options, final: make([]int, len(options)), seen: make([]int, len(options)),
		opened: now, closes: now.Add(time.Duration(minutes) * time.Minute),
	}
	s.pollsOpened++
	random := s.random(fmt.Sprint("poll ", s.pollsOpened))
	weights := make([]float64, len(options))
	sum := 0.0
	for i := range weights {
		weights[i] = 0.5 + random.Float64()
		sum += weights[i]
	}
	voters := float64(votesPerDay) * (0.9 + 0.2*random.Float64()) * float64(minutes) / (24 * 60)
	for i, weight := range weights {
		p.final[i] = int(voters * weight / sum)
	}
	return p
}

// reveal counts the votes that came in until now.
func (p *poll) reveal(now time.Time) {
	done := min(max(float64(now.Sub(p.opened))/float64(p.closes.Sub(p.opened)), 0), 1)
	for i, votes := range p.final {
		p.seen[i] = int(float64(votes) * done)
	}
	p.closed = !now.Before(p.closes)
}

// random returns the same numbers for the same seed and name.
func (s *Server) random(name string) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // a hash takes everything
	return rand.New(rand.NewPCG(uint64(s.opts.Seed), hash.Sum64()))
}

func (s *Server) polls(posts []*post) []map[string]any {
	var all []map[string]any
	for _, p := range posts {
		if p.poll != nil {
			p.poll.reveal(s.opts.Now())
			all = append(all, p.poll.shown())
		}
	}
	return all
}

func (p *poll) shown() map[string]any {
	status := "open"
	if p.closed {
		status = "closed"
	}
	options := make([]map[string]any, len(p.options))
	for i, label := range p.options {
		options[i] = map[string]any{"position": i + 1, "label": label, "votes": p.seen[i]}
	}
	return map[string]any{
		"id": p.id, "voting_status": status, "options": options, "end_datetime": p.closes.Format("2006-01-02T15:04:05.000Z"),
		"duration_minutes": int(p.closes.Sub(p.opened) / time.Minute),
	}
}
