// Package static holds the stylesheet, the scripts, the icon and the preview of the pages.
package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"sync"
)

// Files are served under /static/.
//
//go:embed *.css *.js *.svg *.png
var Files embed.FS

// Version returns a short name of the files' contents, so that their addresses
// change when they do and may be cached for ever.
var Version = sync.OnceValue(func() string {
	sum := sha256.New()
	names, _ := fs.Glob(Files, "*")
	for _, name := range names {
		content, _ := Files.ReadFile(name)
		sum.Write(content)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
})
