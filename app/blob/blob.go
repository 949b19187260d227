// Package blob keeps files by the hash of their content, in a folder or any
// store that gocloud.dev/blob reaches by URL.
package blob

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file:///…
	_ "gocloud.dev/blob/memblob"  // mem://
	"gocloud.dev/gcerrors"

	"vivra/app"
)

// Store holds contents that never change: the key is the hash.
type Store struct{ bucket *blob.Bucket }

// Open opens the store at a URL such as file:///var/lib/vivra/blobs or mem://.
// A folder that is missing is made.
func Open(ctx context.Context, rawURL string) (*Store, error) {
	bucket, err := blob.OpenBucket(ctx, withDefaults(rawURL))
	if err != nil {
		return nil, fmt.Errorf("open blob store: %w", err)
	}
	return &Store{bucket: bucket}, nil
}

// withDefaults makes a file store create its folder and write temporary files
// inside it: a rename from another file system would fail.
func withDefaults(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "file" {
		return rawURL
	}
	q := u.Query()
	for _, key := range []string{"create_dir", "no_tmp_dir"} {
		if !q.Has(key) {
			q.Set(key, "true")
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// Put stores b and returns its SHA-256 in hex. Storing the same bytes again
// changes nothing.
func (s *Store) Put(ctx context.Context, b []byte, mime string) (string, error) {
	sum := app.SHA256Hex(b)
	if there, err := s.bucket.Exists(ctx, key(sum)); err == nil && there {
		return sum, nil
	}
	if err := s.bucket.WriteAll(ctx, key(sum), b, &blob.WriterOptions{ContentType: mime}); err != nil {
		return "", fmt.Errorf("write blob: %w", err)
	}
	return sum, nil
}

// ErrChanged says that the stored bytes are not those that were stored.
var ErrChanged = errors.New("the stored bytes have another hash")

var isSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Get returns the bytes whose hash is sum; it checks that they still are.
func (s *Store) Get(ctx context.Context, sum string) ([]byte, error) {
	if !isSum.MatchString(sum) {
		return nil, app.Errorf(app.Invalid, "%q is not a file's SHA-256: it must be 64 lower-case hex digits.", sum)
	}
	b, err := s.bucket.ReadAll(ctx, key(sum))
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, app.Errorf(app.NotFound, "There is no file %s.", sum)
	}
	if err != nil {
		return nil, fmt.Errorf("read blob: %w", err)
	}
	if app.SHA256Hex(b) != sum {
		return nil, fmt.Errorf("read blob %s: %w", sum, ErrChanged)
	}
	return b, nil
}

// MIME returns the type that the content was stored with.
func (s *Store) MIME(ctx context.Context, sum string) (string, error) {
	if !isSum.MatchString(sum) {
		return "", app.Errorf(app.Invalid, "%q is not a file's SHA-256: it must be 64 lower-case hex digits.", sum)
	}
	attrs, err := s.bucket.Attributes(ctx, key(sum))
	if gcerrors.Code(err) == gcerrors.NotFound {
		return "", app.Errorf(app.NotFound, "There is no file %s.", sum)
	}
	if err != nil {
		return "", fmt.Errorf("read blob attributes: %w", err)
	}
	return attrs.ContentType, nil
}

// Close releases the store.
func (s *Store) Close() error { return s.bucket.Close() }

// key spreads files over 256 folders.
func key(sum string) string { return sum[:2] + "/" + sum }
