package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"vivra/app/boot"
	"vivra/app/rehearsal"
)

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

type serveCommand struct {
	Speed    speed         `help:"Simulated seconds per second." default:"600"`
	Addr     string        `help:"Where the site listens." default:"localhost:8080"`
	Approve  scriptFlag    `help:"What is decided without you: usual (nearly all is approved), all, none, or the JSON file of a script." default:"usual"`
	Patience time.Duration `help:"How long an output waits for you before it is approved without you." default:"10s"`
	Seed     int64         `help:"Another seed is another crowd." default:"1"`
	Poison   bool          `help:"Let attackers write in everything that others can write."`
	Obey     bool          `help:"Let the model follow every order that it reads."`

	DatabaseURL string `help:"Use this database, which must be empty; by default a private server that is gone afterwards." placeholder:"URL"`

	Metrics   string `help:"Where /metrics is served, such as 127.0.0.1:9464; by default nowhere." placeholder:"HOST:PORT"`
	Collector string `help:"Collector that is sent the traces of runs, such as http://127.0.0.1:4318; by default none." placeholder:"URL"`
}

// telemetry is who hears of the runs.
func (c *serveCommand) telemetry() boot.Telemetry {
	t := boot.Telemetry{MetricsAddr: c.Metrics}
	if c.Collector != "" {
		t.Traces, t.Collector = true, strings.TrimRight(c.Collector, "/")+"/v1/traces"
	}
	return t
}

// speed is more than nothing.
type speed float64

// Validate implements kong's check of a value.
func (s speed) Validate() error {
	if !(s > 0) || s > 1e7 {
		return fmt.Errorf("the speed must be more than 0 and at most 10000000, not %v", float64(s))
	}
	return nil
}

// Run shows a takeover until it is interrupted.
func (c *serveCommand) Run(ctx context.Context, log *slog.Logger, to streams) error {
	return rehearsal.Show(ctx, rehearsal.Live{Speed: float64(c.Speed), Addr: c.Addr, Seed: c.Seed, Poison: c.Poison, Obey: c.Obey, Script: c.Approve.script, DatabaseURL: c.DatabaseURL, Patience: c.Patience, Telemetry: c.telemetry(), Log: log, Started: time.Now(), Say: to.say})
}

type worldCommand struct {
	PrintEnv bool   `help:"Print only the variables, one KEY=value a line."`
	Speed    speed  `help:"Simulated seconds per second." default:"1"`
	Addr     string `help:"Where the servers listen." default:"127.0.0.1:0"`
	Seed     int64  `help:"Another seed is another crowd." default:"1"`
}

// Run serves the local world until it is interrupted.
func (c *worldCommand) Run(ctx context.Context, to streams) error {
	return rehearsal.ServeWorld(ctx, rehearsal.Live{Speed: float64(c.Speed), Addr: c.Addr, Seed: c.Seed, Started: time.Now(), Say: to.say}, c.PrintEnv)
}

type joinCommand struct {
	World       string        `help:"Origin of the local world." required:""`
	DatabaseURL string        `help:"The rehearsal's database." required:""`
	Addr        string        `help:"Where this process's site listens." default:"127.0.0.1:0"`
	PublicURL   string        `help:"Where the site is for everyone; by default where this process serves it." placeholder:"URL"`
	Blobs       string        `help:"The rehearsal's blob folder." required:""`
	Lease       time.Duration `help:"How long a silent worker keeps its claim." default:"1m"`
	KillAt      killAt        `help:"Kill this process (as kill -9 does) the Nth time it reaches a labelled point, such as answered:3." placeholder:"POINT:N"`
}

// Run is an application process without a world of its own.
func (c *joinCommand) Run(ctx context.Context, log *slog.Logger, to streams) error {
	at := rehearsal.Place{World: c.World, DatabaseURL: c.DatabaseURL, Blobs: c.Blobs, PublicURL: c.PublicURL}
	return rehearsal.Join(ctx, rehearsal.Member{Place: at, Addr: c.Addr, Lease: c.Lease, Reached: c.KillAt.watch(), Log: log, Say: to.say})
}
