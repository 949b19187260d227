package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"vivra/app/boot"
	"vivra/app/paths"
)

type serve struct{}

// Run serves until the program is told to end.
func (serve) Run(ctx context.Context, s surroundings) error {
	e, faults := parse(s.getenv)
	if faults = append(faults, e.unready()...); len(faults) > 0 {
		return misconfigured(faults)
	}
	for _, off := range e.missing() {
		s.log.Warn("an outside service is not configured", "variables", strings.Join(off.needs, " "), "so", off.without)
	}
	key, err := e.secretKey(s.log)
	if err != nil {
		return err
	}
	cfg := e.config(key)
	cfg.ProbeModels = true
	cfg.Ready = func(_ *boot.App, invite string) {
		fmt.Fprintf(s.out, "Vivra serves %s\n", cfg.PublicURL)
		if invite != "" {
			fmt.Fprintf(s.out, "The first account is made here, once, within 48 hours: %s%s\n", cfg.PublicURL, paths.Setup(invite))
		}
	}
	return boot.Serve(ctx, cfg, s.log)
}

type migrate struct{}

// Run migrates and ends.
func (migrate) Run(ctx context.Context, s surroundings) error {
	e, faults := parse(s.getenv)
	if len(faults) > 0 {
		return misconfigured(faults)
	}
	return boot.Migrate(ctx, e.config(nil), s.log)
}

type version struct {
	JSON bool `help:"Answer in JSON." name:"json"`
}

// Run prints what the build knows of itself.
func (v version) Run(s surroundings) error {
	about := struct {
		Version string `json:"version"`
		Commit  string `json:"commit"`
		Go      string `json:"go"`
	}{"unknown", "unknown", runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		about.Version = info.Main.Version
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				about.Commit = setting.Value
			}
		}
	}
	if v.JSON {
		return json.NewEncoder(s.out).Encode(about)
	}
	_, err := fmt.Fprintf(s.out, "vivra %s (commit %s, %s)\n", about.Version, about.Commit, about.Go)
	return err
}
