package doctor

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// canary is a secret with characters that are quoted in URLs and in JSON.
const canary = `k3y/+"<canary>&1234567890`

func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	s := NewSecrets(canary, "990001:bot-token-canary", "client:sEcReT99", "")
	for name, text := range map[string]string{
		"plain":         "the key " + canary + " is wrong",
		"in a URL":      "Get https://host/?k=" + url.QueryEscape(canary),
		"in a path":     "POST https://host/" + url.PathEscape(canary) + "/x",
		"in JSON":       fmt.Sprintf("%q", canary),
		"base64":        "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("client:sEcReT99")),
		"cut off":       "words words " + canary[:12] + "…",
		"cut in front":  "…" + canary[10:],
		"bot path":      "Post /bot990001:bot-token-canary/getMe",
		"twice":         canary + canary,
		"between marks": "[" + canary + "]",
	} {
		got := s.hide(text)
		for i := 0; i+telling <= len(canary); i++ {
			if strings.Contains(got, canary[i:i+telling]) {
				t.Errorf("%s: %q shows %q", name, got, canary[i:i+telling])
			}
		}
		if strings.Contains(got, "token-canary") || strings.Contains(got, "sEcReT99") || !strings.Contains(got, hidden) {
			t.Errorf("%s: %q", name, got)
		}
	}
	const harmless = "PostgreSQL 15.18, schema 1130-6, 3 of 200 connections"
	if got := s.hide(harmless); got != harmless {
		t.Errorf("%q became %q", harmless, got)
	}
}

func TestInURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][]string{
		"https://api.example/v1":                                  nil,
		"https://rpc.example/v2/0123456789abcdef":                 {"0123456789abcdef"},
		"https://me:pass@host/?apikey=abc":                        {"pass", "me:pass", "abc"},
		"https://token@host/":                                     {"token"},
		"postgres://vivra:pass@db:5432/vivra?sslmode=verify-full": {"pass", "vivra:pass"},
		"postgres:///vivra?user=vivra&password=pass":              {"pass"},
		"file:///var/lib/vivra-of-some-length/blobs":              nil,
		"https://host/#fragment":                                  {"fragment"},
	} {
		if got := InURL(address); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

func TestWordsOfOthersAreMadePlain(t *testing.T) {
	t.Parallel()
	e := Examination{Secrets: NewSecrets(canary)}
	hostile := "\x1b[31mred\x1b[0m\n\u202eright to left\u2066 " + canary[:6] + "\u200b" + canary[6:] + strings.Repeat(" long", 500)
	got := e.clean(Finding{Seen: hostile, Advice: hostile})
	for _, text := range []string{got.Seen, got.Advice} {
		if strings.ContainsAny(text, "\x1b\n\u202e\u2066\u200b") || strings.Contains(text, "canary") || len([]rune(text)) > maxWords {
			t.Errorf("got %q", text)
		}
	}
}
