package cassette_test

import (
	"strings"
	"testing"

	"vivra/app/cassette"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 300)
	for name, c := range map[string]struct {
		recorded, made any
		want           string
	}{
		"same":    {[]int{1, 2}, []int{1, 2}, ""},
		"changed": {[]int{1, 2, 3}, []int{1, 5, 3}, "@@ -1,5 +1,5 @@\n [\n   1,\n-  2,\n+  5,\n   3\n ]\n"},
		"added":   {[]int{1}, []int{1, 2}, "@@ -1,3 +1,4 @@\n [\n-  1\n+  1,\n+  2\n ]\n"},
		"two places": {[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{9, 1, 2, 3, 4, 5, 6, 7, 8, 0},
			"@@ -1,5 +1,5 @@\n [\n-  0,\n+  9,\n   1,\n   2,\n   3,\n@@ -8,5 +8,5 @@\n   6,\n   7,\n   8,\n-  9\n+  0\n ]\n"},
		"long lines": {long + "x" + long, long + "y" + long,
			"@@ -1,1 +1,1 @@\n-…" + strings.Repeat("é", 50) + "x" + strings.Repeat("é", 50) + "…\n+…" + strings.Repeat("é", 50) + "y" + strings.Repeat("é", 50) + "…\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := c.want
			if want != "" {
				want = "--- recorded\n+++ made\n" + want
			}
			if got := cassette.Diff(c.recorded, c.made); got != want {
				t.Errorf("it gives\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// FuzzDiff: every line of both texts is in a whole diff, and equal texts have none.
func FuzzDiff(f *testing.F) {
	f.Add("a\nb", "a\nc")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
		if len(left)+len(right) > 200 {
			return
		}
		got := cassette.Diff(left, right)
		if (got == "") != (strings.Join(cassette.Pretty(left), "\n") == strings.Join(cassette.Pretty(right), "\n")) {
			t.Errorf("%q and %q differ by %q", a, b, got)
		}
	})
}
