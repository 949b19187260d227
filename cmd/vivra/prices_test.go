package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/private"
)

const priceFile = `{"models": [
  {"model": "gpt-5", "input": "1.25", "cached_input": "0.125", "output": "10", "effective": "2026-01-01"},
  {"model": "mine", "input": 0.1, "cached_input": "0.01", "output": "0.4", "effective": "2026-02-01"},
  {"model": "gpt-image-1", "size": "1024x1024", "image": "0.042", "effective": "2026-01-01"}
]}`

// database starts a server that ends with the test and returns its address.
func database(t *testing.T) string {
	t.Helper()
	server, err := private.Start(t.Context(), private.Config{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return server.DSN("postgres")
}

// asked runs a command and returns its exit code and all that it said.
func asked(t *testing.T, env map[string]string, args ...string) (code int, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, with(env), &out, &errs)
	return code, out.String() + errs.String()
}

func written(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "prices.json")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPricesAreImportedOnce(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": database(t), "USER": "ada"}
	file := written(t, priceFile)
	for _, tt := range []struct {
		file, want string
		flags      []string
	}{
		{file: file, want: "3 prices added, 0 known"}, {file: file, want: "0 prices added, 3 known"},
		{file: written(t, strings.Replace(priceFile, `"0.4"`, `"0.5"`, 1)), want: "1 price added, 2 known"}, // a correction
		{file: file, want: "0 prices added, 2 known already.\nmine from 2026-02-01 at 0.10/0.01/0.40 was skipped: the import of "},
		{file: file, want: "corrected that to 0.10/0.01/0.50. To take the correction back"},
		{file: file, want: `{"added":0,"hints":[],"known":2,"skipped":["mine from`, flags: []string{"--json"}},
		{file: file, want: "1 price added, 2 known", flags: []string{"--again"}}, // taken back
		{file: written(t, strings.Replace(priceFile, `"0.4"`, `"0.5"`, 1)), want: "mine from 2026-02-01 at 0.10/0.01/0.50 was skipped"},
	} {
		if code, said := asked(t, env, append([]string{"prices", "import", tt.file}, tt.flags...)...); code != 0 || !strings.Contains(said, tt.want) {
			t.Errorf("exit code %d, said %q, want %q", code, said, tt.want)
		}
	}

	code, said := asked(t, env, "prices", "list", "--json")
	var list struct {
		Models       []shownPrice
		Publications []struct {
			Kind   string
			Price  int64 `json:"price_nusd"`
			Source string
		}
	}
	if err := json.Unmarshal([]byte(said), &list); code != 0 || err != nil {
		t.Fatalf("exit code %d: %v: %s", code, err, said)
	}
	inForce := map[string]shownPrice{}
	for _, r := range list.Models {
		if r.InForce {
			inForce[r.Model+r.Size] = r
		}
	}
	want := shownPrice{Model: "mine", Input: "0.10", Cached: "0.01", Output: "0.40", Effective: "2026-02-01", By: "ada (command line)", Source: "prices.json", InForce: true}
	got := inForce["mine"]
	if got.Imported == "" {
		t.Error("it is not said when it was imported")
	}
	if got.Imported = ""; got != want {
		t.Errorf("mine is %+v, want %+v", got, want)
	}
	if inForce["gpt-5"].By == "" || inForce["gpt-5-nano"].Effective != "" || inForce["gpt-image-11024x1024"].Image != "0.042" || len(list.Models) != 6+5 {
		t.Errorf("%d rows, in force %+v", len(list.Models), inForce)
	}
	if len(list.Publications) < 4 || list.Publications[0].Source == "" || list.Publications[1].Price != 200_000_000 {
		t.Errorf("publications %+v", list.Publications)
	}

	code, said = asked(t, env, "prices", "list")
	for _, want := range []string{"MODEL", "*  mine", "2026-02-01", "built in", "post on X with a link", "0.20"} {
		if code != 0 || !strings.Contains(said, want) {
			t.Errorf("exit code %d: %q is not shown:\n%s", code, want, said)
		}
	}
}

func TestFaultyPricesAreNotImported(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": database(t)}
	faulty := strings.Replace(strings.Replace(priceFile, `"1.25"`, `"-1.25"`, 1), `"output": "0.4"`, `"outptu": "0.4"`, 1)
	if code, said := asked(t, env, "prices", "list"); code != failed || !strings.Contains(said, "vivra migrate") {
		t.Errorf("an empty database: exit code %d: %s", code, said)
	}
	if code, said := asked(t, env, "migrate"); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	code, said := asked(t, env, "prices", "import", written(t, faulty))
	for _, want := range []string{"No price was imported", "line 2, entry 1: input is less than nothing", `line 3, entry 2: unknown key "outptu"`, "line 3, entry 2: output is missing"} {
		if code != failed || !strings.Contains(said, want) {
			t.Errorf("exit code %d, %q lacks %q", code, said, want)
		}
	}
	if _, said := asked(t, env, "prices", "list"); strings.Contains(said, "mine") {
		t.Errorf("something was imported all the same:\n%s", said)
	}
	for name, args := range map[string][]string{"no file": {"prices", "import"}, "no such file": {"prices", "import", "nowhere.json"}, "no such verb": {"prices", "burn"}} {
		if code, said := asked(t, env, args...); code != misused {
			t.Errorf("%s: exit code %d: %s", name, code, said)
		}
	}
	if code, said := asked(t, map[string]string{"DATABASE_URL": "mysql://x"}, "prices", "list"); code != misused || !strings.Contains(said, "DATABASE_URL") {
		t.Errorf("a bad environment: exit code %d: %s", code, said)
	}
}

// TestPriceFailuresInJSON are JSON, with the exit code that they have in text.
func TestPriceFailuresInJSON(t *testing.T) {
	t.Parallel()
	good := written(t, priceFile)
	for want, tc := range map[string]struct {
		file, database string
		code           int
	}{
		"No price was imported.\nline 1: the file is empty": {written(t, ""), "postgres://x", failed},
		"open nowhere.json":                      {"nowhere.json", "postgres://x", misused},
		"DATABASE_URL is not a database address": {good, "mysql://x", misused},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"prices", "import", tc.file, "--json"}, with(map[string]string{"DATABASE_URL": tc.database}), &out, &errs)
		var answer struct{ Error string }
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil || code != tc.code || !strings.Contains(answer.Error, want) || errs.Len() == 0 {
			t.Errorf("%s: exit code %d, %s, %v", want, code, &out, err)
		}
	}
}

// TestReadersMakeNoDatabase where there is none.
func TestReadersMakeNoDatabase(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"prices list", "replay --all"} {
		data := filepath.Join(enterable(t), "data")
		code, said := asked(t, map[string]string{"DATABASE_URL": "", "VIVRA_DATA_DIR": data}, strings.Fields(command)...)
		if code == 0 || !strings.Contains(said, "There is no DATABASE_URL, and no database in "+filepath.Join(data, "postgres")) {
			t.Errorf("%s: exit code %d: %s", command, code, said)
		}
		if _, err := os.Stat(data); !os.IsNotExist(err) {
			t.Errorf("%s has made a folder: %v", command, err)
		}
	}
}

// TestWhatMayBeASlipIsTold, and imported.
func TestWhatMayBeASlipIsTold(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := (importPrices{}).tell(&out, app.PriceImport{Added: 1}, []string{"mine costs nothing"}); err != nil || out.String() != "1 price added, 0 known already.\nNote: mine costs nothing\n" {
		t.Errorf("%q, %v", &out, err)
	}
	out.Reset()
	if err := printPrices(&out, []shownPrice{{Model: "a\x1b[31m", By: "ada\x00", Source: "f\n"}}); err != nil || strings.ContainsAny(out.String(), "\x1b\x00") {
		t.Errorf("%q, %v", &out, err)
	}
}

// TestPricesReachAPrivateDatabase, whether a program serves from it or not.
func TestPricesReachAPrivateDatabase(t *testing.T) {
	t.Parallel()
	data := enterable(t)
	env := map[string]string{"DATABASE_URL": "", "VIVRA_DATA_DIR": data}
	file := written(t, priceFile)
	if code, said := asked(t, env, "prices", "import", file); code != 0 || !strings.Contains(said, "3 prices added") {
		t.Fatalf("exit code %d: %s", code, said)
	}
	serving, err := private.Start(t.Context(), private.Config{DataDir: filepath.Join(data, "postgres")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := serving.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if code, said := asked(t, env, "prices", "import", file); code != 0 || !strings.Contains(said, "3 known already") {
		t.Errorf("while it is served: exit code %d: %s", code, said)
	}
}
