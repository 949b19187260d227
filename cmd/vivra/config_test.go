package main

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// whole is a complete and correct environment.
func whole() map[string]string {
	return map[string]string{
		"DATABASE_URL": "postgres://me:hunter2@db.example:5432/vivra", "VIVRA_ADDR": ":9000", "VIVRA_PUBLIC_URL": "https://vivra.example/",
		"VIVRA_DATA_DIR": "/srv/vivra", "VIVRA_SECRET_KEY": strings.Repeat("ab", 32), "VIVRA_SITE_DOMAIN": "relaunched.example",
		"SURPLUS_BASE_URL": "https://models.example/v1", "SURPLUS_API_KEY": "sk-secret", "IMAGE_BASE_URL": "https://images.example/v1", "IMAGE_API_KEY": "ik-secret",
		"RPC_URL": "https://rpc.example/v2/rpc-secret", "EXPLORER_BASE_URL": "https://explorer.example", "X_CLIENT_ID": "cid", "X_CLIENT_SECRET": "x-secret",
		"TELEGRAM_BOT_TOKEN": "1234:tg-secret", "TELEGRAM_WEBHOOK_SECRET": "hook-secret-0123456789",
		"CLOUDFLARE_API_TOKEN": "cf-secret", "CLOUDFLARE_ACCOUNT_ID": strings.Repeat("a1", 16), "CLOUDFLARE_ZONE_ID": strings.Repeat("b2", 16),
		"VIVRA_ALERT_TELEGRAM_CHAT": "-1001234567890", "VIVRA_ALERT_WEBHOOK_URL": "https://hooks.example/hook-url-secret", "VIVRA_ALERT_WEBHOOK_SECRET": "alert-secret-0123456789",
	}
}

func with(changes map[string]string) func(string) string {
	all := whole()
	maps.Copy(all, changes)
	return func(name string) string { return all[name] }
}

func TestParseWhole(t *testing.T) {
	e, faults := parse(with(nil))
	if len(faults) > 0 || len(e.missing()) > 0 || len(e.unready()) > 0 {
		t.Fatalf("faults %v, missing %v, unready %v", faults, e.missing(), e.unready())
	}
	got := []string{e.Addr, e.PublicURL, e.BlobURL, e.XAPIBaseURL, e.TelegramAPIBaseURL}
	want := []string{":9000", "https://vivra.example", "file:///srv/vivra/blobs", "https://api.x.com", "https://api.telegram.org"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseNothing(t *testing.T) {
	e, faults := parse(func(name string) string { return map[string]string{"HOME": "/home/me"}[name] })
	if len(faults) > 0 {
		t.Errorf("an empty environment has faults: %v", faults)
	}
	if e.Addr != "127.0.0.1:8080" || e.PublicURL != "http://127.0.0.1:8080" || e.DatabaseURL != "" {
		t.Errorf("got %+v", e)
	}
	if len(e.missing()) != len(services) {
		t.Errorf("%d of %d services are missing", len(e.missing()), len(services))
	}
}

func TestParseFaults(t *testing.T) {
	tests := map[string]struct{ value, want string }{
		"DATABASE_URL":               {"mysql://root:hunter2@db", "is not a database address"},
		"PG_BIN_DIR":                 {"/nonexistent", "is not a folder"},
		"VIVRA_ADDR":                 {"8080", "is not host:port"},
		"VIVRA_PUBLIC_URL":           {"https://vivra.example/app", "without a path"},
		"VIVRA_SECRET_KEY":           {"short-hunter2", "is not 32 bytes"},
		"VIVRA_SITE_DOMAIN":          {"Vivra.example", "lower case"},
		"VIVRA_CLIENT_JS":            {"/nonexistent.js", "is not a file"},
		"BLOB_URL":                   {"s3://key:hunter2@bucket", "is not a store of files"},
		"SURPLUS_BASE_URL":           {"models.example/v1", "is not a web address"},
		"SURPLUS_API_KEY":            {"two hunter2", "holds a space"},
		"RPC_URL":                    {"ftp://hunter2", "starts with https://"},
		"EXPLORER_BASE_URL":          {"https://", "is not a web address"},
		"X_API_BASE_URL":             {"://", "is not a web address"},
		"TELEGRAM_BOT_TOKEN":         {"hunter2", "is not a bot token"},
		"TELEGRAM_WEBHOOK_SECRET":    {"hunter2!", "16 to 256"},
		"CLOUDFLARE_ACCOUNT_ID":      {"acct", "32 hex digits"},
		"VIVRA_ALERT_TELEGRAM_CHAT":  {"@hunter2", "is not a chat's number"},
		"VIVRA_ALERT_WEBHOOK_URL":    {"hooks.example/hunter2", "is not a web address"},
		"VIVRA_ALERT_WEBHOOK_SECRET": {"short-hunter2", "16 to 256"},
		"VIVRA_METRICS_ADDR":         {"localhost", "is not host:port"},
		"VIVRA_CHAIN":                {"{", `is "{", which is not the JSON of a chain: unexpected EOF`},

		"OTEL_EXPORTER_OTLP_ENDPOINT":                        {"collector:4318?key=hunter2", "is not a web address"},
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT":                 {"grpc://hunter2@collector", "is not a web address"},
		"OTEL_EXPORTER_OTLP_HEADERS":                         {"authorization: hunter2", "is not a list of headers"},
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS":                  {"a=1,b=%zzhunter2", "is not a list of headers"},
		"OTEL_RESOURCE_ATTRIBUTES":                           {"staging", "is not a list of attributes"},
		"OTEL_TRACES_EXPORTER":                               {"zipkin", "is neither otlp nor none"},
		"OTEL_SDK_DISABLED":                                  {"1", "is neither true nor false"},
		"OTEL_TRACES_SAMPLER":                                {"foo", "is none of always_on, "},
		"OTEL_TRACES_SAMPLER_ARG":                            {"NaN", "is not a share from 0 to 1"},
		"OTEL_EXPORTER_OTLP_PROTOCOL":                        {"grpc", "traces go over that only"},
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL":                 {"http/json", "is not http/protobuf"},
		"OTEL_EXPORTER_OTLP_COMPRESSION":                     {"zstd", "is neither gzip nor none"},
		"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION":              {"br", "is neither gzip nor none"},
		"OTEL_EXPORTER_OTLP_TIMEOUT":                         {"abc", "is not a number of milliseconds"},
		"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT":                  {"10s", "is not a number of milliseconds"},
		"OTEL_BSP_SCHEDULE_DELAY":                            {"abc", "is not a number of milliseconds"},
		"OTEL_BSP_EXPORT_TIMEOUT":                            {"-1", "is not a number of milliseconds"},
		"OTEL_BSP_MAX_QUEUE_SIZE":                            {"0", "is not a whole number above 0"},
		"OTEL_BSP_MAX_EXPORT_BATCH_SIZE":                     {"1.5", "is not a whole number above 0"},
		"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": {"yes", "is neither true nor false"},
	}
	all := make(map[string]string)
	for name, tc := range tests {
		all[name] = tc.value
		_, faults := parse(with(map[string]string{name: tc.value}))
		if len(faults) != 1 || faults[0].variable != name || !strings.Contains(faults[0].problem, tc.want) {
			t.Errorf("%s=%s: got %v, want one fault …%s…", name, tc.value, faults, tc.want)
		}
	}

	_, faults := parse(with(all))
	if len(faults) != len(tests) {
		t.Errorf("%d faults are planted, %d reported: %v", len(tests), len(faults), faults)
	}
	if text := misconfigured(faults).Error(); strings.Contains(text, "hunter2") {
		t.Errorf("a secret is shown:\n%s", text)
	}
}

func TestHalfConfiguredService(t *testing.T) {
	_, faults := parse(with(map[string]string{"CLOUDFLARE_ZONE_ID": "", "VIVRA_SITE_DOMAIN": "", "X_CLIENT_SECRET": ""}))
	var names []string
	for _, f := range faults {
		names = append(names, f.variable)
	}
	if want := []string{"X_CLIENT_SECRET", "CLOUDFLARE_ZONE_ID", "VIVRA_SITE_DOMAIN"}; !slices.Equal(names, want) {
		t.Errorf("got faults of %v, want %v", names, want)
	}
}

func TestAlertsNeedTheirBotAndSecret(t *testing.T) {
	_, faults := parse(only(map[string]string{"VIVRA_ALERT_TELEGRAM_CHAT": "-100123", "VIVRA_ALERT_WEBHOOK_URL": "https://hooks.example/hunter2"}))
	var names []string
	for _, f := range faults {
		names = append(names, f.variable)
	}
	if want := []string{"VIVRA_ALERT_WEBHOOK_SECRET", "TELEGRAM_BOT_TOKEN"}; !slices.Equal(names, want) || strings.Contains(misconfigured(faults).Error(), "hunter2") {
		t.Errorf("got %v, want faults of %v", faults, want)
	}
}

func TestDecodeKey(t *testing.T) {
	raw := []byte("0123456789abcdef0123456789abcde\xff")
	for _, text := range []string{fmt.Sprintf("%x", raw), fmt.Sprintf("%X", raw), base64.StdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw)} {
		if got, ok := decodeKey(text); !ok || string(got) != string(raw) {
			t.Errorf("%s: got %x, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "abcd", strings.Repeat("ab", 31), strings.Repeat("ab", 33), strings.Repeat("zz", 32)} {
		if got, ok := decodeKey(text); ok {
			t.Errorf("%q was taken for %x", text, got)
		}
	}
}

func TestUsualDataDir(t *testing.T) {
	home := map[string]string{"HOME": "/home/me"}
	xdg := map[string]string{"HOME": "/home/me", "XDG_DATA_HOME": "/data"}
	for _, tc := range []struct {
		env  map[string]string
		root bool
		want string
	}{
		{home, true, "/var/lib/vivra"}, {home, false, "/home/me/.local/share/vivra"}, {xdg, false, "/data/vivra"},
		{map[string]string{"HOME": "/home/me", "XDG_DATA_HOME": "relative"}, false, "/home/me/.local/share/vivra"},
	} {
		if got := usualDataDir(func(name string) string { return tc.env[name] }, tc.root); got != tc.want {
			t.Errorf("%v, root %v: got %s, want %s", tc.env, tc.root, got, tc.want)
		}
	}
}

func TestExampleNamesEveryVariable(t *testing.T) {
	text, err := os.ReadFile("../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	var example, read []string
	for _, m := range regexp.MustCompile(`(?m)^([A-Z_]+)=`).FindAllStringSubmatch(string(text), -1) {
		example = append(example, m[1])
	}
	for _, v := range new(environment).variables() {
		read = append(read, v.name)
	}
	slices.Sort(example)
	slices.Sort(read)
	if diff := cmp.Diff(read, example); diff != "" {
		t.Errorf("variables that are read (-) and in .env.example (+):\n%s", diff)
	}
}
