package ui

import (
	"regexp"
	"slices"
	"strings"
)

// Edit is a piece of text in two drafts: kept, added or removed.
type Edit struct {
	Kind rune // '=', '+', '-'
	Text string
}

var words = regexp.MustCompile(`\s+|[\pL\pN_'’]+|[^\s\pL\pN_'’]`)

// maxDiffWords bounds the work: longer texts are shown as removed and added whole.
const maxDiffWords = 1000

// Diff compares two texts word by word.
func Diff(before, after string) []Edit {
	a, b := words.FindAllString(before, -1), words.FindAllString(after, -1)
	if len(a)*len(b) > maxDiffWords*maxDiffWords {
		return []Edit{{'-', before}, {'+', after}}
	}
	return bridge(merge(walkBack(a, b, common(a, b))))
}

// common fills the table of longest common subsequences of a[i:] and b[j:].
func common(a, b []string) [][]int32 {
	table := make([][]int32, len(a)+1)
	for i := range table {
		table[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

func walkBack(a, b []string, table [][]int32) []Edit {
	var edits []Edit
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			edits = append(edits, Edit{'=', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && table[i+1][j] >= table[i][j+1]:
			edits = append(edits, Edit{'-', a[i]})
			i++
		default:
			edits = append(edits, Edit{'+', b[j]})
			j++
		}
	}
	return edits
}

// bridge joins changes that only a blank stands between: a changed phrase reads
// as one that was removed and one that was added.
func bridge(edits []Edit) []Edit {
	var joined []Edit
	var removed, added string
	flush := func() {
		for _, e := range []Edit{{'-', removed}, {'+', added}} {
			if e.Text != "" {
				joined = append(joined, e)
			}
		}
		removed, added = "", ""
	}
	for i, e := range edits {
		inside := i > 0 && i < len(edits)-1 && removed+added != "" && strings.TrimSpace(e.Text) == ""
		switch {
		case e.Kind == '-':
			removed += e.Text
		case e.Kind == '+':
			added += e.Text
		case inside:
			removed, added = removed+e.Text, added+e.Text
		default:
			flush()
			joined = append(joined, e)
		}
	}
	flush()
	return joined
}

// merge joins neighbours of one kind, so that a changed phrase reads as one.
func merge(edits []Edit) []Edit {
	var merged []Edit
	for _, e := range edits {
		if n := len(merged); n > 0 && merged[n-1].Kind == e.Kind {
			merged[n-1].Text += e.Text
			continue
		}
		merged = append(merged, e)
	}
	return slices.Clip(merged)
}
