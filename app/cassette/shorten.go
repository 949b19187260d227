package cassette

import "unicode/utf8"

// width is how much of a line is shown, in bytes.
const width = 200

// shorten cuts long lines: those that replace each other around the place where
// they begin to differ, others at their end.
func shorten(edits []edit) {
	for i := 0; i < len(edits); {
		gone := run(edits[i:], '-')
		come := run(edits[i+gone:], '+')
		for k := range max(gone, come) {
			at := 0
			if k < gone && k < come {
				at = differ(edits[i+k].line, edits[i+gone+k].line)
			}
			if k < gone {
				edits[i+k].line = window(edits[i+k].line, at)
			}
			if k < come {
				edits[i+gone+k].line = window(edits[i+gone+k].line, at)
			}
		}
		if i += gone + come; gone+come == 0 {
			edits[i].line = window(edits[i].line, 0)
			i++
		}
	}
}

func run(edits []edit, op byte) (n int) {
	for n < len(edits) && edits[n].op == op {
		n++
	}
	return n
}

func differ(a, b string) (at int) {
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	return at
}

// window is the part of a line around one place, cut between runes.
func window(line string, at int) string {
	if len(line) <= width {
		return line
	}
	from := min(max(0, at-width/2), len(line)-width)
	to := from + width
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	text := line[from:to]
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
