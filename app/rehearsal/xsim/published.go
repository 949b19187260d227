package xsim

import (
	"slices"
	"time"

	"vivra/app"
)

// Published is one post that came through the API.
type Published struct {
	ID      string
	Account string // id
	Text    string // as it was sent
	ReplyTo string
	Media   []PublishedMedia
	Poll    *PublishedPoll
	At      time.Time
	Charged app.Nano
}

// PublishedMedia is one picture of a post.
type PublishedMedia struct {
	MIME    string
	Alt     string
	Bytes   []byte
	Charged app.Nano // for its alt text
}

// Price is what X has charged for the post and its alt texts.
func (p Published) Price() app.Nano {
	sum := p.Charged
	for _, m := range p.Media {
		sum += m.Charged
	}
	return sum
}

// PublishedPoll is the poll of a post.
type PublishedPoll struct {
	Options []string
	Votes   []int
	Closes  time.Time
	Closed  bool
}

// Posts returns what was published, in order.
func (s *Server) Posts() []Published {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Published
	for _, p := range s.posts {
		if p.ours {
			all = append(all, s.published(p))
		}
	}
	return all
}

func (s *Server) published(p *post) Published {
	out := Published{ID: p.id, Account: p.author, Text: p.text, ReplyTo: p.parent, At: p.at, Charged: p.charged}
	for _, id := range p.media {
		m := s.media[id]
		out.Media = append(out.Media, PublishedMedia{m.mime, m.alt, m.bytes(), m.charged})
	}
	if p.poll != nil {
		out.Poll = &PublishedPoll{p.poll.options, slices.Clone(p.poll.seen), p.poll.closes, p.poll.closed}
	}
	return out
}

// Profile returns how an account shows itself.
func (s *Server) Profile(accountID string) (name, bio, url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[accountID]
	return a.Name, a.Bio, a.URL
}

// Say publishes a post by somebody else, written now, and returns its id.
func (s *Server) Say(accountID, text string) string {
	return s.say(&post{author: accountID, text: text})
}

// say publishes a post now and returns its id.
func (s *Server) say(p *post) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.at = s.opts.Now().UTC()
	p.id, p.mentions = s.newID(p.at), s.named(p.text)
	s.posts = append(s.posts, p)
	return p.id
}
