package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// listenSilence is how long the listener trusts a silent connection before it
// checks that it is still one.
const listenSilence = 10 * time.Second

// Listen calls changed with the id of each operation that any process changed,
// until ctx ends. After a broken connection it reconnects and calls changed
// with 0: anything may have been missed.
func (s *Store) Listen(ctx context.Context, changed func(operation string)) error {
	for {
		err := s.listenOnce(ctx, changed)
		if ctx.Err() != nil {
			return nil
		}
		_ = err // a broken listener is expected while the database restarts: the poll behind it goes on
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
	}
}

func (s *Store) listenOnce(ctx context.Context, changed func(string)) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer func() {
		_ = conn.Conn().Close(context.WithoutCancel(ctx)) // never give a listening connection back
		conn.Release()
	}()
	if _, err := conn.Exec(ctx, "LISTEN vivra"); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	changed("0")
	for {
		wait, cancel := context.WithTimeout(ctx, listenSilence)
		n, err := conn.Conn().WaitForNotification(wait)
		cancel()
		switch {
		case err == nil:
			changed(n.Payload)
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, context.DeadlineExceeded):
			// pgx keeps the connection usable after a wait that timed out.
			if err := conn.Ping(ctx); err != nil {
				return fmt.Errorf("listen: %w", err)
			}
		default:
			return fmt.Errorf("listen: %w", err)
		}
	}
}
