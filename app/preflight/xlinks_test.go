package preflight_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"vivra/app/preflight"
	"vivra/app/xtext"
)

// Whatever X makes a link of is looked at and paid for as one.
func TestXsLinksAreSeen(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../xtext/testdata/twitter-text.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	texts := []string{"see evil.onion", "a.xn--zz", "go to evil.afl now", `"evil.com`, "é.com日evil.com/x"}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var row struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, row.Text)
	}
	n := 0
	for _, text := range texts {
		links := preflight.Links(text)
		for _, url := range xtext.URLs(text) {
			n++
			if preflight.PostPrice(text, false) != preflight.PriceLink {
				t.Errorf("%q has the link %s and costs less than one", text, url)
			}
			if !slices.ContainsFunc(links, func(l preflight.Link) bool { return strings.Contains(l.Text, url) || strings.HasPrefix(url, l.Text) }) {
				t.Errorf("%q has the link %s, seen are %q", text, url, preflight.URLs(text))
			}
		}
	}
	if n < 50 {
		t.Errorf("%d links only", n)
	}
}
