package tgsim

import (
	"slices"
	"time"
)

// Published is one message that the bot sent.
type Published struct {
	Chat      int64
	MessageID int64
	Text      string // the question of a poll
	ReplyTo   int64
	PollID    string // empty when it is no poll
	At        time.Time
}

// GroupState is how a group looks now.
type GroupState struct {
	Title       string
	Description string
	Photo       []byte
	PinnedID    int64
	Pinned      string // text of the pinned message
}

// PollState is how a poll stands now.
type PollState struct {
	ID      string
	Options []string
	Votes   []int
	Closes  time.Time
	Closed  bool
}

// Published returns what the bot sent, in order.
func (s *Server) Published() []Published {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

// Group returns the state of a group, false when the bot is not in it.
func (s *Server) Group(id int64) (GroupState, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups[id]
	if g == nil {
		return GroupState{}, false
	}
	state := GroupState{Title: g.Title, Description: g.Description, Photo: g.photo, PinnedID: g.pinned}
	if text, ok := g.messages[g.pinned]["text"].(string); ok {
		state.Pinned = text
	}
	return state, true
}

// Polls returns the polls the bot sent, in order.
func (s *Server) Polls() []PollState {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []PollState
	for _, p := range s.polls {
		all = append(all, PollState{p.id, p.options, slices.Clone(p.seen), p.closes, p.closed})
	}
	return all
}

// Say makes a member write in a group now and returns the message's id. An
// unknown username is a newcomer.
func (s *Server) Say(chat int64, username, text string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	by := person{7000 + int64(len(username)), username, username}
	for _, p := range people {
		if p.username == username {
			by = p
		}
	}
	return s.tell(s.groups[chat], s.opts.Now(), by.user(), map[string]any{"text": text})
}
