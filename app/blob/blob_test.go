package blob_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"vivra/app"
	"vivra/app/blob"
)

func open(t *testing.T, url string) *blob.Store {
	t.Helper()
	s, err := blob.Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestPutAndGet(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"memory": "mem://", "folder": "file://" + filepath.Join(t.TempDir(), "new", "blobs")} {
		t.Run(name, func(t *testing.T) {
			ctx, s, want := context.Background(), open(t, url), []byte("a logo")
			sum, err := s.Put(ctx, want, "image/png")
			if err != nil || sum != app.SHA256Hex(want) {
				t.Fatalf("Put = %q, %v", sum, err)
			}
			if again, err := s.Put(ctx, want, "image/png"); err != nil || again != sum {
				t.Fatalf("second Put = %q, %v", again, err)
			}
			got, err := s.Get(ctx, sum)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("Get = %q, %v", got, err)
			}
			if mime, err := s.MIME(ctx, sum); err != nil || mime != "image/png" {
				t.Fatalf("MIME = %q, %v", mime, err)
			}
		})
	}
}

func TestGetRefuses(t *testing.T) {
	t.Parallel()
	ctx, s := context.Background(), open(t, "mem://")
	if _, err := s.Get(ctx, "../../etc/passwd"); app.KindOf(err) != app.Invalid {
		t.Errorf("a path as a hash: %v", err)
	}
	if _, err := s.Get(ctx, app.SHA256Hex([]byte("never stored"))); app.KindOf(err) != app.NotFound {
		t.Errorf("an unknown hash: %v", err)
	}
}

func TestGetFindsRottenBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, s := context.Background(), open(t, "file://"+dir)
	sum, err := s.Put(ctx, []byte("good"), "text/plain")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, sum[:2], sum), []byte("evil"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := s.Get(ctx, sum); err == nil {
		t.Errorf("Get returned %q for another hash", b)
	}
}
