package xsim

import "slices"

// Join adds somebody else's account.
func (s *Server) Join(a Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(a)
}

// Quote is Say for a post that quotes another one.
func (s *Server) Quote(accountID, text, postID string) string {
	return s.say(&post{author: accountID, text: text, quotes: postID})
}

// Show is Say for a post with pictures that are said to show these things.
func (s *Server) Show(accountID, text string, alts ...string) string {
	return s.say(&post{author: accountID, text: text, alts: alts})
}

// Late is Say for a post that is older than another one, and was not shown when
// that was: it happens on X.
func (s *Server) Late(accountID, text, than string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	other := s.find(than)
	p := &post{id: decremented(other.id), author: accountID, text: text, at: other.at, mentions: s.named(text)}
	s.posts = slices.Insert(s.posts, slices.Index(s.posts, other), p)
	return p.id
}

// decremented is the number before.
func decremented(id string) string {
	digits := []byte(id)
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] > '0' {
			digits[i]--
			break
		}
		digits[i] = '9'
	}
	return string(digits)
}
