package preflight

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vivra/app/untrusted"
)

// addressDigits is how many hex digits an address of the EVM has, hashDigits
// how many the hash of a transaction.
const (
	addressDigits = 40
	hashDigits    = 64
)

var addressy = regexp.MustCompile(`0[xX][0-9a-fA-F]{40,}`)

// PlainAddresses returns every 0x followed by exactly 40 hex digits, as written
// but for look-alikes: other forms of the same letters and digits are folded,
// and what can't be seen is dropped first.
func PlainAddresses(text string) []string {
	var found finds
	found.plain(untrusted.Fold(text))
	return found.all
}

// maxFinds is how many different finds of one kind are told apart: nobody needs
// more, and only one of them is official.
const maxFinds = 100

// finds are different strings, in whatever case.
type finds struct {
	all  []string
	seen map[string]bool
}

func (f *finds) add(list ...string) {
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	for _, find := range list {
		if lower := strings.ToLower(find); len(f.all) < maxFinds && !f.seen[lower] {
			f.seen[lower] = true
			f.all = append(f.all, find)
		}
	}
}

func (f *finds) plain(folded string) {
	for _, view := range []string{folded, hexLike.Replace(folded)} {
		for _, match := range addressy.FindAllString(view, -1) {
			if len(match) == len("0x")+addressDigits {
				f.add(match)
			}
		}
	}
}

// Starts returns every beginning of an address in the text, of whole ones too,
// where look-alikes are folded.
func Starts(text string) []string { return beginning.FindAllString(untrusted.Fold(text), -1) }

var beginning = regexp.MustCompile(`\b0[xX][0-9a-fA-F]{4,}`)

// WithoutPlain is the text with … for each address in plain sight.
func WithoutPlain(text string) string { return plainly.ReplaceAllString(text, "…") }

var plainly = regexp.MustCompile(`0[xX][0-9a-fA-F]{40}\b`)

// Burnt tells whether address is one that nobody holds, or the start of one.
func Burnt(address string) bool { return burnt.MatchString(address) }

var burnt = regexp.MustCompile(`^(?i:0x0*(?:dead)?)$`)

// hexLike are the Latin letters that pass for digits; in a run of hex digits
// they are meant as such.
var hexLike = strings.NewReplacer("O", "0", "o", "0", "l", "1", "I", "1", "i", "1")

// Addresses returns every account that the text names, in whatever disguise:
// those of the EVM as 0x and 40 digits, also where they are cut in pieces, have
// no 0x or are escaped; those of other chains and names for accounts as they
// stand there.
func Addresses(text string) []string {
	var found finds
	views := []string{head(text, maxText)}
	if plain := untrusted.Unescaped(views[0]); plain != views[0] {
		views = append(views, plain)
	}
	for _, view := range views {
		seen := untrusted.Seen(view)
		folded := untrusted.Fold(seen)
		bare := untrusted.Bare(folded)
		found.plain(bare)
		found.add(inPieces(bare)...)
		if like := hexLike.Replace(bare); like != bare {
			found.add(inPieces(like)...)
		}
		found.add(foreign(seen)...)
		if named := names(seen); len(named) > 0 {
			found.add(named...)
		} else if mayName(folded) {
			found.add(names(mended(folded))...)
		}
	}
	found.add(spelt(views[0])...)
	return found.all
}

// maxText is how many bytes of a text are looked through; longer ones are
// refused as a whole.
const maxText = 256 << 10

// head cuts a text to at most most bytes.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

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
	uuidRow = regexp.MustCompile(`(?i)` + uuid + `(?:[^\p{L}\p{N}]{1,6}` + uuid + `)+`) // their parts add up to 40 digits by chance
)

// inPieces finds addresses whose digits are set apart by blanks, marks or
// pictures, and those that stand there without 0x.
func inPieces(text string) (found []string) {
	if strings.Count(text, "-") >= 8 {
		text = uuidRow.ReplaceAllString(text, "–")
	}
	pieces := piecesOf(text)
	rows := rowLengths(pieces)
	for i, p := range pieces {
		if !p.prefixed && !p.hex {
			continue
		}
		digits, next := p.digits, i+1
		for ; len(digits) < addressDigits && next < len(pieces) && pieces[next].hex && pieces[next].near; next++ {
			digits += pieces[next].digits
		}
		if len(digits) == addressDigits && (p.prefixed || random(digits) && rows[i] != hashDigits && !byChance(pieces[i:next])) {
			found = append(found, "0x"+digits)
		}
	}
	return found
}

// byChance tells whether pieces add up to an address by chance only: each a
// word or a number for itself, or the same ones again and again.
func byChance(pieces []piece) bool {
	pure, again := 0, 0
	seen := map[string]bool{}
	for _, p := range pieces {
		if len(p.digits) < 3 {
			return false // shorter ones are pure because they are short
		}
		letters := strings.Count(strings.Map(onlyLetters, p.digits), "a")
		if letters == 0 || letters == len(p.digits) {
			pure++
		}
		if seen[p.digits] {
			again++
		}
		seen[p.digits] = true
	}
	return len(pieces) >= 3 && (pure == len(pieces) || again*2 >= len(pieces))
}

// onlyLetters maps letters to a, and drops digits.
func onlyLetters(r rune) rune {
	if r > '9' {
		return 'a'
	}
	return -1
}

func piecesOf(text string) (pieces []piece) {
	end, start := 0, -1
	for i, r := range text + " " {
		word := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsNumber(r))
		switch {
		case word && start < 0:
			start = i
		case !word && start >= 0:
			pieces = append(pieces, pieceOf(text[start:i], utf8.RuneCountInString(text[end:start]) <= maxGap))
			start, end = -1, i
		}
	}
	return pieces
}

func pieceOf(word string, near bool) piece {
	p := piece{digits: word, hex: isHex(word), near: near}
	if len(word) >= 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X') && (len(word) == 2 || isHex(word[2:])) {
		p.prefixed, p.digits = true, word[2:]
	}
	return p
}

func isHex(word string) bool {
	for i := range len(word) {
		if c := word[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return word != ""
}

// rowLengths is for each piece how many digits the unbroken row of hex pieces
// around it has: 64 are a hash and no address.
func rowLengths(pieces []piece) []int {
	lengths := make([]int, len(pieces))
	for from := 0; from < len(pieces); {
		to, n := from+1, len(pieces[from].digits)
		for pieces[from].hex && to < len(pieces) && pieces[to].hex && pieces[to].near {
			n += len(pieces[to].digits)
			to++
		}
		for ; from < to; from++ {
			lengths[from] = n
		}
	}
	return lengths
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
func names(text string) (found []string) {
	for _, at := range nameEnding.FindAllStringSubmatchIndex(text, -1) {
		ending, next := text[at[2]:at[3]], text[at[1]:]
		start := labelStart(text, at[0])
		label := strings.TrimLeft(text[start:at[0]], ".-")
		if r, _ := utf8.DecodeRuneInString(next); label == "" || r != utf8.RuneError && (isWord(r) || unicode.IsLetter(r)) {
			continue
		}
		if !words[strings.ToLower(ending)] || !sentence(ending) && letterCount(label) >= 3 {
			found = append(found, label+text[at[0]:at[1]])
		}
	}
	return found
}

// labelStart is where the name begins that ends at end: marks of punctuation
// and blanks are no part of one, pictures are.
func labelStart(text string, end int) int {
	start := end
	for start > 0 && end-start < maxHost {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if r != '-' && r != '_' && r != '.' && (unicode.IsSpace(r) || unicode.IsPunct(r)) || r == '<' || r == '>' || r == '=' || r == '|' || r == '`' {
			break
		}
		start -= size
	}
	return start
}

// sentence tells whether what looks like an ending begins a sentence before
// which a blank is missing.
func sentence(ending string) bool {
	return len(ending) > 1 && ending[0] >= 'A' && ending[0] <= 'Z' && strings.ToLower(ending[1:]) == ending[1:]
}

func letterCount(label string) (n int) {
	for _, r := range label {
		if unicode.IsLetter(r) || unicode.IsSymbol(r) {
			n++
		}
	}
	return n
}

// words are the endings that are also words or numbers: what stands before them
// must be a name, and they begin no sentence.
var words = map[string]bool{"crypto": true, "wallet": true, "blockchain": true, "bitcoin": true, "near": true, "base": true, "x": true, "polygon": true, "ton": true, "lens": true, "888": true}

// mayName tells whether a text holds an ending that is no word.
func mayName(folded string) bool {
	lower := strings.ToLower(folded)
	return slices.ContainsFunc([]string{"eth", "sol", "bnb", "crypto", "nft", "wallet", "dao", "arb", "avax"}, func(ending string) bool {
		return strings.Contains(lower, ending)
	})
}

var nameEnding = regexp.MustCompile(`(?i)\.(` + nameEndings + `)`)

const nameEndings = `eth|sol|bnb|crypto|nft|wallet|dao|blockchain|bitcoin|arb|ton|near|avax|x|polygon|888|zil|lens|base`
