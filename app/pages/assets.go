package pages

import (
	"encoding/base64"
	"encoding/hex"
	"mime"
	"path"
	"slices"
	"strings"

	"lukechampine.com/blake3"

	"vivra/app"
)

// Cloudflare's limits for direct uploads.
const (
	maxFile        = 25 << 20
	maxFiles       = 20_000
	maxBucket      = 40 << 20
	maxBucketFiles = 2_000
)

// Hash is Cloudflare's name for a file's content: the first 32 hex digits of
// BLAKE3 over its base64 followed by its extension without the dot.
func Hash(name string, content []byte) string {
	sum := blake3.Sum256([]byte(base64.StdEncoding.EncodeToString(content) + extension(name)))
	return hex.EncodeToString(sum[:])[:32]
}

func extension(name string) string { return strings.TrimPrefix(path.Ext(name), ".") }

// directives are the files that are sent beside the manifest, not in it.
var directives = []string{"/_headers", "/_redirects"}

// bundle is a site's files as Cloudflare wants them.
type bundle struct {
	manifest map[string]string // path to hash
	files    map[string]string // hash to path
	content  map[string][]byte // path to content
	bytes    int64
	sha256   string
}

func newBundle(files map[string][]byte) (bundle, error) {
	b := bundle{manifest: map[string]string{}, files: map[string]string{}, content: files}
	for name, content := range files {
		switch {
		case !strings.HasPrefix(name, "/") || path.Clean(name) != name:
			return b, app.Errorf(app.Invalid, "%q is not a path of a site: it must be clean and begin with a slash.", name)
		case len(content) > maxFile:
			return b, app.Errorf(app.Invalid, "%s has %d bytes: Cloudflare takes at most %d a file.", name, len(content), maxFile)
		}
		b.bytes += int64(len(content))
		if !slices.Contains(directives, name) {
			hash := Hash(name, content)
			b.manifest[name], b.files[hash] = hash, name
		}
	}
	if len(b.manifest) == 0 || len(b.manifest) > maxFiles {
		return b, app.Errorf(app.Invalid, "A site has 1 to %d files, this one has %d.", maxFiles, len(b.manifest))
	}
	b.sha256 = app.NewBundle(files).ManifestSHA256
	return b, nil
}

// hashes returns every hash, sorted.
func (b bundle) hashes() []string {
	all := make([]string, 0, len(b.files))
	for hash := range b.files {
		all = append(all, hash)
	}
	slices.Sort(all)
	return all
}

type asset struct {
	Key      string        `json:"key"`
	Value    string        `json:"value"`
	Metadata assetMetadata `json:"metadata"`
	Base64   bool          `json:"base64"`
}

type assetMetadata struct {
	ContentType string `json:"contentType"`
}

func (b bundle) asset(hash string) asset {
	name := b.files[hash]
	return asset{hash, base64.StdEncoding.EncodeToString(b.content[name]), assetMetadata{contentType(name)}, true}
}

// contentTypes holds what Go's own table lacks on a bare machine.
var contentTypes = map[string]string{
	".txt": "text/plain; charset=utf-8", ".ico": "image/x-icon", ".woff2": "font/woff2", ".woff": "font/woff",
	".webmanifest": "application/manifest+json", ".map": "application/json",
}

func contentType(name string) string {
	if kind, ok := contentTypes[path.Ext(name)]; ok {
		return kind
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}
