// Package xtext reads a text as X does, by the rules of its published library
// twitter-text with configuration v3: what it counts, which links, names and
// cashtags it makes of it. scripts/twitter-text.sh holds it against that library.
//
// The rules speak of UTF-16 units, so this package does, too.
package xtext

import (
	"sort"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"
)

// The weights, in hundredths of a character.
const (
	lightWeight = 100
	heavyWeight = 200
	linkWeight  = 2300
	scale       = 100
)

// Most is what a post may count.
const Most = 280

// Length counts a text: in NFC, a link as 23, an emoji as 2, Latin and its
// neighbours as 1, everything else as 2.
func Length(text string) int {
	length, _ := weigh(text)
	return length
}

// Valid tells whether a text may be a post: it counts 1 to 280 and holds no
// character that X refuses.
func Valid(text string) bool {
	length, clean := weigh(text)
	return clean && length > 0 && length <= Most
}

func weigh(text string) (length int, clean bool) {
	u := utf16.Encode([]rune(norm.NFC.String(text)))
	links, pictures := urlsIn(u), emojiIn(u)
	total, clean := 0, true
	for i := 0; i < len(u); {
		size, weight := one(u, i)
		if n := startsAt(&links, i); n > 0 {
			size, weight = n, linkWeight
		} else if n := startsAt(&pictures, i); n > 0 {
			size, weight = n, heavyWeight
		}
		i += size
		total += weight
		clean = clean && !refused(u[min(i, len(u))-1])
	}
	return total / scale, clean
}

// piece is a part of a text that counts as one.
type piece struct{ start, length int }

// startsAt returns how long the piece is that starts at i, 0 for none, and
// drops those that lie behind.
func startsAt(pieces *[]piece, i int) int {
	for len(*pieces) > 0 && (*pieces)[0].start < i {
		*pieces = (*pieces)[1:]
	}
	if len(*pieces) > 0 && (*pieces)[0].start == i {
		return (*pieces)[0].length
	}
	return 0
}

// one is the size and the weight of the character at i.
func one(u []uint16, i int) (size, weight int) {
	if i+1 < len(u) && utf16.IsSurrogate(rune(u[i])) && utf16.DecodeRune(rune(u[i]), rune(u[i+1])) != '\uFFFD' {
		return 2, heavyWeight
	}
	switch c := u[i]; {
	case c <= 4351, c >= 8192 && c <= 8205, c >= 8208 && c <= 8223, c >= 8242 && c <= 8247:
		return 1, lightWeight
	}
	return 1, heavyWeight
}

// emojiIn returns the emoji of a text: the longest known sequences, one after
// the other.
func emojiIn(u []uint16) (found []piece) {
	for i := 0; i < len(u); {
		n := emojiLength(u[i:])
		if n > 0 {
			found = append(found, piece{i, n})
		}
		i += max(n, 1)
	}
	return found
}

// emojiLength walks the table of sequences as far as the text goes with it.
// Whether a picture is asked to be shown as text makes no difference: it counts
// 2 as an emoji and 2 as a character.
func emojiLength(u []uint16) (longest int) {
	state := 0
	for i, c := range u {
		steps := emojiSteps[emojiStates[state]:emojiStates[state+1]]
		at := sort.Search(len(steps), func(n int) bool { return steps[n].to >= c })
		if at == len(steps) || steps[at].from > c {
			break
		}
		if state = int(steps[at].state); state >= emojiWhole {
			longest = i + 1
		}
	}
	return longest
}

// step leads from one state of the table to another on any unit in its range.
type step struct {
	from, to uint16
	state    uint8
}
