package xtext_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"vivra/app/xtext"
)

// given is what scripts/twitter-text.sh compares: thousands of texts and what
// the library itself makes of them. A few hundred are kept here.
var given = flag.String("twitter-text", "testdata/twitter-text.jsonl", "texts and what twitter-text makes of them, as JSON lines")

// read is what a library makes of a text.
type read struct {
	Text     string   `json:"text"`
	Length   int      `json:"length"`
	Valid    bool     `json:"valid"`
	URLs     []string `json:"urls"`
	Cashtags []string `json:"cashtags"`
	Mentions []string `json:"mentions"`
}

func TestAsTwitterText(t *testing.T) {
	t.Parallel()
	file, err := os.Open(*given)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, n := bufio.NewScanner(file), 0
	lines.Buffer(nil, 1<<20)
	for ; lines.Scan(); n++ {
		var want read
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		differ(t, n+1, want)
	}
	if lines.Err() != nil || n < 300 {
		t.Errorf("%d texts were read: %v", n, lines.Err())
	}
	if !t.Failed() {
		t.Logf("%d texts agree", n)
	}
}

// differ says where we read a text otherwise.
func differ(t *testing.T, line int, want read) {
	t.Helper()
	if got := xtext.Length(want.Text); got != want.Length {
		t.Errorf("line %d: %.200q counts %d, the library says %d", line, want.Text, got, want.Length)
	}
	if got := xtext.Valid(want.Text); got != want.Valid {
		t.Errorf("line %d: %.200q is valid: %v, the library says %v", line, want.Text, got, want.Valid)
	}
	for what, lists := range map[string][2][]string{
		"links":    {xtext.URLs(want.Text), want.URLs},
		"cashtags": {xtext.Cashtags(want.Text), want.Cashtags},
		"mentions": {xtext.Mentions(want.Text), want.Mentions},
	} {
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("line %d: %.200q has the %s %.200q, the library says %.200q", line, want.Text, what, lists[0], lists[1])
		}
	}
}
