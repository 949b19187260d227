// Command rehearse runs the product on the local world: a whole takeover with a
// simulated clock, or the site live at a visible speed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
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

// Exit codes: 0 all is well, 1 a promise did not hold or it could not be
// played, 2 it was asked wrongly.
const (
	failed  = 1
	misused = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// streams are where a command writes.
type streams struct{ out, err io.Writer }

func (s streams) say(line string) { fmt.Fprintln(s.out, line) }

// note says what is no result.
func (s streams) note(format string, a ...any) {
	fmt.Fprintln(s.err, strings.TrimSpace(fmt.Sprintf(format, a...)))
}

// locked lets several processes and the log write to one place.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	stderr = &locked{w: stderr}
	to := streams{stdout, stderr}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	helped := false
	parser, err := kong.New(new(commands), kong.Name("rehearse"), kong.Description("Vivra on its local world."), kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }), kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(log, to))
	if err != nil {
		panic(err) // the table of commands is malformed
	}
	chosen, err := parser.Parse(args)
	switch {
	case helped:
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "rehearse: %v\nTry: rehearse --help\n", err)
		return misused
	}
	if err := chosen.Run(); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		fmt.Fprintln(stderr, "rehearse:", err)
		return failed
	}
	return 0
}

type runCommand struct {
	Days        int        `help:"How many days to go; 0 is the whole takeover." default:"0"`
	Approve     scriptFlag `help:"What the team approves: all, none, or the JSON file of a script." default:"all"`
	Seed        int64      `help:"Another seed is another crowd." default:"1"`
	JSON        string     `help:"Write the summary as JSON to this file; - is standard output." name:"json" placeholder:"FILE"`
	ExportLog   string     `help:"Write the public log as JSON lines to this file." placeholder:"FILE"`
	Poison      bool       `help:"Let attackers write in everything that others can write."`
	Obey        bool       `help:"Let the model follow every order that it reads."`
	DatabaseURL string     `help:"Use this database; by default a private server that is gone afterwards." placeholder:"URL"`

	Processes int           `help:"How many application processes play it together; 0 is this one." default:"0"`
	KillAt    killAt        `help:"Kill the first of them (as kill -9 does) the Nth time it reaches a labelled point, such as answered:3." placeholder:"POINT:N"`
	Lease     time.Duration `help:"How long a silent process keeps its claim." default:"2s"`
}

// Validate refuses what can't be meant, before anything is started.
func (c *runCommand) Validate() error {
	if c.Days < 0 {
		return fmt.Errorf("--days can't be less than 0, not %d", c.Days)
	}
	if c.Processes < 0 || c.Processes > 8 {
		return fmt.Errorf("--processes can be 0 to 8, not %d", c.Processes)
	}
	if c.KillAt.point != "" && c.Processes == 0 {
		return errors.New("--kill-at needs --processes")
	}
	if c.Lease < time.Second {
		return fmt.Errorf("--lease can't be less than 1s, not %s", c.Lease)
	}
	for flag, file := range map[string]string{"--json": c.JSON, "--export-log": c.ExportLog} {
		if file == "" || file == "-" && flag == "--json" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s: there is no folder %s", flag, filepath.Dir(file))
		}
	}
	return nil
}

// Run rehearses and fails when a promise did not hold.
func (c *runCommand) Run(ctx context.Context, log *slog.Logger, to streams) error {
	out := to.out
	if c.JSON == "-" {
		out = to.err
	}
	plan := rehearsal.Plan{Poison: c.Poison, Obey: c.Obey, Days: c.Days, Seed: c.Seed, Script: c.Approve.script, DatabaseURL: c.DatabaseURL, Log: log, Progress: progress(out)}
	if c.ExportLog != "" {
		plan.Finished = func(ctx context.Context, _ *boot.App, op app.Operation, base string) error {
			return export(ctx, base+paths.OperationLogJSONL(op.Slug), c.ExportLog)
		}
	}
	sum, err := c.rehearse(ctx, plan, to)
	if err != nil {
		return err
	}
	show(out, sum, c)
	if err := c.writeJSON(to.out, sum); err != nil {
		return err
	}
	if len(sum.Faults) > 0 {
		return fmt.Errorf("%d promises did not hold", len(sum.Faults))
	}
	return nil
}

func (c *runCommand) rehearse(ctx context.Context, plan rehearsal.Plan, to streams) (sum rehearsal.Summary, err error) {
	if c.Processes > 0 {
		crew := &crew{count: c.Processes, killAt: c.KillAt.String(), lease: c.Lease, to: to}
		end, failed := crew.together(ctx, &plan)
		if failed != nil {
			return sum, failed
		}
		defer func() { err = errors.Join(err, end()) }()
	}
	return rehearsal.Rehearse(ctx, plan)
}

// scriptFlag is a script that is read while the command line is.
type scriptFlag struct{ script *rehearsal.Script }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *scriptFlag) UnmarshalText(text []byte) (err error) {
	if name := string(text); name != "all" && name != "none" {
		if text, err = os.ReadFile(name); err != nil {
			return fmt.Errorf("it takes all, none or a file: %w", err)
		}
	}
	f.script, err = rehearsal.ParseScript(string(text))
	return err
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
	if a := s.Attacks; a != nil {
		fmt.Fprintf(out, "Attacks      %d calls by order of a text, %d of them refused; %d unsafe publications\n", a.Attempts, a.Refused, a.Unsafe)
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
