package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vivra/app/doctor"
)

// folder is one that PostgreSQL's account can enter when this is root.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vivra-doctor-")
	if err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		err = os.Chmod(dir, 0o711)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "data")
}

func only(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

// TestDoctorOfNothing: an installation where nothing is set up yet is healthy,
// and nothing is made by looking at it.
func TestDoctorOfNothing(t *testing.T) {
	t.Parallel()
	market := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // it needs no key, so it is never off
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(r.URL.Path, "/networks/") {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte("[]"))
	}))
	t.Cleanup(market.Close)
	data := folder(t)
	env := map[string]string{"VIVRA_DATA_DIR": data, "VIVRA_ADDR": "127.0.0.1:1", "DEXSCREENER_BASE_URL": market.URL, "GECKOTERMINAL_BASE_URL": market.URL}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"doctor", "--json"}, only(env), &out, &errs); code != 0 {
		t.Errorf("exit code %d: %s", code, &errs)
	}
	var r doctor.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || !r.Healthy || r.Cost != 0 {
		t.Errorf("%v: %+v", err, r)
	}
	states := map[string]doctor.State{}
	for _, f := range r.Findings {
		states[f.Service] = f.State
	}
	for _, service := range []string{"model", "pictures", "chain", "explorer", "X", "Telegram", "Cloudflare", "public address"} {
		if states[service] != doctor.Off {
			t.Errorf("%s is %q", service, states[service])
		}
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("the data folder was made: %v", err)
	}
}

func TestDoctorIsAskedWrongly(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		env  map[string]string
		says []string
	}{
		"faults of the environment": {nil, map[string]string{"VIVRA_ADDR": "x", "RPC_URL": "y", "VIVRA_SECRET_KEY": ""},
			[]string{"configuration: 3", "VIVRA_ADDR is \"x\"", "RPC_URL is not", "VIVRA_SECRET_KEY is missing"}},
		"no time":        {[]string{"--timeout", "0s"}, nil, []string{"--timeout must be from 1s to 5m"}},
		"too much time":  {[]string{"--timeout", "1h"}, nil, []string{"--timeout must be from 1s to 5m"}},
		"no time at all": {[]string{"--timeout", "soon"}, nil, []string{"--timeout"}},
	} {
		var errs bytes.Buffer
		if code := run(t.Context(), append([]string{"doctor"}, tc.args...), with(tc.env), io.Discard, &errs); code != misused {
			t.Errorf("%s: exit code %d", name, code)
		}
		for _, want := range tc.says {
			if !strings.Contains(errs.String(), want) {
				t.Errorf("%s: %q lacks %q", name, &errs, want)
			}
		}
	}
}

// echo is a server that answers with a status and, in the shape of everyone's
// errors, with all that it was sent.
func echo(t *testing.T, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		said := fmt.Sprintf("you sent %s %s with %v and %s", r.Method, r.URL, r.Header, body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "http://doctor.invalid/"+url.PathEscape(r.Header.Get("Authorization"))+"?leak="+url.QueryEscape(said))
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"error": map[string]any{"message": said, "code": 1}, "jsonrpc": "2.0", "id": 1, "ok": false, "error_code": status, "description": said,
			"title": said, "detail": said, "success": false, "errors": []any{map[string]any{"code": 1, "message": said}}})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// canaries are an environment in which every value that may be a secret, or
// hold one, is a canary, and everything outside is at one address.
func canaries(t *testing.T, at string) map[string]string {
	t.Helper()
	host := strings.TrimPrefix(at, "http://")
	env := map[string]string{"VIVRA_DATA_DIR": folder(t), "DATABASE_URL": "postgres://vivra:canary-1-zq@" + host + "/vivra?sslmode=disable",
		"VIVRA_PUBLIC_URL": "http://me:canary-2-zq@" + host, "BLOB_URL": "file:///tmp/vivra-doctor?secret_key_path=canary-3-zq",
		"VIVRA_SECRET_KEY": "canary0ofthesecretkeycanary0canary0canary0k"[:43] + "=", "TELEGRAM_BOT_TOKEN": "990001:canary-4-zqzqzq",
		"VIVRA_SITE_DOMAIN": "vivra.example", "CLOUDFLARE_ACCOUNT_ID": strings.Repeat("a", 32), "CLOUDFLARE_ZONE_ID": strings.Repeat("b", 32),
		"OTEL_EXPORTER_OTLP_HEADERS": "authorization=Basic%20canary-5-zq"}
	for i, v := range new(environment).variables() {
		name := fmt.Sprintf("canary-%d-zqzqzqzq", i)
		switch {
		case env[v.name] != "":
		case strings.HasSuffix(v.name, "_URL") || strings.HasSuffix(v.name, "_ENDPOINT"):
			env[v.name] = "http://me:" + name + "@" + host + "/" + name + "-in-its-path/v1?key=" + name
		case strings.HasSuffix(v.name, "_KEY") || strings.HasSuffix(v.name, "_SECRET") || strings.HasSuffix(v.name, "_TOKEN") || strings.HasSuffix(v.name, "_ID"):
			env[v.name] = name
		}
	}
	return env
}

// TestDoctorShowsNoSecret, whatever the services send back of what they were told.
func TestDoctorShowsNoSecret(t *testing.T) {
	t.Parallel()
	text, inJSON := []string{}, []string{"--json"}
	formats := map[int][][]string{http.StatusOK: {inJSON}, http.StatusFound: {inJSON}, http.StatusBadRequest: {inJSON, text},
		http.StatusUnauthorized: {inJSON}, http.StatusNotFound: {inJSON}, http.StatusBadGateway: {inJSON}}
	for status := range formats {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			env := canaries(t, echo(t, status))
			for _, format := range formats[status] {
				args := append([]string{"doctor", "--timeout", "3s"}, format...)
				var said bytes.Buffer
				if code := run(t.Context(), args, only(env), &said, &said); code != failed {
					t.Errorf("exit code %d: %s", code, &said)
				}
				if i := strings.Index(strings.ToLower(said.String()), "canary"); i >= 0 {
					t.Errorf("a secret is shown: …%s…", said.String()[max(0, i-80):min(said.Len(), i+60)])
				}
				for _, want := range []string{"broken: database, ", "SURPLUS_", "RPC_URL", "X_CLIENT_ID", "TELEGRAM_", "CLOUDFLARE_"} {
					if status == http.StatusUnauthorized && !strings.Contains(said.String(), want) {
						t.Errorf("it does not say %q: %s", want, &said)
					}
				}
			}
		})
	}
}

// TestDoctorNeverMakesAKey, and tells a broken one.
func TestDoctorNeverMakesAKey(t *testing.T) {
	e := environment{DataDir: t.TempDir()}
	if k := e.sealing(); k.Bytes != nil || k.Problem != nil || k.File == "" {
		t.Errorf("got %+v", k)
	}
	if err := os.WriteFile(filepath.Join(e.DataDir, "secret.key"), []byte("canary"), 0o600); err != nil {
		t.Fatal(err)
	}
	if k := e.sealing(); k.Bytes != nil || k.Problem == nil || strings.Contains(k.Problem.Error(), "canary") {
		t.Errorf("got %+v", k)
	}
	made, err := (&environment{DataDir: filepath.Join(e.DataDir, "other")}).secretKey(quiet())
	if err != nil {
		t.Fatal(err)
	}
	e.DataDir = filepath.Join(e.DataDir, "other")
	if k := e.sealing(); !bytes.Equal(k.Bytes, made) {
		t.Errorf("got %+v", k)
	}
}
