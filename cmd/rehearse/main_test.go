package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
	"vivra/app/private"
	"vivra/app/rehearsal"
)

// TestMain runs the tests, or is a process that one of them started.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "join" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(script, []byte(`{"decisions":[{"step":"*","decide":"ponder"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, says := range map[string]string{
		"--days=-1":                      "--days can't be less than 0",
		"--days soon":                    "--days: expected",
		"--approve nobody.json":          "usual, all, none or a file",
		"--approve " + script:            "must be approve, reject, leave, undo",
		"--json /no/such/folder/sum":     "--json: there is no folder /no/such/folder",
		"--export-log /no/such/folder/l": "--export-log: there is no folder",
		"--loud":                         "unknown flag --loud",
		"conquer":                        "unexpected argument conquer",
		"--kill-at sent:1":               "--kill-at needs --processes",
		"--processes 9":                  "--processes can be 0 to 8",
		"--processes 1 --lease 1ms":      "--lease can't be less than 1s",
		"serve --speed 0":                "must be more than 0",
		"world --speed NaN":              "must be more than 0",
		"join":                           "missing flags",
		"join --world u --database-url u --blobs d --kill-at answered": "such as answered:3",
	} {
		var errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(args), io.Discard, &errs); code != misused || !strings.Contains(errs.String(), says) {
			t.Errorf("%s: exit %d, %q lacks %q", args, code, &errs, says)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"--help"}, &out, io.Discard); code != 0 || !strings.Contains(out.String(), "rehearse <command>") {
		t.Errorf("exit %d: %s", code, &out)
	}
}

func TestRunWritesWhatItIsAsked(t *testing.T) {
	t.Parallel()
	server, err := private.Start(t.Context(), private.Config{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	folder := t.TempDir()
	sumFile, logFile := filepath.Join(folder, "sum.json"), filepath.Join(folder, "log.jsonl")
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"--days", "1", "--seed", "5", "--database-url", server.DSN("postgres"), "--json", sumFile, "--export-log", logFile}, &out, &errs)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	raw, err := os.ReadFile(sumFile)
	if err != nil {
		t.Fatal(err)
	}
	var sum struct {
		Steps       map[string]int                  `json:"steps"`
		Validations map[string]int                  `json:"validations"`
		Decisions   map[string]int                  `json:"decisions"`
		Published   map[string]int                  `json:"publications"`
		Matched     map[string]int                  `json:"matched"`
		Cost        []struct{ Agent, Model string } `json:"cost_nusd"`
		Entries     int                             `json:"log_entries"`
		LogCost     app.Nano                        `json:"log_cost_nusd"`
		Head        string                          `json:"head_hash"`
		Simulated   int64                           `json:"simulated_seconds"`
		WallMS      int64                           `json:"wall_ms"`
	}
	if err := json.Unmarshal(raw, &sum); err != nil {
		t.Fatal(err)
	}
	if sum.Steps["done"] < 9 || sum.Validations["approved"] == 0 || sum.Published["x.post"] == 0 || len(sum.Cost) == 0 || sum.Head == "" || sum.Simulated == 0 || sum.WallMS == 0 {
		t.Errorf("the summary is %s", raw)
	}
	lines, err := os.ReadFile(logFile)
	if err != nil || bytes.Count(lines, []byte("\n")) != sum.Entries {
		t.Errorf("the log has %d lines, want %d (%v)", bytes.Count(lines, []byte("\n")), sum.Entries, err)
	}
	if sum.Decisions["withdrawn"] != 1 || sum.Decisions["edited"] != 1 || sum.Matched["x.post"] != sum.Published["x.post"] {
		t.Errorf("people did %v; as approved arrived %v of %v", sum.Decisions, sum.Matched, sum.Published)
	}
	for _, want := range []string{"scanner.full_report", sum.LogCost.String(), sum.Head, "Where to look", logFile, "a person took back the approval of tg.setup", "a person edited designer.poll",
		"1 edited, 1 withdrawn", "arrived as approved, to the byte"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the terminal lacks %q", want)
		}
	}
}

func TestProcessesOfTheirOwn(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if code := run(t.Context(), strings.Fields("--days 1 --processes 1 --kill-at settled:3 --lease 1s"), &out, &errs); code != 0 {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"process 1: ready http://127.0.0.1:", "process 1 was killed at settled:3"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("%s lacks %q", &errs, want)
		}
	}
	if !strings.Contains(out.String(), "scanner.go_nogo") {
		t.Errorf("it says %s", &out)
	}
}

// lines hands on what a command says, line by line.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		l <- strings.TrimSpace(line)
	}
	return len(b), nil
}

// background runs a command until stop, which returns its exit code.
func background(t *testing.T, args ...string) (said lines, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	said = make(lines, 100)
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, args, said, t.Output())
		close(said)
	}()
	return said, func() int {
		cancel()
		select {
		case code := <-ended:
			return code
		case <-time.After(20 * time.Second):
			t.Fatal("it does not stop")
			return failed
		}
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	said, stop := background(t, "serve", "--addr", "localhost:0", "--speed", "3600")
	found := map[string]string{}
	for line := range said {
		name, rest, _ := strings.Cut(line, "  ")
		found[name], found[name+", whole"] = strings.Fields(rest + " .")[0], rest
		if name == "real services" {
			break
		}
	}
	for _, name := range []string{"the public page", "your admin link", "the queue"} {
		res, err := http.Get(strings.TrimSuffix(found[name], ":"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusOK || !bytes.Contains(body, []byte("<main")) {
			t.Errorf("%s answers %s", found[name], res.Status)
		}
	}
	if !strings.Contains(found["play runs again, whole"], " go run ./cmd/vivra replay") {
		t.Errorf("it says %q", found["play runs again, whole"])
	}
	dsn := strings.Trim(strings.TrimPrefix(found["play runs again"], "DATABASE_URL="), "'")
	if n := operations(t, dsn); n != 1 {
		t.Errorf("%d operations at %s", n, dsn)
	}
	undone(t, dsn, 10*time.Hour)
	if code := stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// undone checks that ten seconds of a person's time, as long on the faster
// clock, can be undone, and that the team has said so where everyone sees it.
func undone(t *testing.T, dsn string, want time.Duration) {
	t.Helper()
	store, err := postgres.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	settings, err := store.Settings(t.Context())
	if err != nil || settings.Undo != want {
		t.Errorf("decisions can be undone for %s (%v)", settings.Undo, err)
	}
	changes, err := store.SettingChanges(t.Context())
	if err != nil || len(changes) != 1 || changes[0].Key != "validation.undo_s" || changes[0].By != rehearsal.Name {
		t.Errorf("the settings' history is %+v (%v)", changes, err)
	}
}

// operations counts those of the database at dsn.
func operations(t *testing.T, dsn string) int {
	t.Helper()
	store, err := postgres.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ops, err := store.Operations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(ops)
}

// TestServeOnADatabaseThatIsNamed, once: the second time it is not empty.
func TestServeOnADatabaseThatIsNamed(t *testing.T) {
	t.Parallel()
	server, err := private.Start(t.Context(), private.Config{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	args := []string{"serve", "--addr", "127.0.0.1:0", "--speed", "3600", "--database-url", server.DSN("postgres")}
	said, stop := background(t, args...)
	for line := range said {
		if strings.Contains(line, server.DSN("postgres")) {
			t.Errorf("it shows an address that may hold a password: %s", line)
		}
		if strings.HasPrefix(line, "real services") {
			break
		}
	}
	if code := stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if n := operations(t, server.DSN("postgres")); n != 1 {
		t.Errorf("%d operations", n)
	}
	var errs bytes.Buffer
	if code := run(t.Context(), args, io.Discard, &errs); code != failed || !strings.Contains(errs.String(), "has accounts already") {
		t.Errorf("exit %d: %s", code, &errs)
	}
}

func TestWorldPrintsItsVariables(t *testing.T) {
	t.Parallel()
	said, stop := background(t, "world", "--print-env")
	env := map[string]string{}
	for line := range said {
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			t.Fatalf("%q is no variable", line)
		}
		env[key] = strings.Trim(value, "'")
		if key == "VIVRA_SITE_DOMAIN" {
			break
		}
	}
	for _, key := range []string{"SURPLUS_BASE_URL", "IMAGE_BASE_URL", "RPC_URL", "DEXSCREENER_BASE_URL", "GECKOTERMINAL_BASE_URL", "X_API_BASE_URL", "TELEGRAM_API_BASE_URL", "CLOUDFLARE_API_BASE_URL"} {
		res, err := http.Get(env[key])
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		res.Body.Close()
	}
	if code := stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestKillAt(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{"answered:3": true, "sent:1": true, "sent": false, ":1": false, "sent:0": false, "sent:x": false} {
		var k killAt
		if err := k.UnmarshalText([]byte(text)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
	if (killAt{}).watch() != nil {
		t.Error("without a point something is watched")
	}
}

// TestPoisonIsSummedUp: what was tried, what refused it, and that nothing came of it.
func TestPoisonIsSummedUp(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if code := run(t.Context(), strings.Fields("--days 1 --seed 11 --poison --obey"), &out, &errs); code != 0 {
		t.Errorf("exit %d: %s", code, &errs)
	}
	summed := regexp.MustCompile(`Attacks      (\d+) calls by order of a text, (\d+) of them refused; 0 unsafe publications
             refusals by rule: .*\d+ address.*\d+ link.*
             open alerts: .*\d+ unsafe_output`).FindStringSubmatch(out.String())
	if summed == nil || summed[1] == "0" || summed[1] != summed[2] {
		t.Errorf("%q: it says %s", summed, &out)
	}
}

func TestShowSaysFaults(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	show(&out, rehearsal.Summary{Slug: "dodo", State: app.OperationStopped, Verdict: "dead_again", Faults: []string{"something is off"}}, &runCommand{})
	for _, want := range []string{"Operation dodo: stopped, verdict dead again.", "FAULT", "something is off"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s lacks %q", &out, want)
		}
	}
}
