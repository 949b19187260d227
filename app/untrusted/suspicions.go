package untrusted

import (
	"regexp"
	"slices"
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

// Suspicions are the ways in which text says something that it does not seem
// to say, and the plain ones in which it commands whoever reads it. They flag a
// text; what they decoded is for code to look through, never for a model.
func Suspicions(text string) (found []Suspicion) {
	seen := Normalise(text)
	plain := steers(seen)
	if plain {
		found = append(found, Suspicion{Kind: Instruction, Text: seen})
	}
	found = append(found, payloads(text)...)
	for _, s := range Readings(text) {
		disguise := s.Kind != Rot13 && s.Kind != Reversed // what is plain is plain in a disguise as well
		if steers(s.Text) && !(plain && disguise) {
			found = append(found, s)
		}
	}
	return found
}

// payloads are the parts of a text that hold another text in code.
func payloads(text string) (found []Suspicion) {
	if said := hiddenIn(text); said != "" {
		found = append(found, Suspicion{Kind: Hidden, Text: said})
	}
	seen := Normalise(text)
	for _, code := range []struct {
		kind Kind
		run  *regexp.Regexp
		read func(string) (string, bool)
	}{{Hex, hexRun, fromHex}, {Base64, base64Run, fromBase64}, {Base64, chunked, fromChunks}, {Morse, morseRun, fromMorse}} {
		source := seen
		if code.kind == Morse {
			source = strokes.Replace(seen)
		}
		for _, run := range code.run.FindAllString(source, -1) {
			if said, ok := code.read(run); ok && !slices.ContainsFunc(found, func(s Suspicion) bool { return s.Text == said }) {
				found = append(found, Suspicion{code.kind, said, run})
			}
		}
	}
	return found
}

// Readings are the other ways in which a whole text can be read. Any text has
// some: they are to be looked through for what the text itself does not show.
func Readings(text string) []Suspicion {
	seen := Normalise(text)
	folded := Fold(text)
	all := []Suspicion{{Kind: Rot13, Text: strings.Map(rot13, folded)}, {Kind: Reversed, Text: reversed(folded)},
		{Kind: Leet, Text: leet.Replace(strings.ToLower(folded))}}
	if folded != seen {
		all = append(all, Suspicion{Kind: LookAlike, Text: folded})
	}
	if spaced := letters.ReplaceAllStringFunc(folded, joined); spaced != folded {
		all = append(all, Suspicion{Kind: Spaced, Text: spaced})
	}
	if plain := unescaped(seen); plain != seen {
		all = append(all, Suspicion{Kind: Escaped, Text: Normalise(plain)})
	}
	return all
}

// Encoded are the runs of a text that look like code for something, whether or
// not it can be read: long base64 and hex, and Morse.
func Encoded(text string) (runs []string) {
	seen := Normalise(text)
	for _, run := range base64Run.FindAllString(seen, -1) {
		_, readable := fromBase64(run)
		if readable || len(run) >= longCode && mixed(run) || len(run) >= longCode && hexOnly.MatchString(run) {
			runs = append(runs, run)
		}
	}
	for _, s := range payloads(seen) {
		if s.Kind != Hidden && !slices.Contains(runs, s.run) {
			runs = append(runs, s.run)
		}
	}
	return runs
}
