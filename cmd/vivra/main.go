// Command vivra serves the web app, runs the agents and carries out the
// scheduled work.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands is the command line. Each command calls one function of app/boot.
type commands struct {
	Serve   serve         `cmd:"" help:"Migrate the database, then serve the web app, run the agents and carry out the scheduled work."`
	Migrate migrate       `cmd:"" help:"Bring the database's schema up to date and end."`
	Replay  replayCommand `cmd:"" help:"Play stored runs again, offline, and show what is not as it was stored."`
	Doctor  examine       `cmd:"" help:"Look at every outside service and say what is wrong and what to do. Changes nothing; asking the models costs a little."`
	Prices  prices        `cmd:"" help:"Import and show what models cost."`
	User    users         `cmd:"" help:"Add and list the members of the team, and let one in again who is locked out."`
	Scan    scanCommand   `cmd:"" help:"Look at a token: checks, score, and whether a takeover is possible. Needs a chain's endpoint, and no database, model or account."`
	Check   check         `cmd:"" help:"Hold drafts to the rules that an agent's are held to. Needs no database and no key."`
	Verify  verify        `cmd:"" help:"Recompute the hash chain of an exported log, and name the first row that does not fit."`
	Version version       `cmd:"" help:"Say which version this is."`
}

// Exit codes: 0 it holds, 1 it does not, 2 it was asked wrongly.
const (
	failed  = 1
	misused = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// surroundings is what a command gets of the world outside.
type surroundings struct {
	getenv func(string) string
	out    io.Writer
	log    *slog.Logger
}

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	around := surroundings{getenv, stdout, slog.New(slog.NewJSONHandler(stderr, nil))}
	parser, err := kong.New(new(commands), kong.Name("vivra"), kong.Writers(stdout, stderr),
		kong.Description("Gives an abandoned token to agents for thirty days, in public. Settings come from the environment: see .env.example."),
		kong.Help(help), kong.Exit(func(int) { panic(shown{}) }),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(around))
	if err != nil {
		panic(err) // the table of commands is malformed
	}
	chosen, err := parsed(parser, args)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "vivra: %v\nTry: %s --help\n", err, meant(err))
		return misused
	case chosen == nil:
		return 0
	}
	return around.exitCode(chosen.Run(), stderr)
}

// shown is what a parser gives up with when all that was asked of it is shown.
type shown struct{}

// parsed reads a command line; it returns nothing when that asked for help,
// which is shown by then.
func parsed(parser *kong.Kong, args []string) (chosen *kong.Context, err error) {
	defer func() {
		switch gone := recover().(type) {
		case nil, shown:
		default:
			panic(gone)
		}
	}()
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	return parser.Parse(args)
}

// help is kong's, and what every command ends with.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	err := kong.DefaultHelpPrinter(options, ctx)
	fmt.Fprintln(ctx.Stdout, "\nExit code: 0 it holds or is done, 1 it does not hold or failed, 2 it was asked\nwrongly or is not configured.")
	return err
}

// meant is the command that a faulty command line has named, as far as it has.
func meant(err error) string {
	var fault *kong.ParseError
	if errors.As(err, &fault) && fault.Context != nil && fault.Context.Selected() != nil {
		return fault.Context.Selected().FullPath()
	}
	return "vivra"
}

func (s surroundings) exitCode(err error, stderr io.Writer) int {
	var faults misconfigured
	var no doesNotHold
	var wrong misuse
	switch {
	case err == nil:
		return 0
	case errors.As(err, &faults):
		fmt.Fprintln(stderr, faults)
		return misused
	case errors.As(err, &wrong):
		fmt.Fprintln(stderr, "vivra:", wrong.error)
		return misused
	case errors.As(err, &no):
		fmt.Fprintln(stderr, no.error)
		return failed
	default:
		s.log.Error("stopped", "error", err)
		return failed
	}
}
