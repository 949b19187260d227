package boot

import (
	"log/slog"
	"strings"
	"testing"

	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/postgres"
	"vivra/app/replay"
)

// TestReplayOnlyReads: the server itself refuses a write of a replay.
func TestReplayOnlyReads(t *testing.T) {
	t.Parallel()
	cfg, log := Config{DatabaseURL: testdb.URL(t)}, slog.New(slog.DiscardHandler)
	if err := Migrate(t.Context(), cfg, log); err != nil {
		t.Fatal(err)
	}
	err := Replay(t.Context(), cfg, log, func(_ *replay.Replayer, store *postgres.Store) error {
		return store.SetSetting(t.Context(), "run.retries", []byte("1"), "ada", testop.J0)
	})
	if err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a write in a replay gives %v", err)
	}
}

func TestReadOnlyAddresses(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]string{
		"postgres://h/db":        "postgres://h/db?default_transaction_read_only=on",
		"postgres:///db?host=/x": "postgres:///db?host=/x&default_transaction_read_only=on",
		"host=/x dbname=db":      "host=/x dbname=db default_transaction_read_only=on",
	} {
		if got := readOnly(dsn); got != want {
			t.Errorf("%s becomes %s, want %s", dsn, got, want)
		}
	}
}
