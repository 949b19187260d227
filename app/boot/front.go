package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// front answers from the first moment: with a plain sentence until the
// application behind it is up.
type front struct {
	behind atomic.Pointer[http.Handler]
	log    *slog.Logger
}

func newFront(log *slog.Logger) *front { return &front{log: log} }

func (f *front) open(h http.Handler) { f.behind.Store(&h) }

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := f.behind.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Retry-After", "5")
	w.WriteHeader(http.StatusServiceUnavailable)
	fmt.Fprintln(w, "Vivra is starting, or its database does not answer yet. Nothing is lost. Reload in a few seconds.")
}

// serve answers requests at listener, or at addr when it is nil, until ctx is
// done. Requests inherit ctx, so live streams end by themselves and Shutdown
// does not wait for them.
func serve(ctx context.Context, listener net.Listener, addr string, handler http.Handler) error {
	srv := &http.Server{
		Handler:           handler,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second, // streams lift it
		IdleTimeout:       2 * time.Minute,
	}
	if listener == nil {
		var err error
		if listener, err = net.Listen("tcp", addr); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		stopped <- srv.Shutdown(grace)
	}()
	if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", listener.Addr(), err)
	}
	return <-stopped
}
