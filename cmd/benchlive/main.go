// Command benchlive measures how quickly and how cheaply a crowd is shown what
// happens on a live page, beside a plain fan-out in the same run.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

type commands struct {
	Run   runCommand   `cmd:"" default:"withargs" help:"Measure both kinds of servers and compare them."`
	Serve serveCommand `cmd:"" hidden:"" help:"Be one of the servers that are measured."`
}

type runCommand struct {
	Viewers []int         `default:"1000,5000,10000" help:"How many look at the page at once, one figure a round."`
	Stalled int           `default:"0" help:"How many more have it open and read nothing."`
	Rate    float64       `default:"1" help:"Lines of the log a second."`
	Lasts   time.Duration `default:"20s" help:"How long each round is measured."`
	Breaks  float64       `default:"0.2" help:"Which share of the viewers lose their connection in a round, and come back."`
}

// Exit codes: 0 all is well, 1 a line was lost or came twice, or it could not be
// measured, 2 it was asked wrongly.
const (
	failed  = 1
	misused = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	var c commands
	code := -1
	parser, err := kong.New(&c, kong.Name("benchlive"), kong.Writers(out, errs), kong.Exit(func(n int) { code = n }),
		kong.Description("Measures the live page under a crowd, beside a plain fan-out."))
	if err != nil {
		fmt.Fprintln(errs, err)
		return failed
	}
	chosen, err := parser.Parse(args)
	if code >= 0 {
		return code
	}
	if err != nil {
		fmt.Fprintln(errs, err)
		return misused
	}
	chosen.BindTo(ctx, (*context.Context)(nil))
	chosen.BindTo(in, (*io.Reader)(nil))
	chosen.BindTo(out, (*io.Writer)(nil))
	if err := chosen.Run(); err != nil {
		fmt.Fprintln(errs, err)
		return failed
	}
	return 0
}
