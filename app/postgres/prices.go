package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// PriceList returns every price that is known, the built-in ones first.
func (s *Store) PriceList(ctx context.Context) (app.PriceList, error) {
	rows, err := s.q.Prices(ctx, s.pool)
	if err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	return append(app.DefaultPrices(), priceRows(rows)...), nil
}

func priceRows(rows []dbsqlc.Price) (list app.PriceList) {
	for _, r := range rows {
		list = append(list, app.PriceRow{Model: r.Model, Kind: r.Kind, Size: r.Size, Image: r.ImageNusd,
			Price:       app.Price{Input: r.InputNusd, Cached: r.CachedNusd, Output: r.OutputNusd},
			EffectiveAt: r.EffectiveAt.UTC(), ImportedAt: r.ImportedAt.UTC(), By: r.ImportedBy, Source: r.Source})
	}
	return list
}

// ImportPrices adds what is new in rows to the price list, all or none. Nothing
// that was booked changes.
func (s *Store) ImportPrices(ctx context.Context, rows []app.PriceRow, by string, now time.Time) (done app.PriceImport, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		done = app.PriceImport{}
		if err := s.q.LockPrices(ctx, tx); err != nil {
			return fmt.Errorf("lock prices: %w", err)
		}
		had, err := s.q.Prices(ctx, tx)
		if err != nil {
			return fmt.Errorf("read prices: %w", err)
		}
		list := priceRows(had)
		var fresh []app.PriceRow
		for _, r := range rows {
			if correction, was := list.Corrected(r); was && !r.Again {
				done.Skipped = append(done.Skipped, app.SkippedPrice{Row: r, Correction: correction})
				continue
			}
			n, err := s.q.AddPrice(ctx, tx, dbsqlc.AddPriceParams{Model: r.Model, Kind: r.Kind, Size: r.Size, InputNusd: r.Price.Input,
				CachedNusd: r.Price.Cached, OutputNusd: r.Price.Output, ImageNusd: r.Image, EffectiveAt: r.EffectiveAt, ImportedAt: now, ImportedBy: by, Source: r.Source})
			if err != nil {
				return fmt.Errorf("add price of %s: %w", r.Model, err)
			}
			if n == 1 {
				fresh = append(fresh, r)
			}
		}
		done.Added, done.Known = len(fresh), len(rows)-len(fresh)-len(done.Skipped)
		if done.Added == 0 {
			return nil
		}
		return s.audit(ctx, tx, by, "prices.import", strconv.Itoa(done.Added)+" prices", now, nil, fresh)
	})
	return done, err
}
