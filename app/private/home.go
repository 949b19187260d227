package private

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"vivra/app"
)

// home is the folder of one server: its cluster, socket, log and lock. The
// folder stays ours; only cluster and socket belong to the server's account.
type home struct {
	dir       string
	cluster   string
	socket    string // folder of the socket
	log       string
	account   *syscall.Credential // whom the server runs as; nil: as we do
	lock      *os.File
	temporary bool
}

// openHome makes the folders and takes the lock, which the kernel gives back
// when this process dies.
func openHome(cfg Config) (*home, error) {
	account, err := serverAccount()
	if err != nil {
		return nil, err
	}
	dir, lock, err := claim(cfg)
	if err != nil {
		return nil, err
	}
	h := &home{
		dir: dir, cluster: filepath.Join(dir, "cluster"), socket: socketFolder(dir), log: filepath.Join(dir, "server.log"),
		account: account, lock: lock, temporary: cfg.DataDir == "",
	}
	if err := h.prepare(); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

func claim(cfg Config) (dir string, lock *os.File, err error) {
	if cfg.DataDir == "" {
		return claimTemporary(cfg.Fast)
	}
	if err := os.MkdirAll(filepath.Dir(cfg.DataDir), 0o755); err != nil {
		return "", nil, fmt.Errorf("make data folder: %w", err)
	}
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return "", nil, fmt.Errorf("make data folder: %w", err)
	}
	dir, err = filepath.Abs(cfg.DataDir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", nil, fmt.Errorf("resolve data folder: %w", err)
	}
	lock, err = takeLock(dir)
	return dir, lock, err
}

func takeLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock of data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, app.Errorf(app.Conflict, "The database in %s is in use by another running process. Stop that one first, or use another data folder.", dir)
		}
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	return f, nil
}

func (h *home) prepare() error {
	if h.account != nil {
		// The folder itself is ours, so it may be opened; its parents are not for us to change.
		if err := os.Chmod(h.dir, 0o711); err != nil {
			return fmt.Errorf("open data folder to the server's account: %w", err)
		}
		if err := searchable(h.dir); err != nil {
			return err
		}
	}
	return h.own(h.socket)
}

// searchable checks that an account other than ours can reach dir. Without it
// the failure would be a bare "permission denied" from the first program run.
func searchable(dir string) error {
	for d := filepath.Dir(dir); ; d = filepath.Dir(d) {
		info, err := os.Stat(d)
		if err != nil {
			return fmt.Errorf("look at the parents of the data folder: %w", err)
		}
		if info.Mode().Perm()&0o001 == 0 {
			return app.Errorf(app.Denied, "PostgreSQL can't run as root and its account can't enter %s (mode %04o). Use a data folder elsewhere, such as /var/lib/vivra, or run chmod o+x %s.", d, info.Mode().Perm(), d)
		}
		if d == filepath.Dir(d) {
			return nil
		}
	}
}

// own makes dir, closed to all but the server's account. A folder that a
// stranger made first, in a shared temporary folder, is refused.
func (h *home) own(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("make folder of database: %w", err)
	}
	uid, gid := os.Geteuid(), os.Getegid()
	if h.account != nil {
		uid, gid = int(h.account.Uid), int(h.account.Gid)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at folder of database: %w", err)
	}
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	if !info.IsDir() || (owner != uid && owner != os.Geteuid()) {
		return app.Errorf(app.Denied, "%s is not a folder of this user: remove it and start again.", dir)
	}
	if owner != uid {
		if err := os.Chown(dir, uid, gid); err != nil {
			return fmt.Errorf("give folder to the server's account: %w", err)
		}
	}
	return os.Chmod(dir, 0o700)
}

// socketFolder keeps the socket beside the cluster unless the path would be
// longer than the 107 bytes a socket's may have.
func socketFolder(dir string) string {
	const limit = 107 - len("/.s.PGSQL."+port)
	if inside := filepath.Join(dir, "socket"); len(inside) <= limit {
		return inside
	}
	sum := sha256.Sum256([]byte(dir))
	name := "vivra-" + hex.EncodeToString(sum[:6])
	if short := filepath.Join(os.TempDir(), name); len(short) <= limit {
		return short
	}
	return filepath.Join("/tmp", name)
}

func (h *home) close() error {
	var err error
	if h.temporary {
		err = os.RemoveAll(h.dir)
	}
	if filepath.Dir(h.socket) != h.dir {
		err = errors.Join(err, os.RemoveAll(h.socket))
	}
	return errors.Join(err, h.lock.Close())
}
