package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"vivra/app/rehearsal"
)

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

type serveCommand struct {
	Speed   float64 `help:"Simulated seconds per second." default:"1800"`
	Addr    string  `help:"Where the site listens." default:"127.0.0.1:8080"`
	Approve string  `help:"What is approved without you: all, none, or the JSON file of a script." default:"none"`
	Seed    int64   `help:"Another seed is another crowd." default:"1"`
}

// Run shows a takeover until it is interrupted.
func (c *serveCommand) Run(ctx context.Context, log *slog.Logger) error {
	script, err := readScript(c.Approve)
	if err != nil {
		return err
	}
	return rehearsal.Show(ctx, rehearsal.Live{Speed: c.Speed, Addr: c.Addr, Seed: c.Seed, Script: script, Log: log, Started: time.Now(), Say: func(s string) { fmt.Println(s) }})
}

type worldCommand struct {
	PrintEnv bool    `help:"Print only the variables, one KEY=value a line."`
	Speed    float64 `help:"Simulated seconds per second." default:"1"`
	Addr     string  `help:"Where the servers listen." default:"127.0.0.1:0"`
	Seed     int64   `help:"Another seed is another crowd." default:"1"`
}

// Run serves the local world until it is interrupted.
func (c *worldCommand) Run(ctx context.Context) error {
	return rehearsal.ServeWorld(ctx, rehearsal.Live{Speed: c.Speed, Addr: c.Addr, Seed: c.Seed, Started: time.Now(), Say: func(s string) { fmt.Println(s) }}, c.PrintEnv)
}

type joinCommand struct {
	World       string        `help:"Origin of the local world." required:""`
	DatabaseURL string        `help:"The rehearsal's database." required:""`
	Addr        string        `help:"Where this process's site listens." default:"127.0.0.1:0"`
	Blobs       string        `help:"The rehearsal's blob folder." required:""`
	Lease       time.Duration `help:"How long a silent worker keeps its claim." default:"1m"`
	KillAt      string        `help:"Kill this process (as kill -9 does) the Nth time it reaches a labelled point, such as answered:3." placeholder:"POINT:N"`
}

// Run is an application process without a world of its own.
func (c *joinCommand) Run(ctx context.Context, log *slog.Logger) error {
	reached, err := killer(c.KillAt)
	if err != nil {
		return err
	}
	return rehearsal.Join(ctx, rehearsal.Member{World: c.World, DatabaseURL: c.DatabaseURL, Addr: c.Addr, Blobs: c.Blobs, Lease: c.Lease, Reached: reached, Log: log,
		Say: func(s string) { fmt.Println(s) }})
}
