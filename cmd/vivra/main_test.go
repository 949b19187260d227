package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestExitCodes(t *testing.T) {
	tests := map[string]struct {
		args []string
		env  map[string]string
		code int
		says []string
	}{
		"no command":      {nil, nil, misused, []string{"expected one of", "vivra --help"}},
		"unknown command": {[]string{"conquer"}, nil, misused, []string{"unexpected argument conquer"}},
		"unknown flag":    {[]string{"serve", "--loud"}, nil, misused, []string{"unknown flag --loud"}},
		"a bad argument":  {[]string{"replay", "x"}, nil, misused, []string{"\"x\" is no run", "Try: vivra replay --help"}},
		"a bad flag":      {[]string{"prices", "list", "--loud"}, nil, misused, []string{"unknown flag --loud", "Try: vivra prices list --help"}},
		"every fault at once": {[]string{"serve"}, map[string]string{"VIVRA_ADDR": "x", "RPC_URL": "y", "VIVRA_SECRET_KEY": ""}, misused,
			[]string{"configuration: 3", "VIVRA_ADDR is \"x\"", "RPC_URL is not", "VIVRA_SECRET_KEY is missing"}},
		"migrate checks too": {[]string{"migrate"}, map[string]string{"VIVRA_ADDR": "x"}, misused, []string{"configuration: 1"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var errs bytes.Buffer
			if code := run(t.Context(), tc.args, with(tc.env), io.Discard, &errs); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			for _, want := range tc.says {
				if !strings.Contains(errs.String(), want) {
					t.Errorf("%q lacks %q", errs.String(), want)
				}
			}
		})
	}
}

// help COMMAND says what COMMAND --help says, and each tells the exit codes.
func TestHelp(t *testing.T) {
	for _, command := range []string{"", "serve", "check", "check post", "prices import", "verify", "replay", "doctor", "user"} {
		words := strings.Fields(command)
		var flagged, asked, errs bytes.Buffer
		one, two := run(t.Context(), append(slices.Clone(words), "--help"), with(nil), &flagged, &errs), run(t.Context(), append([]string{"help"}, words...), with(nil), &asked, &errs)
		if one != 0 || two != 0 || errs.Len() > 0 || asked.String() != flagged.String() {
			t.Errorf("%q: exit codes %d, %d; %s; %s", command, one, two, &errs, &asked)
		}
		if said := asked.String(); !strings.Contains(said, "Usage: "+strings.TrimSpace("vivra "+command)) || !strings.Contains(said, "Exit code: 0 it holds or is done, 1 it does not hold or failed, 2 it was asked") {
			t.Errorf("%q says %s", command, said)
		}
	}
	var errs bytes.Buffer
	if code := run(t.Context(), []string{"help", "conquer"}, with(nil), io.Discard, &errs); code != misused || !strings.Contains(errs.String(), "unexpected argument conquer") {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}

func TestVersion(t *testing.T) {
	var out bytes.Buffer
	if code := run(t.Context(), []string{"version", "--json"}, with(nil), &out, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	var about map[string]string
	if err := json.Unmarshal(out.Bytes(), &about); err != nil || !strings.HasPrefix(about["go"], "go1.") {
		t.Errorf("got %s, %v", &out, err)
	}
}

func TestVerify(t *testing.T) {
	// SHA-256 of 32 zero bytes and the line, computed apart.
	const row = `{"line":{"seq":1,"kind":"step"},"prev_hash":"0000000000000000000000000000000000000000000000000000000000000000","hash":"HASH"}`
	sum := sha256.Sum256(append(make([]byte, 32), `{"seq":1,"kind":"step"}`...))
	whole := strings.Replace(row, "HASH", hex.EncodeToString(sum[:]), 1) + "\n"
	tests := map[string]struct {
		log  string
		code int
		says string
	}{
		"holds":         {whole, 0, "1 row holds"},
		"changed":       {strings.Replace(whole, "step", "stop", 1), failed, "Row 1: its hash is"},
		"no log at all": {"hello", failed, "Row 1: it is no row"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "log.jsonl")
			if err := os.WriteFile(file, []byte(tc.log), 0o600); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			if code := run(t.Context(), []string{"verify", file}, with(nil), &said, &said); code != tc.code || !strings.Contains(said.String(), tc.says) {
				t.Errorf("exit code %d, said %q", code, &said)
			}
		})
	}
	if code := run(t.Context(), []string{"verify", "no such file"}, with(nil), io.Discard, io.Discard); code != misused {
		t.Errorf("a missing file: exit code %d", code)
	}
}

func TestSecretKeyIsMadeOnce(t *testing.T) {
	e := environment{DataDir: filepath.Join(t.TempDir(), "data")}
	first, err := e.secretKey(quiet())
	if err != nil {
		t.Fatal(err)
	}
	second, err := e.secretKey(quiet())
	if err != nil || !bytes.Equal(first, second) || len(first) != keyLength {
		t.Errorf("got %x then %x, %v", first, second, err)
	}
	path := filepath.Join(e.DataDir, "secret.key")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	if err := os.WriteFile(path, []byte("not a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := e.secretKey(quiet()); err == nil || strings.Contains(err.Error(), "not a key") {
		t.Errorf("a broken key file gives %v", err)
	}
}
