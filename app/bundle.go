package app

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// Bundle is a built static site: what is checked, frozen by its manifest hash,
// approved and deployed are the same bytes.
type Bundle struct {
	// Files are the contents by path; each path begins with a slash.
	Files map[string][]byte
	// ManifestSHA256 is the hash of the sorted lines "path sha256".
	ManifestSHA256 string
	Pages          int
	Bytes          int64
}

// NewBundle counts and hashes files.
func NewBundle(files map[string][]byte) Bundle {
	b := Bundle{Files: files}
	var manifest strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		manifest.WriteString(name + " " + SHA256Hex(files[name]) + "\n")
		b.Bytes += int64(len(files[name]))
		if path.Ext(name) == ".html" {
			b.Pages++
		}
	}
	b.ManifestSHA256 = SHA256Hex([]byte(manifest.String()))
	return b
}

// Mount returns b with the files of sub under prefix, as a deployment replaces
// a whole site. The host's rules and the not-found page stay those of b.
func (b Bundle) Mount(prefix string, sub Bundle) Bundle {
	files := maps.Clone(b.Files)
	for name, content := range sub.Files {
		if name != "/_headers" && name != "/404.html" {
			files[path.Join("/", prefix, name)] = content
		}
	}
	return NewBundle(files)
}
