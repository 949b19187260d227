// Package preflight holds X's rules for posts, applied before a draft reaches
// a person: length, links, names, cashtags, addresses, polls, threads, price.
package preflight

import (
	"golang.org/x/text/unicode/norm"

	"vivra/app"
)

// The weights of twitter-text's configuration v3, in hundredths of a character.
const (
	lightWeight = 100
	heavyWeight = 200
	emojiWeight = 200
	linkWeight  = 2300

	// MaxLength is what a post may count.
	MaxLength = app.MaxPost
)

// Length counts text as X does: in NFC, a link as 23, an emoji sequence as 2,
// Latin and its neighbours as 1, everything else as 2.
func Length(text string) int {
	text = norm.NFC.String(text)
	total, from := 0, 0
	for _, link := range counted(text) {
		total += weigh(text[from:link.start]) + linkWeight
		from = link.end
	}
	return (total + weigh(text[from:])) / 100
}

// weigh counts a text without links.
func weigh(text string) int {
	runes := []rune(text)
	total := 0
	for i := 0; i < len(runes); {
		if n := emojiLen(runes[i:]); n > 0 {
			total += emojiWeight
			i += n
			continue
		}
		total += weightOf(runes[i])
		i++
	}
	return total
}

func weightOf(r rune) int {
	switch {
	case r <= 4351, r >= 8192 && r <= 8205, r >= 8208 && r <= 8223, r >= 8242 && r <= 8247:
		return lightWeight
	}
	return heavyWeight
}

// maxJoined is how many pictures one joined emoji has at most: longer chains
// are no emoji and count rune by rune.
const maxJoined = 4

const (
	zeroWidthJoiner = 0x200D
	textStyle       = 0xFE0E
	emojiStyle      = 0xFE0F
	keycap          = 0x20E3
	cancelTag       = 0xE007F
)

// emojiLen returns how many runes the emoji sequence at the start of r has, 0
// when there is none.
func emojiLen(r []rune) int {
	if n := keycapLen(r); n > 0 {
		return n
	}
	if len(r) >= 2 && isFlagLetter(r[0]) && isFlagLetter(r[1]) {
		return 2
	}
	end, pictures := 0, 0
	for {
		n := pictureLen(r[end:])
		if n == 0 {
			return end // a joiner that joins nothing was not counted in
		}
		pictures++
		if end += n; pictures == maxJoined || end+1 >= len(r) || r[end] != zeroWidthJoiner {
			return end
		}
		if pictureLen(r[end+1:]) == 0 {
			return end
		}
		end++
	}
}

// pictureLen measures one picture with its style, skin tone and tags.
func pictureLen(r []rune) int {
	if len(r) == 0 || !isPicture(r[0]) {
		return 0
	}
	n := 1
	if n < len(r) && r[n] == textStyle {
		return 0
	}
	if n < len(r) && (r[n] == emojiStyle || isSkinTone(r[n])) {
		n++
	}
	return n + tagsLen(r[n:])
}

func tagsLen(r []rune) int {
	for i, c := range r {
		switch {
		case c == cancelTag:
			return i + 1
		case c < 0xE0020 || c > 0xE007E:
			return 0
		}
	}
	return 0
}

func keycapLen(r []rune) int {
	if len(r) < 2 || r[0] != '#' && r[0] != '*' && (r[0] < '0' || r[0] > '9') {
		return 0
	}
	switch {
	case r[1] == keycap:
		return 2
	case len(r) >= 3 && r[1] == emojiStyle && r[2] == keycap:
		return 3
	}
	return 0
}

func isFlagLetter(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }
func isSkinTone(r rune) bool   { return r >= 0x1F3FB && r <= 0x1F3FF }

// pictures are the blocks that hold Unicode's pictographs. A rune of them that
// is none weighs 2 anyway.
var pictures = [][2]rune{
	{0xA9, 0xA9}, {0xAE, 0xAE}, {0x203C, 0x203C}, {0x2049, 0x2049}, {0x2122, 0x2122}, {0x2139, 0x2139},
	{0x2194, 0x21AA}, {0x231A, 0x23FF}, {0x24C2, 0x24C2}, {0x25AA, 0x25FE}, {0x2600, 0x27BF}, {0x2934, 0x2935},
	{0x2B05, 0x2B55}, {0x3030, 0x3030}, {0x303D, 0x303D}, {0x3297, 0x3299}, {0x1F000, 0x1F1E5}, {0x1F200, 0x1FAFF},
}

func isPicture(r rune) bool {
	for _, block := range pictures {
		if r >= block[0] && r <= block[1] {
			return true
		}
	}
	return false
}
