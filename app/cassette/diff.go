package cassette

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Diff returns how made differs from recorded, line by line of their indented
// JSON, as a unified diff; empty when they are the same.
func Diff(recorded, made any) string { return diff(Pretty(recorded), Pretty(made)) }

// Pretty returns the lines of v as indented JSON.
func Pretty(v any) []string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return []string{fmt.Sprintf("(no JSON: %v)", err)}
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// alike counts the lines that two texts have in common at both ends.
func alike(a, b []string) int {
	head, tail := ends(a, b)
	return head + tail
}

func ends(a, b []string) (head, tail int) {
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// edit is one line of a diff: kept (' '), only recorded ('-') or only made ('+').
type edit struct {
	op   byte
	line string
}

// around is how many unchanged lines are shown beside a change.
const around = 3

func diff(recorded, made []string) string {
	edits := script(recorded, made)
	shown := make([]bool, len(edits))
	changed := false
	for i, e := range edits {
		if e.op == ' ' {
			continue
		}
		changed = true
		for j := max(0, i-around); j <= min(len(edits)-1, i+around); j++ {
			shown[j] = true
		}
	}
	if !changed {
		return ""
	}
	return "--- recorded\n+++ made\n" + hunks(edits, shown)
}

func hunks(edits []edit, shown []bool) string {
	var b strings.Builder
	shorten(edits)
	for i, old, fresh := 0, 1, 1; i < len(edits); i++ {
		if shown[i] && (i == 0 || !shown[i-1]) {
			n, m := extent(edits[i:], shown[i:])
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", old, n, fresh, m)
		}
		if shown[i] {
			fmt.Fprintf(&b, "%c%s\n", edits[i].op, edits[i].line)
		}
		if edits[i].op != '+' {
			old++
		}
		if edits[i].op != '-' {
			fresh++
		}
	}
	return b.String()
}

// extent counts the lines of the hunk that begins here, on both sides.
func extent(edits []edit, shown []bool) (old, fresh int) {
	for i := 0; i < len(edits) && shown[i]; i++ {
		if edits[i].op != '+' {
			old++
		}
		if edits[i].op != '-' {
			fresh++
		}
	}
	return old, fresh
}

// most bounds the table of a comparison, in cells. Beyond it the differing
// middle is shown as replaced.
const most = 4 << 20

// script turns a into b by the fewest lines.
func script(a, b []string) (edits []edit) {
	head, tail := ends(a, b)
	for _, line := range a[:head] {
		edits = append(edits, edit{' ', line})
	}
	edits = append(edits, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, line := range a[len(a)-tail:] {
		edits = append(edits, edit{' ', line})
	}
	return edits
}

func middle(a, b []string) (edits []edit) {
	common := table(a, b)
	i, j := 0, 0
	for common != nil && i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			edits = append(edits, edit{' ', a[i]})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			edits = append(edits, edit{'-', a[i]})
			i++
		default:
			edits = append(edits, edit{'+', b[j]})
			j++
		}
	}
	for ; i < len(a); i++ {
		edits = append(edits, edit{'-', a[i]})
	}
	for ; j < len(b); j++ {
		edits = append(edits, edit{'+', b[j]})
	}
	return edits
}

// table holds the length of the longest common subsequence of a[i:] and b[j:].
func table(a, b []string) [][]int32 {
	if (len(a)+1)*(len(b)+1) > most {
		return nil
	}
	t := make([][]int32, len(a)+1)
	for i := range t {
		t[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				t[i][j] = t[i+1][j+1] + 1
			} else {
				t[i][j] = max(t[i+1][j], t[i][j+1])
			}
		}
	}
	return t
}
