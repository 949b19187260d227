package private

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// Standing is how a server stands, seen from outside.
type Standing struct {
	DSN     string // of its database "postgres"; empty: it does not run
	Version string // that made the cluster; empty: there is none yet
	Bin     string // what it would be started from; empty while it runs
}

// Look says how the server of a data folder stands. It starts nothing and makes
// nothing; an error is what would keep it from starting.
func Look(ctx context.Context, cfg Config) (Standing, error) {
	dir, err := filepath.Abs(cfg.DataDir)
	if err != nil {
		return Standing{}, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	h := &home{dir: dir, cluster: filepath.Join(dir, "cluster"), socket: socketFolder(dir)}
	s := Standing{Version: h.version()}
	if h.served() && h.answers() {
		s.DSN = (&Server{home: h}).DSN("postgres")
		return s, nil
	}
	if h.account, err = serverAccount(); err != nil {
		return s, err
	}
	if h.account != nil {
		err = searchable(nearest(dir))
	}
	bin, missing := findBinaries(ctx, cfg.BinDir, h)
	s.Bin = bin
	return s, errors.Join(err, missing)
}

// nearest is the first folder on the way to dir that is not there yet, or dir:
// what is above it exists.
func nearest(dir string) string {
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Dir(dir)); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}
