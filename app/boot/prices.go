package boot

import (
	"context"
	"log/slog"
	"strings"

	"vivra/app"
	"vivra/app/postgres"
)

// ImportPrices adds rows to the price list of the database, which the
// application may be serving from meanwhile, and returns how many were new.
func ImportPrices(ctx context.Context, cfg Config, rows []app.PriceRow, by string, log *slog.Logger) (added int, err error) {
	cfg = cfg.withDefaults()
	err = onDatabase(ctx, cfg, log, func(store *postgres.Store, served bool) error {
		if !served { // a program that serves keeps its schema
			if err := store.Migrate(ctx); err != nil {
				return err
			}
		}
		added, err = store.ImportPrices(ctx, rows, by, cfg.Clock.Now())
		return err
	})
	return added, err
}

// PriceList reads the price list of the database.
func PriceList(ctx context.Context, cfg Config, log *slog.Logger) (list app.PriceList, err error) {
	cfg = cfg.withDefaults()
	err = onDatabase(ctx, cfg, log, func(store *postgres.Store, _ bool) error {
		list, err = store.PriceList(ctx)
		return err
	})
	return list, err
}

// onDatabase runs do on the database that reach finds.
func onDatabase(ctx context.Context, cfg Config, log *slog.Logger, do func(store *postgres.Store, served bool) error) error {
	db, served, err := reach(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer db.stop()
	store, err := postgres.Open(ctx, db.dsn)
	if err != nil {
		return err
	}
	defer store.Close()
	err = do(store, served)
	if err != nil && strings.Contains(err.Error(), "(SQLSTATE 42P01)") { // there is no such table
		return app.Errorf(app.Invalid, "The database is not at this program's schema: run vivra migrate first.")
	}
	return err
}
