package preflight

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"vivra/app/untrusted"
)

// addressDigits is how many hex digits an address of the EVM has, hashDigits
// how many the hash of a transaction.
const (
	addressDigits = 40
	hashDigits    = 64
)

var addressy = regexp.MustCompile(`(?i)0x[0-9a-f]{40,}`)

// PlainAddresses returns every 0x followed by exactly 40 hex digits, as written
// but for look-alikes: other forms of the same letters and digits are folded,
// and what can't be seen is dropped first.
func PlainAddresses(text string) []string {
	var found []string
	folded := untrusted.Fold(text)
	for _, view := range []string{folded, hexLike.Replace(folded)} {
		for _, match := range addressy.FindAllString(view, -1) {
			if len(match) == len("0x")+addressDigits && !slices.Contains(found, match) {
				found = append(found, match)
			}
		}
	}
	return found
}

// hexLike are the Latin letters that pass for digits; in a run of hex digits
// they are meant as such.
var hexLike = strings.NewReplacer("O", "0", "o", "0", "l", "1", "I", "1", "i", "1")

// Addresses returns every account that the text names, in whatever disguise:
// those of the EVM as 0x and 40 digits, also where they are cut in pieces, have
// no 0x or are escaped; those of other chains and names for accounts as they
// stand there.
func Addresses(text string) []string {
	var found []string
	for _, view := range []string{text, unescape(text)} {
		folded := untrusted.Fold(view)
		for _, list := range [][]string{PlainAddresses(view), inPieces(folded), inPieces(hexLike.Replace(folded)), foreign(untrusted.Normalise(view)), names(untrusted.Normalise(view))} {
			for _, address := range list {
				if !slices.ContainsFunc(found, func(f string) bool { return strings.EqualFold(f, address) }) {
					found = append(found, address)
				}
			}
		}
	}
	return found
}

// unescape undoes the escapes of web addresses and of HTML, twice.
func unescape(text string) string {
	for range 2 {
		text = percents.ReplaceAllStringFunc(html.UnescapeString(text), func(s string) string {
			if plain, err := url.PathUnescape(s); err == nil && utf8.ValidString(plain) {
				return plain
			}
			return s
		})
	}
	return text
}

var percents = regexp.MustCompile(`(?:%[0-9a-fA-F]{2})+`)

// piece is a run of letters and digits that could be a part of an address.
type piece struct {
	digits   string
	prefixed bool // 0x stood before it
	hex      bool
	near     bool // the piece before stands close by
}

// maxGap is how many characters may stand between two pieces of one address.
const maxGap = 8

const uuid = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

var (
	runs    = regexp.MustCompile(`[\p{L}\p{N}]+`)
	hexRun  = regexp.MustCompile(`^[0-9a-fA-F]+$`)
	uuidRow = regexp.MustCompile(`(?i)` + uuid + `(?:[^\p{L}\p{N}]{1,6}` + uuid + `)+`) // their parts add up to 40 digits by chance
)

// inPieces finds addresses whose digits are set apart by blanks, marks or
// pictures, and those that stand there without 0x.
func inPieces(text string) (found []string) {
	pieces := piecesOf(uuidRow.ReplaceAllString(text, "–"))
	for i, p := range pieces {
		if !p.prefixed && !p.hex {
			continue
		}
		digits := p.digits
		for next := i + 1; len(digits) < addressDigits && next < len(pieces) && pieces[next].hex && pieces[next].near; next++ {
			digits += pieces[next].digits
		}
		if len(digits) == addressDigits && (p.prefixed || random(digits) && rowLength(pieces, i) != hashDigits) {
			found = append(found, "0x"+digits)
		}
	}
	return found
}

func piecesOf(text string) (pieces []piece) {
	end := 0
	for _, at := range runs.FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		p := piece{digits: word, hex: hexRun.MatchString(word), near: utf8.RuneCountInString(text[end:at[0]]) <= maxGap}
		if rest, ok := strings.CutPrefix(strings.ToLower(word), "0x"); ok && (rest == "" || hexRun.MatchString(rest)) {
			p.prefixed, p.digits = true, word[len("0x"):]
		}
		pieces, end = append(pieces, p), at[1]
	}
	return pieces
}

// rowLength is how many digits the unbroken row of hex pieces around i has: 64
// are a hash and no address.
func rowLength(pieces []piece, i int) int {
	for i > 0 && pieces[i].near && pieces[i-1].hex {
		i--
	}
	n := len(pieces[i].digits)
	for i++; i < len(pieces) && pieces[i].hex && pieces[i].near; i++ {
		n += len(pieces[i].digits)
	}
	return n
}

// random tells whether hex digits look like those of an address: a row of
// numbers has no letters, a word has no digits.
func random(digits string) bool {
	letters := 0
	for _, r := range digits {
		if r > '9' {
			letters++
		}
	}
	return letters >= 6 && len(digits)-letters >= 6
}

// names are names that stand for accounts, such as dodo.eth.
func names(text string) []string { return accountName.FindAllString(text, -1) }

var accountName = regexp.MustCompile(`(?i)\b[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?\.(?:eth|sol|bnb|crypto|nft|wallet|dao|blockchain|bitcoin)\b`)
