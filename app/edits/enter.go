package edits

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is more bytes than any text that goes out has.
const longest = 16 << 10

// enter puts values into the slots and says what is wrong with them.
func (f form) enter(values map[string]string) (changed bool, faults []string) {
	known := make(map[string]bool, len(f.slots))
	for _, s := range f.slots {
		known[s.Name] = true
		value, ok := values[s.Name]
		if !ok {
			faults = append(faults, s.Label+" is missing: open the form again.")
			continue
		}
		text := lines(value)
		if text == lines(s.Text) {
			continue
		}
		changed = true
		if fault := s.fault(text); fault != "" {
			faults = append(faults, fault)
			continue
		}
		s.set(text)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !known[name] {
			faults = append(faults, fmt.Sprintf("There is no field %q to edit.", shortened(name)))
		}
	}
	return changed, faults
}

// lines ends each line of a text as we do, whatever a form made of it.
func lines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// fault says why no such output may hold text; what its kind allows is for others
// to say.
func (f Field) fault(text string) string {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text), strings.ContainsFunc(text, unprintable):
		return f.Label + " holds characters that can't be seen."
	case f.Rows == 1 && strings.Contains(text, "\n"):
		return f.Label + " is one line, without a break."
	case !f.Weighted && n > f.Limit:
		return fmt.Sprintf("%s has %d characters: at most %d.", f.Label, n, f.Limit)
	case len(text) > longest:
		return f.Label + " is far too long."
	}
	return ""
}

func unprintable(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// shortened is a name that a stranger may have sent.
func shortened(name string) string {
	if runes := []rune(name); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return name
}
