package xtext

import (
	"slices"
	"strings"
	"unicode/utf16"
)

// The longest address, and the longest name of one that X has shortened.
const (
	maxURL  = 4096
	maxSlug = 40
)

const scheme = "https://"

// URLs returns what X makes links of, in order: addresses with a scheme, and
// bare hosts with a known ending.
func URLs(text string) (found []string) {
	if !strings.Contains(text, ".") {
		return nil
	}
	s := scanner{text: utf16.Encode([]rune(text))}
	s.scan()
	for _, link := range s.found {
		found = append(found, string(utf16.Decode(link.text)))
	}
	return found
}

func urlsIn(u []uint16) []piece {
	s := scanner{text: u}
	s.scan()
	pieces := make([]piece, len(s.found))
	for i, link := range s.found {
		pieces[i] = piece{link.start, len(link.text)}
	}
	return pieces
}

// link is what counts as an address. Its text is not always what stands at
// start: a path is put behind the last host even if another script is between.
type link struct {
	start int
	text  []uint16
}

// scanner goes through a text once.
type scanner struct {
	text  []uint16
	found []link
	row   row
}

func (s *scanner) scan() {
	if !slices.Contains(s.text, '.') {
		return
	}
	for at := 0; at < len(s.text); {
		next := -1
		if precedes(s.text[at]) {
			next = s.matchAt(at + 1)
		}
		if next < 0 && at == 0 {
			next = s.matchAt(0)
		}
		at = max(next, at+1)
	}
}

// match is what looks like an address: its parts by where they end.
type match struct {
	start, host, hostEnd, portEnd, pathEnd, end int
}

// matchAt takes in what looks like an address at start and returns where it
// ends, -1 for none.
func (s *scanner) matchAt(start int) int {
	m := match{start: start, host: start + schemeLength(s.text[start:])}
	if m.hostEnd = s.domain(m.host); m.hostEnd < 0 {
		return -1
	}
	m.portEnd = afterPort(s.text, m.hostEnd)
	m.pathEnd = afterPath(s.text, m.portEnd)
	m.end = afterQuery(s.text, m.pathEnd)
	switch {
	case !s.exists(m):
	case m.host > m.start:
		s.addWhole(m)
	case m.start == 0 || !among(s.text[m.start-1], "-_./"):
		s.addBare(m)
	}
	return m.end
}

// schemeLength is the length of http:// or https:// at the start of u.
func schemeLength(u []uint16) int {
	n := 0
	for _, want := range "http" {
		if n == len(u) || upper(u[n]) != uint16(want-'a'+'A') {
			return 0
		}
		n++
	}
	if n < len(u) && (u[n] == 's' || u[n] == 'S') {
		n++
	}
	if len(u) < n+3 || u[n] != ':' || u[n+1] != '/' || u[n+2] != '/' {
		return 0
	}
	return n + 3
}

// exists tells whether an address is not too long for one, and each label of
// its host neither.
func (s *scanner) exists(m match) bool {
	host := s.text[m.host:m.hostEnd]
	if strings.HasPrefix(string(utf16.Decode(host[:min(4, len(host))])), punycode) && len(plainHosts(host)) == 0 {
		return false
	}
	before := len(scheme)
	if m.host > m.start {
		before = m.host - m.start
	}
	return labelsFit(host) && before+m.end-m.start <= maxURL
}

// addWhole adds an address with a scheme. Of one that X has shortened nothing
// but the name counts, and what is asked of it.
func (s *scanner) addWhole(m match) {
	text := s.text[m.start:m.end]
	if n, slug := shortened(text, m.host-m.start); n > 0 {
		if slug > maxSlug {
			return
		}
		text = text[:n]
	}
	s.found = append(s.found, link{m.start, text})
}

// shortened is how much of a t.co address counts, and how long its name is.
func shortened(text []uint16, host int) (length, slug int) {
	const own = "t.co/"
	if len(text) < host+len(own) || !strings.EqualFold(string(utf16.Decode(text[host:host+len(own)])), own) {
		return 0, 0
	}
	from := host + len(own)
	end := from
	for end < len(text) && alnum(text[end]) {
		end++
	}
	if end == from {
		return 0, 0
	}
	return afterQuery(text, end), end - from
}

// addBare adds the hosts in plain letters of an address without a scheme; what
// stands behind the host goes to the last of them if it has a path.
func (s *scanner) addBare(m match) {
	host := s.text[m.host:m.hostEnd]
	from := 0
	plain := plainHosts(host)
	for i, p := range plain {
		text := host[p.start : p.start+p.length]
		at := from + index(host[from:], text)
		from = at + p.length
		if i == len(plain)-1 && m.pathEnd > m.portEnd {
			text = slices.Concat(text, s.text[m.hostEnd:m.end])
		}
		s.found = append(s.found, link{m.host + at, text})
	}
}

// index is where part stands first in u.
func index(u, part []uint16) int {
	for i := range u {
		if u[i] == part[0] && i+len(part) <= len(u) && slices.Equal(u[i:i+len(part)], part) {
			return i
		}
	}
	return 0
}
