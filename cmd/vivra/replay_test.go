package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/postgres"
	"vivra/app/private"
)

const noRun = "00000000-0000-0000-0000-000000000000"

func TestReplayAsksForOneThing(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"", "x", "--all --operation dodo", noRun + " --all", "--all --export f", "--operation dodo --export f", noRun + " --force"} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{"replay"}, strings.Fields(args)...), with(nil), &out, &errs); code != misused || errs.Len() == 0 {
			t.Errorf("replay %s ends in %d: %s%s", args, code, out.String(), errs.String())
		}
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	server, err := private.Start(t.Context(), private.Config{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.WithoutCancel(t.Context())) })
	dsn := server.DSN("postgres")
	replayed := func(code int, args ...string) (out, errs string) {
		t.Helper()
		var o, e bytes.Buffer
		got := run(t.Context(), append([]string{"replay"}, args...), with(map[string]string{"DATABASE_URL": dsn}), &o, &e)
		if got != code {
			t.Errorf("replay %v ends in %d, want %d: %s%s", args, got, code, &o, &e)
		}
		return o.String(), e.String()
	}
	if _, errs := replayed(misused, "--all"); !strings.Contains(errs, "run vivra migrate first") {
		t.Errorf("a database of somebody else: %s", errs)
	}
	id := begun(t, dsn)
	tape := filepath.Join(t.TempDir(), "tape.jsonl")
	if out, _ := replayed(0, id, "--export", tape); !strings.Contains(out, "identical") || !strings.Contains(out, "Wrote 0 exchanges to "+tape) {
		t.Errorf("it says %s", out)
	}
	if err := os.WriteFile(tape, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs := replayed(misused, id, "--export", tape); !strings.Contains(errs, tape+" is there already: name another file, or replace it with --force") {
		t.Errorf("over a file it says %s", errs)
	}
	if kept, err := os.ReadFile(tape); err != nil || string(kept) != "mine" {
		t.Errorf("the file holds %q, %v", kept, err)
	}
	if out, errs := replayed(0, id, "--export", tape, "--force", "--json"); !json.Valid([]byte(out)) || !strings.Contains(errs, "Wrote 0 exchanges") {
		t.Errorf("in JSON: %s%s", out, errs)
	}
	if kept, err := os.ReadFile(tape); err != nil || len(kept) != 0 {
		t.Errorf("the file holds %q, %v", kept, err)
	}
	replayed(misused, noRun, "--export", tape+"2")
	if _, err := os.Stat(tape + "2"); !os.IsNotExist(err) {
		t.Errorf("a run that is not there leaves a file: %v", err)
	}
	if info, err := os.Stat(tape); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the cassette: %v %v", info, err)
	}
	for _, args := range [][]string{{"--all"}, {"--operation", "dodo"}} {
		if out, _ := replayed(0, args...); !strings.Contains(out, "Identical: 1 of 1 run, with") {
			t.Errorf("%v says %s", args, out)
		}
	}
	for _, args := range [][]string{{noRun}, {"--operation", "nobody"}} {
		if _, errs := replayed(misused, args...); !strings.Contains(errs, "no such") {
			t.Errorf("%v says %s", args, errs)
		}
	}
	change(t, dsn, `UPDATE agent_runs SET turns = 1`)
	if out, errs := replayed(failed, id); !strings.Contains(out, "It has 0 turns, not the 1 that") || !strings.Contains(errs, "does not replay") {
		t.Errorf("a changed run: %s%s", out, errs)
	}
	out, _ := replayed(failed, "--all", "--json")
	var answer struct {
		Total struct{ Runs, Identical int }
		Runs  []struct {
			Differences []struct{ What string }
		}
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || answer.Total.Runs != 1 || answer.Total.Identical != 0 || answer.Runs[0].Differences[0].What != "turns" {
		t.Errorf("in JSON: %s %v", out, err)
	}
}

// begun is a database with one run in it that has said nothing yet.
func begun(t *testing.T, dsn string) (run string) {
	t.Helper()
	store, err := postgres.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	j0 := time.Date(2027, 1, 11, 9, 0, 0, 0, time.UTC)
	step := app.Step{Key: "scanner.daily_metrics", Task: "scanner.daily_metrics", Agent: "scanner", DueAt: j0, DependsOn: []string{}, After: []string{}}
	in := app.NewOperation{Token: app.Token{Ref: app.TokenRef{ChainID: 8453, Address: app.Address{1}}, Name: "Dodo", Symbol: "DODO"}, Slug: "dodo", J0: j0, Cap: app.Dollar}
	var op app.Operation
	var steps []app.Step
	var opened app.Run
	for _, do := range []func() error{
		func() error { return store.Migrate(t.Context()) },
		func() (err error) {
			op, err = store.CreateOperation(t.Context(), in, "dodo.vivra.example", []app.Step{step}, app.User{Name: "ada"}, j0)
			return err
		},
		func() error { return store.BeginOperation(t.Context(), op.ID, j0) },
		func() error { _, err := store.AdvanceSteps(t.Context(), op.ID, j0, j0); return err },
		func() (err error) { steps, err = store.Steps(t.Context(), op.ID); return err },
		func() (err error) {
			opened, _, err = store.OpenRun(t.Context(), app.Claim{OperationID: op.ID, StepID: steps[0].ID, Fence: steps[0].Fence},
				app.Run{Agent: "scanner", Task: step.Task, Model: "gpt-5", Budget: app.Dollar}, j0)
			return err
		},
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	return opened.ID
}

func change(t *testing.T, dsn, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err == nil {
		_, err = conn.Exec(t.Context(), sql)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close(t.Context())
}
