package untrusted

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longCode is from where on a run of code is one even when it can't be read.
const longCode = 32

var (
	base64Run = regexp.MustCompile(`[A-Za-z0-9+/_-]{16,}={0,2}`)
	chunked   = regexp.MustCompile(`(?:[A-Za-z0-9+/]{2,15}[ \n]){3,}[A-Za-z0-9+/]{2,15}={0,2}`)
	hexRun    = regexp.MustCompile(`(?i)(?:[0-9a-f]{2}[ :]?){8,}`)
	hexOnly   = regexp.MustCompile(`^(?i:0x)?[0-9a-fA-F]+$`)
	morseRun  = regexp.MustCompile(`[.\-]{1,9}(?:[ /|\n]{1,3}[.\-]{1,9}){4,}`)
	letters   = regexp.MustCompile(`(?:\pL[ .\-_*·]){5,}\pL(?:[ .\-_*·]{1,3}(?:\pL[ .\-_*·])*\pL)*`)
	strokes   = strings.NewReplacer("·", ".", "•", ".", "−", "-", "–", "-", "—", "-", "_", "-", "‐", "-")
	leet      = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i", "|", "l")
)

// mixed tells whether a run looks random: both cases and a digit.
func mixed(run string) bool {
	return strings.ContainsFunc(run, unicode.IsUpper) && strings.ContainsFunc(run, unicode.IsLower) && strings.ContainsFunc(run, unicode.IsDigit)
}

func fromBase64(run string) (string, bool) {
	run = strings.TrimRight(run, "=")
	run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	raw, err := base64.RawStdEncoding.DecodeString(run)
	return string(raw), err == nil && legible(raw)
}

// fromChunks reads base64 with blanks in it, which may begin after some words.
func fromChunks(run string) (string, bool) {
	chunks := strings.Fields(run)
	for start := range min(len(chunks)-2, maxWordsBefore) {
		if said, ok := fromBase64(strings.Join(chunks[start:], "")); ok {
			return said, true
		}
	}
	return "", false
}

// maxWordsBefore is how many words before base64 are tried to be left out.
const maxWordsBefore = 8

func fromHex(run string) (string, bool) {
	raw, err := hex.DecodeString(strings.NewReplacer(" ", "", ":", "").Replace(run))
	// Without a letter it may as well be a row of numbers.
	return string(raw), err == nil && strings.ContainsAny(run, "abcdefABCDEF") && legible(raw)
}

// legible tells whether decoded bytes are a text: UTF-8, almost all of it
// letters, digits, marks of punctuation and blanks.
func legible(raw []byte) bool {
	if len(raw) < 8 || !utf8.Valid(raw) {
		return false
	}
	n, letters := 0, 0
	for _, r := range string(raw) {
		n++
		if r < ' ' && r != '\n' && r != '\t' || r == utf8.RuneError || r == 0x7F {
			return false
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == ' ' {
			letters++
		}
	}
	return letters*10 >= n*7
}

// fromMorse reads Morse, with a ? for what is none; what uses fewer than 3
// letters, or hardly more than one stroke for each, is a divider.
func fromMorse(run string) (string, bool) {
	var said strings.Builder
	n, marks, longest, different := 0, 0, 0, map[byte]bool{}
	for _, word := range strings.FieldsFunc(run, func(r rune) bool { return r == '/' || r == '|' }) {
		for _, code := range strings.Fields(word) {
			letter := byte('?')
			if i := slices.Index(morse, code); i >= 0 {
				letter = morseLetters[i]
				n, different[letter] = n+1, true
				marks, longest = marks+len(code), max(longest, len(code))
			}
			said.WriteByte(letter)
		}
		said.WriteByte(' ')
	}
	return strings.TrimSpace(said.String()), n >= 5 && len(different) >= 3 && marks >= 2*n && longest >= 3
}

const morseLetters = "abcdefghijklmnopqrstuvwxyz0123456789@.,?/=-:"

var morse = strings.Fields(".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. " +
	"----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. .--.-. .-.-.- --..-- ..--.. -..-. -...- -....- ---...")

// hiddenIn reads what tag characters and rows of variation selectors spell. The
// tags of a flag and the selector of one letter are no text.
func hiddenIn(text string) string {
	var said, row []byte
	flag := false
	for _, r := range text + "." {
		b, selector := selected(r)
		if selector {
			row = append(row, b)
			continue
		}
		if len(row) > 2 {
			said = append(said, row...)
		}
		row = nil
		tag := r >= 0xE0020 && r <= 0xE007F
		if tag && !flag && r < 0xE007F {
			said = append(said, byte(r-0xE0000))
		}
		flag = r == 0x1F3F4 || flag && tag
	}
	if len(said) < 4 {
		return ""
	}
	return strings.ToValidUTF8(string(said), "\uFFFD")
}

// selected is the byte that a variation selector can stand for.
func selected(r rune) (byte, bool) {
	switch {
	case r >= 0xFE00 && r <= 0xFE0F:
		return byte(r - 0xFE00), true
	case r >= 0xE0100 && r <= 0xE01EF:
		return byte(r - 0xE0100 + 16), true
	}
	return 0, false
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// joined takes the blanks out between single letters; a wider gap ends a word.
func joined(spelled string) string {
	words := gaps.Split(spelled, -1)
	for i, word := range words {
		words[i] = strings.NewReplacer(" ", "", ".", "", "-", "", "_", "", "*", "", "·", "").Replace(word)
	}
	return strings.Join(words, " ")
}

var gaps = regexp.MustCompile(`[ .\-_*·]{2,}`)

// Unescaped undoes the escapes of web addresses, of HTML and of programs, twice.
func Unescaped(text string) string {
	for range 2 {
		if !strings.ContainsAny(text, `&%\`) {
			break
		}
		text = html.UnescapeString(text)
		text = percents.ReplaceAllStringFunc(text, func(s string) string {
			plain, err := url.PathUnescape(s)
			if err != nil || !utf8.ValidString(plain) {
				return s
			}
			return plain
		})
		text = codes.ReplaceAllStringFunc(text, func(s string) string {
			raw, err := hex.DecodeString(strings.Trim(s[2:], "{}"))
			if err != nil {
				return s
			}
			r := rune(0)
			for _, b := range raw {
				r = r<<8 | rune(b)
			}
			return string(r)
		})
	}
	return text
}

var (
	percents = regexp.MustCompile(`(?:%[0-9a-fA-F]{2})+`)
	codes    = regexp.MustCompile(`\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}`)
)
