package boot

import (
	"context"
	"log/slog"

	"vivra/app"
	"vivra/app/postgres"
)

// ImportPrices adds rows to the price list of the database, which the
// application may be serving from meanwhile, and returns what came of it.
func ImportPrices(ctx context.Context, cfg Config, rows []app.PriceRow, by string, log *slog.Logger) (done app.PriceImport, err error) {
	cfg = cfg.withDefaults()
	db, served, err := reach(ctx, cfg, log)
	if err != nil {
		return done, err
	}
	err = onDatabase(ctx, db, db.dsn, func(store *postgres.Store) error {
		if !served { // a program that serves keeps its schema
			if err := store.Migrate(ctx); err != nil {
				return err
			}
		}
		done, err = store.ImportPrices(ctx, rows, by, cfg.Clock.Now())
		return err
	})
	return done, err
}

// PriceList reads the price list of the database.
func PriceList(ctx context.Context, cfg Config, log *slog.Logger) (list app.PriceList, err error) {
	cfg = cfg.withDefaults()
	db, err := reachExisting(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	err = onDatabase(ctx, db, db.dsn, func(store *postgres.Store) error {
		list, err = store.PriceList(ctx)
		return err
	})
	return list, err
}
