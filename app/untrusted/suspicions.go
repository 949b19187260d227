package untrusted

import (
	"regexp"
	"strings"
)

// Kind says how something was put into a text.
type Kind string

// The kinds of suspicions.
const (
	Instruction Kind = "instruction" // in plain sight
	Base64      Kind = "base64"
	Hex         Kind = "hex"
	Morse       Kind = "morse"
	Hidden      Kind = "hidden" // in characters that can't be seen
	Escaped     Kind = "escaped"
	Rot13       Kind = "rot13"
	Reversed    Kind = "reversed"
	LookAlike   Kind = "look_alike" // in letters of another alphabet
	Leet        Kind = "leet"       // in digits for letters
	Spaced      Kind = "spaced"     // letter by letter
)

// Suspicion is something in a text that a person should look at.
type Suspicion struct {
	Kind Kind
	Text string // what it says once it is read that way: outside text as well

	run string // the code that says so, if it is one
}

// scanRunes is how much of a text is looked through. What goes on after it is
// seen by nobody, and so reported by Encoded.
const scanRunes = 64 << 10

// Seen is Normalise for a text that is only looked through: what is longer than
// any text that may go out is cut.
func Seen(text string) string {
	seen, _ := normalise(text, scanRunes)
	return seen
}

// look is one text in the forms in which it is looked through.
type look struct {
	seen, folded string // normalised, and in Latin letters
	raw          string
	whole        bool
}

func lookAt(text string) look {
	raw, _ := head(text, scanRunes)
	seen, whole := normalise(text, scanRunes)
	return look{seen: seen, folded: latin(seen), raw: raw, whole: whole}
}

// Suspicions are the ways in which text says something that it does not seem
// to say, and the plain ones in which it commands whoever reads it. They flag a
// text; what they decoded is for code to look through, never for a model.
func Suspicions(text string) []Suspicion { return lookAt(text).suspicions(commands) }

// Orders are the suspicions that hold for our own texts: code, the marks and
// the set phrases by which a model is taken over. Ours may warn of orders and
// speak of rules, which Suspicions would flag.
func Orders(text string) []Suspicion { return lookAt(text).suspicions(takeover) }

func (l look) suspicions(phrases []phrase) (found []Suspicion) {
	plain := steers(l.seen, phrases)
	if plain {
		found = append(found, Suspicion{Kind: Instruction, Text: l.seen})
	}
	found = append(found, l.payloads()...)
	lower := strings.ToLower(l.seen)
	for _, s := range l.readings() {
		if strings.ToLower(s.Text) == lower {
			continue // it reads the same
		}
		disguise := s.Kind != Rot13 && s.Kind != Reversed // what is plain is plain in a disguise as well
		if !(plain && disguise) && steers(s.Text, phrases) {
			found = append(found, s)
		}
	}
	return found
}

// payloads are the parts of a text that hold another text in code.
func (l look) payloads() (found []Suspicion) {
	if said := hiddenIn(l.raw); said != "" {
		found = append(found, Suspicion{Kind: Hidden, Text: said})
	}
	known := map[string]bool{}
	for _, code := range []struct {
		kind Kind
		run  *regexp.Regexp
		read func(string) (string, bool)
	}{{Hex, hexRun, fromHex}, {Base64, base64Run, fromBase64}, {Base64, chunked, fromChunks}, {Morse, morseRun, fromMorse}} {
		source := l.seen
		if code.kind == Morse {
			source = strokes.Replace(source)
		}
		for _, run := range code.run.FindAllString(source, -1) {
			if said, ok := code.read(run); ok && !known[said] {
				known[said] = true
				found = append(found, Suspicion{code.kind, said, run})
			}
		}
	}
	return found
}

// Readings are the other ways in which a whole text can be read. Any text has
// some: they are to be looked through for what the text itself does not show.
func Readings(text string) []Suspicion { return lookAt(text).readings() }

func (l look) readings() []Suspicion {
	all := []Suspicion{{Kind: Rot13, Text: strings.Map(rot13, l.folded)}, {Kind: Reversed, Text: reversed(l.folded)},
		{Kind: Leet, Text: leet.Replace(strings.ToLower(l.folded))}}
	if l.folded != l.seen {
		all = append(all, Suspicion{Kind: LookAlike, Text: l.folded})
	}
	if spaced := letters.ReplaceAllStringFunc(l.folded, joined); spaced != l.folded {
		all = append(all, Suspicion{Kind: Spaced, Text: spaced})
	}
	if plain := Unescaped(l.seen); plain != l.seen {
		text, _ := normalise(plain, scanRunes)
		all = append(all, Suspicion{Kind: Escaped, Text: text})
	}
	return all
}

// Encoded are the runs of a text that look like code for something, whether or
// not it can be read: long base64 and hex, and Morse. An address is none. What
// is too long to be looked through is code as a whole.
func Encoded(text string) (runs []string) {
	l := lookAt(text)
	if !l.whole {
		start, _ := head(l.seen, maxLabel)
		runs = append(runs, start+"…")
	}
	known := map[string]bool{}
	for _, run := range base64Run.FindAllString(l.seen, -1) {
		if _, readable := fromBase64(run); readable || unreadable(run) {
			runs, known[run] = append(runs, run), true
		}
	}
	for _, s := range l.payloads() {
		if s.Kind != Hidden && !known[s.run] {
			runs = append(runs, s.run)
		}
	}
	return runs
}

// unreadable tells whether a run is code although no text comes out of it.
func unreadable(run string) bool {
	run = strings.TrimRight(run, "=")
	groups, various := len(digitRow.FindAllString(run, -1)), different(run)
	switch hasDigits, hasLetters := groups > 0, strings.ContainsAny(run, "abcdefABCDEFxX"); {
	case hexOnly.MatchString(run):
		return len(run) >= longCode && !address(run) && (hasDigits && hasLetters || various >= 6)
	case base32Only.MatchString(run):
		return len(run) >= longCode && groups >= 3 && various >= 8
	}
	return len(run) >= bytesOfAddress && mixed(run) && groups >= 2 && (various >= 8 || len(run) >= longCode)
}

// bytesOfAddress is how long base58 and base64 of 20 bytes are.
const bytesOfAddress = 27

var (
	digitRow   = regexp.MustCompile(`[0-9]+`)
	base32Only = regexp.MustCompile(`^[A-Z2-7]+$`)
)

// address tells whether hex digits are those of an account, for which there are
// other rules: as many, and as mixed.
func address(digits string) bool {
	digits = strings.TrimPrefix(strings.ToLower(digits), "0x")
	letters := len(digits) - len(strings.Map(func(r rune) rune {
		if r > '9' {
			return -1
		}
		return r
	}, digits))
	return len(digits) == 40 && letters >= 6 && len(digits)-letters >= 6
}

func different(run string) int {
	seen := map[rune]bool{}
	for _, r := range run {
		seen[r] = true
	}
	return len(seen)
}
