// Package private runs a PostgreSQL server of the application's own, from
// binaries found on the machine, reachable on a unix socket only.
package private

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
)

// role owns every database of the server; whoever can open the socket is it.
const role = "vivra"

// port only names the socket: the server listens on no network address.
const port = "5432"

// Config says where the server keeps its data and which binaries it is.
type Config struct {
	// DataDir holds the cluster, its lock and its log. Empty means a temporary
	// folder, in memory when Fast and there is room, that Stop removes.
	DataDir string
	// BinDir holds postgres and initdb; empty: they are searched for.
	BinDir string
	// Fast gives up durability: for tests and rehearsals.
	Fast bool
	// Log is told what takes long; nil for nobody. The server's own messages
	// go to server.log in DataDir.
	Log io.Writer
}

// Server is a running PostgreSQL.
type Server struct {
	home    *home
	process *process
	stop    sync.Once
	stopErr error
}

// Start makes the cluster if there is none, starts its server and returns when
// it answers. ctx bounds the start only. If this process dies, the kernel asks
// the server to shut down.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	h, err := openHome(cfg)
	if err != nil {
		return nil, err
	}
	p, err := startIn(ctx, h, cfg)
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	return &Server{home: h, process: p}, nil
}

func startIn(ctx context.Context, h *home, cfg Config) (*process, error) {
	if err := h.awaitPredecessor(ctx); err != nil {
		return nil, err
	}
	bin, err := findBinaries(ctx, cfg.BinDir, h)
	if err != nil {
		return nil, err
	}
	if err := h.initialise(ctx, bin, cfg); err != nil {
		return nil, err
	}
	return h.serve(ctx, bin, cfg.Fast)
}

// DSN is the address of a database of the server. The database "postgres"
// always exists; others are made with SQL. It spells out everything that a
// client would otherwise take from PG* variables.
func (s *Server) DSN(db string) string {
	q := url.Values{"host": {s.home.socket}, "port": {port}, "user": {role}, "sslmode": {"disable"}}
	query := strings.ReplaceAll(q.Encode(), "+", "%20") // PostgreSQL's clients don't read + as a space
	return (&url.URL{Scheme: "postgres", Path: "/" + db, RawQuery: query}).String()
}

// Done is closed when the server has ended, asked or not.
func (s *Server) Done() <-chan struct{} { return s.process.done }

// Stop shuts the server down cleanly; when ctx ends first, by force. Later
// calls return what the first one did.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() { s.stopErr = errors.Join(s.process.stop(ctx), s.home.close()) })
	return s.stopErr
}

func tell(w io.Writer, format string, args ...any) {
	if w != nil {
		fmt.Fprintf(w, format+"\n", args...)
	}
}
