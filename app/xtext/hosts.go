package xtext

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf16"
)

// row is an unbroken row of what hosts are made of, cut in labels at its dots.
// It is looked at once, however many hosts might begin in it.
type row struct {
	start, to int
	dots      []int
	lines     []int // for each label where its last _ stands, -1 for none
	ending    []int // where the ending ends that begins with the label, -1 for none
	best      []int // where the longest host ends that begins with the label, -1 for none
}

// domain returns where the longest host ends that begins at start, -1 for none.
// It has labels that neither begin nor end with a mark and an ending that
// exists, and no _ in the label before that.
func (s *scanner) domain(start int) int {
	if start >= len(s.text) || !hostLetter(s.text[start]) {
		return -1
	}
	if start < s.row.start || start >= s.row.to {
		s.readRow(start)
	}
	return s.row.from(s.text, sort.SearchInts(s.row.dots, start), start)
}

func (s *scanner) readRow(start int) {
	u, r := s.text, row{start: start, lines: []int{-1}}
	for r.to = start; r.to < len(u) && hostChar(u[r.to]); r.to++ {
		switch u[r.to] {
		case '.':
			r.dots, r.lines = append(r.dots, r.to), append(r.lines, -1)
		case '_':
			r.lines[len(r.lines)-1] = r.to
		}
	}
	n := len(r.lines)
	r.ending, r.best = slices.Repeat([]int{-1}, n), slices.Repeat([]int{-1}, n)
	for i := n - 1; i > 0; i-- {
		r.ending[i] = ending(u, r.dots[i-1]+1)
		r.best[i] = r.from(u, i, r.dots[i-1]+1)
	}
	s.row = r
}

// from is where the longest host ends that begins at start, within a label.
func (r row) from(u []uint16, label, start int) int {
	if label == len(r.dots) || start >= r.dots[label] || !hostLetter(u[start]) || !hostLetter(u[r.dots[label]-1]) {
		return -1
	}
	if end := r.best[label+1]; end >= 0 {
		return end
	}
	if r.lines[label] >= start {
		return -1
	}
	return r.ending[label+1]
}

// plainHosts are the hosts in plain Latin letters within a host.
func plainHosts(host []uint16) (found []piece) {
	for i := 0; i < len(host); {
		if !labelChar(host[i]) {
			i++
			continue
		}
		end, at := -1, i
		for {
			from := at
			for at < len(host) && labelChar(host[at]) {
				at++
			}
			if at == from || at == len(host) || host[at] != '.' {
				break
			}
			at++
			end = max(end, ending(host, at))
		}
		if end >= 0 {
			found = append(found, piece{i, end - i})
			at = end
		}
		i = max(at, i+1)
	}
	return found
}

// punycode is how a label begins that stands for one in other letters.
const punycode = "xn--"

// ending returns where the ending of a host ends that begins at i, -1 when
// there is none: the longest known one behind which no letter, digit or mark
// goes on, or any in Punycode.
func ending(u []uint16, i int) int {
	var key strings.Builder
	found := -1
	for at := i; at < len(u) && at-i < longestEnding && hostLetter(u[at]); at++ {
		key.WriteRune(rune(upper(u[at])))
		if open := at+1 < len(u) && (alnum(u[at+1]) || among(u[at+1], "@+-")); !open && endings[key.String()] {
			found = at + 1
		}
	}
	if found >= 0 {
		return found
	}
	end := i + len(punycode)
	if end >= len(u) || !strings.EqualFold(string(utf16.Decode(u[i:end])), punycode) {
		return -1
	}
	for end < len(u) && (alnum(u[end]) || u[end] == '-') {
		end++
	}
	if end == i+len(punycode) {
		return -1
	}
	return end
}

// endings are all that are known, in capitals; longestEnding is how many units
// the longest has.
var endings, longestEnding = known(generic + " " + countries)

func known(list string) (all map[string]bool, longest int) {
	all = map[string]bool{}
	for _, one := range strings.Fields(list) {
		u := utf16.Encode([]rune(one))
		for i, c := range u {
			u[i] = upper(c)
		}
		all[string(utf16.Decode(u))] = true
		longest = max(longest, len(u))
	}
	return all, longest
}
