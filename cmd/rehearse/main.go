// Command rehearse runs the product on the local world: a whole takeover with a
// simulated clock, or the site live at a visible speed.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/paths"
	"vivra/app/rehearsal"
)

type commands struct {
	Run   runCommand   `cmd:"" default:"withargs" help:"Rehearse a whole takeover, headless, and sum it up."`
	Serve serveCommand `cmd:"" help:"Show a takeover live at a visible speed."`
	World worldCommand `cmd:"" help:"Start the local servers alone and print the variables that point vivra at them."`
	Join  joinCommand  `cmd:"" help:"Run one more application process on the database and local world of a rehearsal."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c commands
	k := kong.Parse(&c, kong.Name("rehearse"), kong.Description("Vivra on its local world."), kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))))
	if err := k.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "rehearse:", err)
		os.Exit(1)
	}
}

type runCommand struct {
	Days        int    `help:"How many days to go; 0 is the whole takeover." default:"0"`
	Approve     string `help:"What the team approves: all, none, or the JSON file of a script." default:"all"`
	Seed        int64  `help:"Another seed is another crowd." default:"1"`
	JSON        string `help:"Write the summary as JSON to this file; - is standard output." name:"json" placeholder:"FILE"`
	ExportLog   string `help:"Write the public log as JSON lines to this file." placeholder:"FILE"`
	DatabaseURL string `help:"Use this database; by default a private server that is gone afterwards." placeholder:"URL"`
}

// Run rehearses and fails when a promise did not hold.
func (c *runCommand) Run(ctx context.Context, log *slog.Logger) error {
	script, err := readScript(c.Approve)
	if err != nil {
		return err
	}
	out := os.Stdout
	if c.JSON == "-" {
		out = os.Stderr
	}
	plan := rehearsal.Plan{Days: c.Days, Seed: c.Seed, Script: script, DatabaseURL: c.DatabaseURL, Log: log, Progress: progress(out)}
	if c.ExportLog != "" {
		plan.Finished = func(ctx context.Context, _ *boot.App, op app.Operation, base string) error {
			return export(ctx, base+paths.OperationLogJSONL(op.Slug), c.ExportLog)
		}
	}
	sum, err := rehearsal.Rehearse(ctx, plan)
	if err != nil {
		return err
	}
	show(out, sum, c)
	if err := writeJSON(c.JSON, sum); err != nil {
		return err
	}
	if len(sum.Faults) > 0 {
		return fmt.Errorf("%d promises did not hold", len(sum.Faults))
	}
	return nil
}

func readScript(approve string) (*rehearsal.Script, error) {
	if approve == "all" || approve == "none" {
		return rehearsal.ParseScript(approve)
	}
	raw, err := os.ReadFile(approve)
	if err != nil {
		return nil, fmt.Errorf("--approve takes all, none or a file: %w", err)
	}
	return rehearsal.ParseScript(string(raw))
}

func progress(out io.Writer) func(time.Time, app.Step) {
	n := 0
	return func(now time.Time, s app.Step) {
		n++
		fmt.Fprintf(out, "%3d  %s  %-10s %-32s %s\n", n, now.UTC().Format("Jan 02 15:04"), s.State, s.Key, s.Cost)
	}
}

func show(out io.Writer, s rehearsal.Summary, c *runCommand) {
	fmt.Fprintf(out, "\nOperation %s: %s, verdict %s.\n", s.Slug, s.State, orNone(s.Verdict))
	fmt.Fprintf(out, "Steps        %s\n", counts(s.Steps))
	fmt.Fprintf(out, "Outputs      %s\n", counts(s.Validations))
	fmt.Fprintf(out, "Publications %s (as the local servers saw them)\n", counts(s.Published))
	fmt.Fprintf(out, "Cost         %s of %s; %d log entries sum to %s\n", s.Spent, s.Cap, s.LogEntries, s.LogCost)
	for _, a := range s.Cost {
		fmt.Fprintf(out, "             %-9s %-12s %s\n", a.Agent, a.Model, a.Cost)
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

func counts(m map[string]int) string {
	var parts []string
	for _, k := range sortedKeys(m) {
		parts = append(parts, fmt.Sprintf("%d %s", m[k], k))
	}
	return strings.Join(parts, ", ")
}

func writeJSON(file string, sum rehearsal.Summary) error {
	if file == "" {
		return nil
	}
	b, err := json.MarshalIndent(sum, "", "  ")
	if err != nil {
		return err
	}
	if file == "-" {
		_, err = fmt.Println(string(b))
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
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
