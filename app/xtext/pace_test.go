package xtext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"vivra/app/internal/testpace"
	"vivra/app/xtext"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		length int
		valid  bool
	}{
		"280":                       {strings.Repeat("a", 280), 280, true},
		"281":                       {strings.Repeat("a", 281), 281, false},
		"140 families":              {strings.Repeat("👨‍👩‍👧‍👦", 140), 280, true},
		"a label of 63":             {strings.Repeat("a", 63) + ".com", 23, true},
		"a label of 64":             {strings.Repeat("a", 64) + ".com", 68, true},
		"a label of 63 in Punycode": {"https://" + strings.Repeat("ü", 40) + ".com", 23, true},
		"an address of 4096":        {"https://a.com/" + strings.Repeat("a", 4096-8-14), 23, true},
		"an address of 4097":        {"https://a.com/" + strings.Repeat("a", 4097-8-14), 4089, false},
		"t.co with 40":              {"https://t.co/" + strings.Repeat("a", 40), 23, true},
		"t.co with 41":              {"https://t.co/" + strings.Repeat("a", 41), 54, true},
		"t.co ends there":           {"https://t.co/abc/def", 27, true},
		"nothing":                   {"", 0, false},
		"refused":                   {"a\ufffe", 3, false},
		"turned around":             {"\u202ea\u202c", 5, true},
	} {
		if got := xtext.Length(c.text); got != c.length || xtext.Valid(c.text) != c.valid {
			t.Errorf("%s: counts %d and is valid: %v; want %d and %v", name, got, xtext.Valid(c.text), c.length, c.valid)
		}
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	if got := xtext.Lists("@ann/list @bob"); len(got) != 1 || got[0] != "ann" {
		t.Errorf("lists of %q", got)
	}
	if got := xtext.Mentions("@ann/list @bob"); len(got) != 1 || got[0] != "bob" {
		t.Errorf("mentions %q", got)
	}
}

// What a text counts grows with it, and links are a part of it.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", "gm", "https://a.com/(b)?c=d", "a.com日b.org/x", "👨‍👩‍👧‍👦1⃣🇫🇷", "@ann $DODO", "\ufeff\u202e", "a\xff\xed\xa0\x80", "。．é.み.みんな", strings.Repeat("é.", 50)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		length := xtext.Length(text)
		if most := 2 * utf8.RuneCountInString(norm.NFC.String(text)); length < 0 || length > max(most, 23*strings.Count(text, ".")+most) {
			t.Fatalf("%q counts %d", text, length)
		}
		if xtext.Valid(text) && (length == 0 || length > xtext.Most) {
			t.Fatalf("%q is valid and counts %d", text, length)
		}
		for _, url := range xtext.URLs(text) {
			if !strings.Contains(url, ".") {
				t.Fatalf("%q has the link %q", text, url)
			}
		}
		for _, tag := range xtext.Cashtags(text) {
			if !strings.Contains(text, "$"+tag) {
				t.Fatalf("%q has no $%s", text, tag)
			}
		}
		for _, name := range append(xtext.Mentions(text), xtext.Lists(text)...) {
			if !strings.Contains(text, name) {
				t.Fatalf("%q does not name %s", text, name)
			}
		}
	})
}

func TestTimeGrowsWithTheText(t *testing.T) {
	testpace.Linear(t, "Length", func(s string) { xtext.Length(s) }, []string{
		"a", "a.", "é.", "é_", "日.", "_a.", "a.com ", "a.com/(", "a.com/((a", "a.com/!", "a.com?!", "https://", "https://a", "http://日", "a.com日", "a.com-日.", "👩\u200d", "1\ufe0f", "🇦", "\u0301", "xn--a.", "。", "@a", "$a ",
	})
	testpace.Linear(t, "names", func(s string) { xtext.Mentions(s); xtext.Cashtags(s) }, []string{"@a ", "@", "@a/b", "RT@", "$a ", "$", " $a.b"})
}

func BenchmarkLength(b *testing.B) {
	text := "It dances again. 412 holders of $DODO, 9 more than yesterday. 🔥 https://dodo.vivra.site/log 字"
	for b.Loop() {
		xtext.Length(text)
	}
}
