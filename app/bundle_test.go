package app_test

import (
	"testing"

	"vivra/app"
)

func TestBundle(t *testing.T) {
	t.Parallel()
	site := app.NewBundle(map[string][]byte{"/index.html": []byte("site"), "/404.html": []byte("lost"), "/_headers": []byte("rules")})
	if site.Pages != 2 || site.Bytes != 13 {
		t.Errorf("%d pages, %d bytes", site.Pages, site.Bytes)
	}
	sub := app.NewBundle(map[string][]byte{"/index.html": []byte("game"), "/404.html": []byte("other"), "/_headers": []byte("other"), "/a.js": []byte("x")})
	whole := site.Mount("play", sub)
	for path, want := range map[string]string{"/index.html": "site", "/404.html": "lost", "/_headers": "rules", "/play/index.html": "game", "/play/a.js": "x"} {
		if got := string(whole.Files[path]); got != want {
			t.Errorf("%s = %q, want %q", path, got, want)
		}
	}
	if len(whole.Files) != 5 || len(site.Files) != 3 {
		t.Errorf("%d files in the whole, %d in the site", len(whole.Files), len(site.Files))
	}
	if again := site.Mount("/play/", sub); again.ManifestSHA256 != whole.ManifestSHA256 || whole.ManifestSHA256 == site.ManifestSHA256 {
		t.Error("the manifest hash does not follow the files")
	}
}
