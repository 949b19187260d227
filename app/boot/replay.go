package boot

import (
	"context"
	"log/slog"
	"strings"

	"vivra/app/agents"
	"vivra/app/openai"
	"vivra/app/postgres"
	"vivra/app/replay"
	"vivra/app/tools"
	"vivra/prompts"
	"vivra/specs"
)

// Replay opens the database as it is, for reading only, and hands over what
// plays stored runs again. Nothing is sent: the tools have no world.
func Replay(ctx context.Context, cfg Config, log *slog.Logger, do func(*replay.Replayer, *postgres.Store) error) error {
	cfg = cfg.withDefaults()
	catalogue, err := agents.Load(specs.FS, prompts.FS, tools.All(tools.Deps{}), func(string) bool { return true })
	if err != nil {
		return err
	}
	db, err := reachExisting(ctx, cfg, log)
	if err != nil {
		return err
	}
	a := &App{Config: cfg}
	return onDatabase(ctx, db, readOnly(db.dsn), func(store *postgres.Store) error {
		return do(&replay.Replayer{Store: store, Catalogue: catalogue, Encoder: openai.New(openai.Config{}), LivePage: a.livePage}, store)
	})
}

// readOnly has the server refuse every write of the connections to dsn, an
// address or a list of key=value pairs.
func readOnly(dsn string) string {
	const setting = "default_transaction_read_only=on"
	switch {
	case !strings.Contains(dsn, "://"):
		return dsn + " " + setting
	case strings.Contains(dsn, "?"):
		return dsn + "&" + setting
	}
	return dsn + "?" + setting
}
