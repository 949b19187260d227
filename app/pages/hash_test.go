package pages_test

import (
	"testing"

	"vivra/app/pages"
)

// The vectors stand in wrangler's own tests.
func TestHash(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"/foo.txt":  "1a98fb08af91aca4a7df1764a2c4ddb0",
		"/foo.png":  "2082190357cfd3617ccfe04f340c6247",
		"/foo.html": "d96fef225537c9f5e44a3cb27fd0b492",
	} {
		if got := pages.Hash(name, []byte("foobar")); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
