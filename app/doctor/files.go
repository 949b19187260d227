package doctor

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"github.com/jonboulle/clockwork"

	"vivra/app/blob"
)

// Files looks at the store of pictures and sites: a small file is written, read
// and deleted. A folder that the program will make is not made here.
func Files(wall clockwork.Clock, storeURL string) Check {
	const name = "files"
	return one(name, func(ctx context.Context) Finding {
		u, err := url.Parse(storeURL)
		if err != nil {
			return broken(name, "", "BLOB_URL is no address: write it like file:///a/folder.")
		}
		if u.Scheme == "mem" {
			return warning(name, "in memory", "Pictures and sites are forgotten when the program ends: set BLOB_URL to a folder.")
		}
		if _, err := os.Stat(u.Path); u.Scheme == "file" && os.IsNotExist(err) {
			return unmade(name, u.Path, "BLOB_URL")
		}
		began := wall.Now()
		store, err := blob.Open(ctx, storeURL)
		if err == nil {
			defer store.Close()
			err = store.Probe(ctx)
		}
		if err != nil {
			return broken(name, "", "They can't be kept in %s (%s): check BLOB_URL, and who owns the folder.", u.Path, reason(innermost(err)))
		}
		f := ok(name, "written, read and deleted in %s", u.Path)
		f.Latency = wall.Since(began).Milliseconds()
		return f
	})
}

// unmade looks at a folder that is not there yet: whether it can be made.
func unmade(name, dir, variable string) Finding {
	above := filepath.Dir(dir)
	for above != filepath.Dir(above) {
		if _, err := os.Stat(above); err == nil {
			break
		}
		above = filepath.Dir(above)
	}
	if !writable(above) {
		return broken(name, "", "%s is not there and this account may not make it in %s: make it, or change %s.", dir, above, variable)
	}
	return ok(name, "vivra serve makes %s", dir)
}

func writable(dir string) bool {
	const write, search = 2, 1
	return syscall.Access(dir, write|search) == nil
}

// How much room there should be, in bytes.
const (
	littleRoom = 2 << 30
	noRoom     = 200 << 20
)

// Folder looks at the data folder and the room on its disk.
func Folder(dir string) Check {
	const name = "data folder"
	return one(name, func(context.Context) Finding {
		info, err := os.Stat(dir)
		switch {
		case os.IsNotExist(err):
			return unmade(name, dir, "VIVRA_DATA_DIR")
		case err != nil:
			return broken(name, "", "%s can't be read (%s): check VIVRA_DATA_DIR.", dir, reason(innermost(err)))
		case !info.IsDir():
			return broken(name, "", "%s is not a folder: change VIVRA_DATA_DIR.", dir)
		case !writable(dir):
			return broken(name, "", "This account may not write into %s: change its owner, or VIVRA_DATA_DIR.", dir)
		}
		var disk syscall.Statfs_t
		if err := syscall.Statfs(dir, &disk); err != nil {
			return warning(name, dir, "How much room its disk has can't be told: see df.")
		}
		return room(name, dir, int64(disk.Bavail)*int64(disk.Bsize))
	})
}

func room(name, dir string, free int64) Finding {
	switch {
	case free < noRoom:
		return broken(name, dir, "Its disk has %d MB left: make room, or the database stops.", free>>20)
	case free < littleRoom:
		return warning(name, dir, "Its disk has only %.1f GB left: make room.", float64(free)/(1<<30))
	}
	return ok(name, "%s, %d GB free", dir, free>>30)
}
