package tgsim

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// votesPerDay is how many members answer a poll that is open for a day.
const votesPerDay = 300

// poll has its outcome from the start; time only reveals it.
type poll struct {
	id        string
	chat      int64
	messageID int64
	question  string
	options   []string
	final     []int
	seen      []int
	opened    time.Time
	closes    time.Time
	closed    bool
}

func (s *Server) sendPoll(p params) (any, error) {
	g, err := s.group(p)
	if err != nil {
		return nil, err
	}
	labels, err := pollOptions(p)
	if err != nil {
		return nil, err
	}
	now := s.opts.Now().UTC()
	closes, err := closeDate(p, now)
	if err != nil {
		return nil, err
	}
	id := strconv.FormatInt(9_000_000_000+int64(len(s.polls))+1, 10)
	created := &poll{id: id, chat: g.ID, question: p.values["question"], options: labels, seen: make([]int, len(labels)), opened: now, closes: closes}
	created.final = s.outcome(created)
	s.polls = append(s.polls, created)
	message := g.keep(now, s.botUser(), map[string]any{"poll": created.shown()})
	created.messageID = g.lastID
	s.sent = append(s.sent, Published{Chat: g.ID, MessageID: g.lastID, Text: created.question, PollID: id, At: now})
	return message, nil
}

func pollOptions(p params) ([]string, error) {
	if n := utf8.RuneCountInString(p.values["question"]); n < 1 || n > 300 {
		return nil, badRequest("poll question must be 1-300 characters long")
	}
	var options []struct {
		Text string `json:"text"`
	}
	if err := p.json("options", &options); err != nil {
		return nil, err
	}
	if len(options) < 1 || len(options) > 12 {
		return nil, badRequest("poll must have 1-12 options")
	}
	var labels []string
	for _, option := range options {
		if n := utf8.RuneCountInString(option.Text); n < 1 || n > 100 {
			return nil, badRequest("poll options must be 1-100 characters long")
		}
		if slices.Contains(labels, option.Text) {
			return nil, badRequest("poll options must be unique")
		}
		labels = append(labels, option.Text)
	}
	return labels, nil
}

func closeDate(p params, now time.Time) (time.Time, error) {
	if _, given := p.values["close_date"]; !given {
		return time.Time{}, nil
	}
	closes := time.Unix(p.int("close_date"), 0).UTC()
	if ahead := closes.Sub(now); ahead < 4*time.Second || ahead > 2_628_000*time.Second {
		return closes, badRequest("poll can't be closed at the specified date")
	}
	return closes, nil
}

// outcome decides how the poll will end.
func (s *Server) outcome(p *poll) []int {
	random := s.random("poll " + p.id)
	days := 1.0
	if !p.closes.IsZero() {
		days = p.closes.Sub(p.opened).Hours() / 24
	}
	final := make([]int, len(p.options))
	for i := range final {
		final[i] = int(votesPerDay * days / float64(len(final)) * (0.6 + 0.8*random.Float64()))
	}
	return final
}

// random returns the same numbers for the same seed and name.
func (s *Server) random(name string) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // a hash takes everything
	return rand.New(rand.NewPCG(uint64(s.opts.Seed), hash.Sum64()))
}

func (s *Server) stopPoll(p params) (any, error) {
	if _, err := s.group(p); err != nil {
		return nil, err
	}
	for _, one := range s.polls {
		if one.chat != p.int("chat_id") || one.messageID != p.int("message_id") {
			continue
		}
		s.reveal(one, s.opts.Now())
		if one.closed {
			return nil, badRequest("poll has already been closed")
		}
		one.closed = true
		s.updates.add("poll", "poll", one.messageID, one.shown())
		return one.shown(), nil
	}
	return nil, badRequest("message with poll to stop not found")
}

// reveal counts the votes that came in until now and tells the bot what changed.
func (s *Server) reveal(p *poll, now time.Time) {
	if p.closed {
		return
	}
	end := p.closes
	if end.IsZero() {
		end = p.opened.Add(24 * time.Hour)
	}
	done := min(max(float64(now.Sub(p.opened))/float64(end.Sub(p.opened)), 0), 1)
	before := fmt.Sprint(p.seen)
	for i, votes := range p.final {
		p.seen[i] = int(float64(votes) * done)
	}
	p.closed = !p.closes.IsZero() && !now.Before(p.closes)
	if p.closed || fmt.Sprint(p.seen) != before {
		s.updates.add("poll", "poll", p.messageID, p.shown())
	}
}

func (p *poll) shown() map[string]any {
	total := 0
	options := make([]map[string]any, len(p.options))
	for i, label := range p.options {
		total += p.seen[i]
		options[i] = map[string]any{"persistent_id": strconv.Itoa(i), "text": label, "voter_count": p.seen[i]}
	}
	shown := map[string]any{
		"id": p.id, "question": p.question, "options": options, "total_voter_count": total, "is_closed": p.closed,
		"is_anonymous": true, "type": "regular", "allows_multiple_answers": false,
	}
	if !p.closes.IsZero() {
		shown["close_date"] = p.closes.Unix()
	}
	return shown
}
