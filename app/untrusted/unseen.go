package untrusted

import (
	"unicode"
	"unicode/utf8"
)

// Unseen tells whether text holds characters that can't be seen and have no
// business in it: those that join or style an emoji, shape letters of scripts
// that need it, mark its direction beside a letter that has one, say where one
// word may be divided, or spell a flag are none.
func Unseen(text string) bool {
	if !utf8.ValidString(text) {
		return true
	}
	runes := []rune(text)
	flag := false
	for i, r := range runes {
		tag := r >= 0xE0020 && r <= 0xE007F
		switch {
		case r == '\r' && (i+1 == len(runes) || runes[i+1] != '\n'):
			return true // some readers take it for the end of a line
		case r == '\n', r == '\t', r == '\r', !unicode.In(r, invisible...) && r != 0x2800:
		case tag && flag:
		case r == 0x200E || r == 0x200F || r == 0x061C:
			if !turns(runes, i) {
				return true
			}
		case r == softHyphen:
			if !hyphenates(runes, i) {
				return true
			}
		case r == 0xFE0E || r == 0xFE0F, r == 0x200C || r == 0x200D:
			if !shapes(runes, i) {
				return true
			}
		default:
			return true
		}
		flag = r == 0x1F3F4 || flag && tag
	}
	return false
}

// shapes tells whether the joiner or selector at i stands behind a letter or
// picture that it can change, and before none of its own kind.
func shapes(runes []rune, i int) bool {
	if i == 0 {
		return false
	}
	before := runes[i-1]
	keycap := before == '#' || before == '*' || before >= '0' && before <= '9'
	styled := before == 0xFE0F || before >= 0x1F3FB && before <= 0x1F3FF
	if selector := runes[i] == 0xFE0E || runes[i] == 0xFE0F; selector {
		return keycap || before > unicode.MaxASCII && !unicode.In(before, invisible...)
	}
	return styled || before > unicode.MaxASCII && !unicode.In(before, invisible...) && (unicode.IsLetter(before) || unicode.IsMark(before) || unicode.IsSymbol(before))
}

const softHyphen = 0x00AD

// turns tells whether the direction mark at i stands beside a letter that is
// written from right to left, and beside no other mark.
func turns(runes []rune, i int) bool {
	beside := false
	for _, at := range []int{i - 1, i + 1} {
		if at >= 0 && at < len(runes) {
			if unicode.In(runes[at], invisible...) && runes[at] != '\n' {
				return false
			}
			beside = beside || unicode.In(runes[at], unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
		}
	}
	return beside
}

// hyphenates tells whether the soft hyphen at i divides a word: two letters and
// more on both sides, up to the next one.
func hyphenates(runes []rune, i int) bool {
	if i < 2 || i+2 >= len(runes) {
		return false
	}
	for _, r := range []rune{runes[i-2], runes[i-1], runes[i+1], runes[i+2]} {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}
