package replay

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"vivra/app"
)

// Write prints a report for people: turn by turn, what differs below.
func (r Report) Write(w io.Writer) {
	fmt.Fprintf(w, "Run %s: %s of %s, by %s on %s, %s\n", r.Run, r.Step, r.Operation, r.Agent, r.Model, r.State)
	for _, note := range r.Notes {
		fmt.Fprintln(w, "  note:", note)
	}
	for _, c := range r.Calls {
		fmt.Fprintf(w, "  %3d  turn %-2d  %-8s %-12.12s  %12s %-10s %-9s %s\n", c.N, c.Turn, c.state(), orDash(c.RequestSHA256), c.Cost, orDash(string(c.Source)), verdict(c.Identical), c.tools())
	}
	for _, d := range r.Differences {
		d.write(w)
	}
	if r.Astray > 1 {
		fmt.Fprintf(w, "  requests after it that differ too, as each holds all that came before it: %d\n", r.Astray-1)
	}
	if r.Identical {
		fmt.Fprintf(w, "  %s: %s\n", r.verdict(), r.Sum())
		return
	}
	fmt.Fprintf(w, "  DIFFERS: %s\n", app.Count(len(r.Differences), "time", "times"))
}

// Line is the report in one line.
func (r Report) Line() string {
	return fmt.Sprintf("%s  %-9s %-32s %s", r.Run, r.verdict(), r.Step, r.Sum())
}

// verdict is what was found in one word.
func (r Report) verdict() string {
	if r.Identical && r.Cleared {
		return "cleared"
	}
	return verdict(r.Identical)
}

func compared(calls, entries, results int, spent app.Nano) string {
	return fmt.Sprintf("%s, %s of transcripts, %s, %s", app.Count(calls, "call", "calls"), app.Count(entries, "entry", "entries"), app.Count(results, "tool result", "tool results"), spent)
}

// Sum says how much was compared.
func (r Report) Sum() string {
	return compared(len(r.Calls), r.Entries, r.Results, r.Spent)
}

func (d Difference) write(w io.Writer) {
	where := "run"
	switch {
	case d.Call > 0:
		where = fmt.Sprintf("call %d, turn %d", d.Call, d.Turn)
	case d.Turn > 0:
		where = fmt.Sprintf("turn %d", d.Turn)
	}
	fmt.Fprintf(w, "  DIFFERS, %s, %s: %s\n", where, d.What, d.Sentence)
	for line := range strings.Lines(d.Diff) {
		fmt.Fprintf(w, "      %s\n", strings.TrimSuffix(line, "\n"))
	}
}

func (c Call) state() string {
	switch {
	case c.Lost:
		return "lost"
	case c.RequestSHA256 == "":
		return "pictures"
	}
	return c.State
}

// tools are the names that an answer asked for, as far as they can be shown.
func (c Call) tools() string {
	shown := c.Tools
	if len(shown) > 6 {
		shown = append(shown[:6:6], fmt.Sprintf("and %d more", len(c.Tools)-6))
	}
	return strings.Trim(strconv.Quote(strings.Join(shown, ", ")), `"`)
}

func verdict(identical bool) string {
	if identical {
		return "identical"
	}
	return "DIFFERS"
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// String sums up in one sentence.
func (t Total) String() string {
	cleared := ""
	if t.Cleared > 0 {
		cleared = fmt.Sprintf(" (%d of them cleared, and not played)", t.Cleared)
	}
	return fmt.Sprintf("Identical: %d of %s%s, with %s.", t.Identical, app.Count(t.Runs, "run", "runs"), cleared, compared(t.Calls, t.Entries, t.Results, t.Spent))
}
