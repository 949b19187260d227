package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A screen is what fits on one, whatever was found.
const (
	screenLines = 40
	screenWidth = 100
	stateWidth  = 9
	nameWidth   = 16
	textWidth   = screenWidth - stateWidth - nameWidth
)

// Screen writes the report for people: what is broken first, each with what to
// do. The more there is to say, the closer it is set.
func (r Report) Screen() string {
	var lines []string
	for _, set := range []setting{{words: 4}, {words: 3, merged: true}, {words: 2, merged: true}, {words: 1, merged: true}} {
		if lines = append(set.lines(r.ordered()), "", r.sum()); len(lines) <= screenLines {
			break
		}
	}
	if over := len(lines) - screenLines; over > 0 {
		kept := lines[:screenLines-3]
		lines = append(slices.Clip(kept), fmt.Sprintf("and %d more: vivra doctor --json names them all", over+1), "", r.sum())
	}
	return strings.Join(lines, "\n") + "\n"
}

var severity = map[State]int{Broken: 0, Warning: 1, OK: 2, Off: 3}

func (r Report) ordered() []Finding {
	all := slices.Clone(r.Findings)
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(severity[a.State], severity[b.State]) })
	return all
}

// sum is the last line.
func (r Report) sum() string {
	var parts []string
	for _, state := range []State{Broken, Warning, OK, Off} {
		n := 0
		for _, f := range r.Findings {
			if f.State == state {
				n++
			}
		}
		if n > 0 || state == Broken {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	text := fmt.Sprintf("%s; looked for %.1f s", strings.Join(parts, ", "), float64(r.Took)/1000)
	if r.Cost > 0 {
		text += ", which cost " + r.Cost.String()
	}
	return text + "."
}

// setting is how closely the findings are set.
type setting struct {
	words  int  // the most lines of one finding
	merged bool // what is well or off is only named
}

func (s setting) lines(findings []Finding) []string {
	var lines []string
	named := map[State][]string{}
	for _, f := range findings {
		if s.merged && (f.State == OK || f.State == Off) {
			named[f.State] = append(named[f.State], f.Service)
			continue
		}
		lines = append(lines, s.finding(f)...)
	}
	for _, state := range []State{OK, Off} {
		if len(named[state]) > 0 {
			text := strings.Join(slices.Compact(named[state]), ", ")
			lines = append(lines, s.row(state, "", text)...)
		}
	}
	return lines
}

func (s setting) finding(f Finding) []string {
	text := f.Seen
	if f.Advice != "" {
		text = f.Advice
	}
	if f.Latency > 0 && f.Advice == "" {
		text += fmt.Sprintf(", %d ms", f.Latency)
	}
	return s.row(f.State, f.Service, text)
}

// row sets a text in its column; what does not fit into the lines it may take
// is cut.
func (s setting) row(state State, name, text string) []string {
	lines := wrap(text, textWidth)
	if len(lines) > s.words {
		last := strings.Join(lines[s.words-1:], " ")
		lines = append(lines[:s.words-1], clip(last, textWidth))
	}
	for i, line := range lines {
		if i > 0 {
			lines[i] = strings.Repeat(" ", stateWidth+nameWidth) + line
			continue
		}
		lines[i] = pad(string(state), stateWidth) + pad(clip(name, nameWidth-1), nameWidth) + line
	}
	return lines
}

// wrap breaks text at spaces into lines of a width, long words anywhere.
func wrap(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		for _, piece := range pieces(word, width) {
			last := &lines[len(lines)-1]
			switch {
			case *last == "":
				*last = piece
			case columns(*last)+1+columns(piece) <= width:
				*last += " " + piece
			default:
				lines = append(lines, piece)
			}
		}
	}
	return lines
}

// pieces cuts a word wherever it has reached the width.
func pieces(word string, width int) []string {
	var out []string
	from, room := 0, width
	for i, r := range word {
		if room < column(r) {
			out, from, room = append(out, word[from:i]), i, width
		}
		room -= column(r)
	}
	return append(out, word[from:])
}

// clip shortens text to a width.
func clip(text string, width int) string {
	if columns(text) <= width {
		return text
	}
	return pieces(text, width-1)[0] + "…"
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-columns(text)))
}

// columns is how much room text takes on a terminal.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += column(r)
	}
	return n
}

// column errs on the wide side: what is not of a script with narrow signs is
// taken for wide.
func column(r rune) int {
	if r < 0x1100 || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) || r >= 0x2010 && r <= 0x2027 {
		return 1
	}
	return 2
}
