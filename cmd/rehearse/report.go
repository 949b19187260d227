package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/rehearsal"
)

func progress(out io.Writer) func(time.Time, app.Step) {
	n := 0
	return func(now time.Time, s app.Step) {
		n++
		fmt.Fprintf(out, "%3d  %s  %-10s %-32s %s\n", n, now.UTC().Format("Jan 02 15:04"), s.State, s.Key, s.Cost)
	}
}

// told writes what people did beside approving between the steps.
func told(out io.Writer) func(time.Time, string, string) {
	return func(now time.Time, what, step string) {
		fmt.Fprintf(out, "     %s  a person %s %s\n", now.UTC().Format("Jan 02 15:04"), what, step)
	}
}

func show(out io.Writer, s rehearsal.Summary, c *runCommand) {
	fmt.Fprintf(out, "\nOperation %s: %s, verdict %s.\n", s.Slug, s.State, orNone(s.Verdict))
	fmt.Fprintf(out, "Steps        %s\n", counts(s.Steps))
	fmt.Fprintf(out, "Outputs      %s\n", counts(s.Validations))
	fmt.Fprintf(out, "Decisions    %s\n", counts(s.Decisions))
	fmt.Fprintf(out, "Publications %s (as the local servers saw them)\n", counts(s.Published))
	fmt.Fprintf(out, "             %s arrived as approved, to the byte\n", app.Count(sumOf(s.Matched), "call", "calls"))
	fmt.Fprintf(out, "Cost         %s of %s; %d log entries sum to %s\n", s.Spent, s.Cap, s.LogEntries, s.LogCost)
	for _, a := range s.Cost {
		fmt.Fprintf(out, "             %-9s %-12s %s\n", a.Agent, a.Model, a.Cost)
	}
	fmt.Fprintf(out, "X            charged %s for posts and alt texts, %s was shown before their approvals\n", s.X.Charged.Posts+s.X.Charged.AltTexts, s.X.Shown)
	fmt.Fprintf(out, "             %s of its reads are the operation's, %s is booked for them\n", s.X.Billed, s.X.Reads)
	if a := s.Attacks; a != nil {
		fmt.Fprintf(out, "Attacks      %s by order of a text, %d of them refused; %s\n", app.Count(a.Attempts, "call", "calls"), a.Refused, app.Count(a.Unsafe, "unsafe publication", "unsafe publications"))
		fmt.Fprintf(out, "             refusals by rule: %s\n", counts(a.Rules))
		fmt.Fprintf(out, "             open alerts: %s\n", counts(a.Alerts))
	}
	fmt.Fprintf(out, "Log head     %s\n", s.HeadHash)
	fmt.Fprintf(out, "Time         %s simulated in %s\n", time.Duration(s.Simulated)*time.Second, (time.Duration(s.WallMS) * time.Millisecond).Round(100*time.Millisecond))
	for _, f := range s.Faults {
		fmt.Fprintln(out, "FAULT       ", f)
	}
	fmt.Fprintln(out, "\nWhere to look")
	if c.ExportLog != "" {
		fmt.Fprintln(out, "  the public log:", c.ExportLog)
	}
	fmt.Fprintln(out, "  the site, live: make run")
	fmt.Fprintln(out, "  the public log as a file: make rehearse ARGS='--export-log log.jsonl'")
	fmt.Fprintln(out, "  this summary as JSON: make rehearse ARGS='--json -'")
}

func orNone(s string) string {
	if s == "" {
		return "none yet"
	}
	return strings.ReplaceAll(s, "_", " ")
}

func sumOf(m map[string]int) (n int) {
	for _, each := range m {
		n += each
	}
	return n
}

func counts(m map[string]int) string {
	var parts []string
	for _, k := range sortedKeys(m) {
		parts = append(parts, fmt.Sprintf("%d %s", m[k], k))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func (c *runCommand) writeJSON(stdout io.Writer, sum rehearsal.Summary) error {
	if c.JSON == "" {
		return nil
	}
	b, err := json.MarshalIndent(sum, "", "  ")
	if err != nil {
		return fmt.Errorf("encode summary: %w", err)
	}
	if c.JSON == "-" {
		_, err = fmt.Fprintln(stdout, string(b))
		return err
	}
	return os.WriteFile(c.JSON, append(b, '\n'), 0o644)
}

func export(ctx context.Context, url, file string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, res.Body); err != nil {
		return err
	}
	return f.Close()
}
