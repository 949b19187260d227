package rehearsal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vivra/app/boot"
	"vivra/app/internal/testbrowser"
	"vivra/app/internal/testdb"
	"vivra/app/postgres"
	"vivra/app/rehearsal"
)

// TestMain runs the tests, or is one of the application processes they start.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == memberArg {
		os.Exit(beMember(os.Args[2]))
	}
	testdb.Main(m, testbrowser.Stop)
}

const memberArg = "be-a-member"

// memberSpec is what such a process is told.
type memberSpec struct {
	Place rehearsal.Place
	Lease time.Duration
	// It kills itself as kill -9 does the Nth time it reaches Point.
	Point string
	Nth   int64
	// Collector hears of its runs; empty: nobody does.
	Collector string
}

func beMember(text string) int {
	var spec memberSpec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	err := rehearsal.Join(ctx, rehearsal.Member{Place: spec.Place, Addr: "127.0.0.1:0", Lease: spec.Lease, Reached: spec.watch(ctx),
		Telemetry: boot.Telemetry{Traces: spec.Collector != "", Collector: spec.Collector},
		Log:       slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), Say: func(s string) { fmt.Println(s) }})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// watch tells the test of each point on standard output, and dies at the one
// named. Beside the labelled ones there is "pictured": a tool is done, and
// pictures have been paid.
func (s memberSpec) watch(ctx context.Context) func(string) {
	var seen atomic.Int64
	return func(point string) {
		fmt.Println("reached", point)
		if s.Point == "pictured" && point == "tool_done" && s.pictured(ctx) {
			point = s.Point
		}
		if point == s.Point && seen.Add(1) == s.Nth {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
	}
}

func (s memberSpec) pictured(ctx context.Context) bool {
	store, err := postgres.Open(ctx, s.Place.DatabaseURL)
	if err != nil {
		return false
	}
	defer store.Close()
	costs, err := store.LogCosts(ctx, 1)
	return err == nil && slices.ContainsFunc(costs, func(c postgres.CostByAgent) bool { return c.Model == boot.ImageModel && c.Cost > 0 })
}
