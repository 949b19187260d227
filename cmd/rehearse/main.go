// Command rehearse runs the product on the local world: a whole takeover with a
// simulated clock, or the site live at a visible speed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
	Approve     scriptFlag `help:"What the team decides: usual (nearly all is approved), all, none, or the JSON file of a script." default:"usual"`
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
	plan := rehearsal.Plan{Poison: c.Poison, Obey: c.Obey, Days: c.Days, Seed: c.Seed, Script: c.Approve.script, DatabaseURL: c.DatabaseURL, Log: log, Progress: progress(out), Told: told(out)}
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
		return fmt.Errorf("%s did not hold", app.Count(len(sum.Faults), "promise", "promises"))
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
	if name := string(text); name != "usual" && name != "all" && name != "none" {
		if text, err = os.ReadFile(name); err != nil {
			return fmt.Errorf("it takes usual, all, none or a file: %w", err)
		}
	}
	f.script, err = rehearsal.ParseScript(string(text))
	return err
}
