package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// LastRequest returns what the operation's newest publication of a kind was
// made from.
func (s *Store) LastRequest(ctx context.Context, operationID int64, kind string) (json.RawMessage, error) {
	request, err := s.q.LastRequest(ctx, s.pool, dbsqlc.LastRequestParams{OperationID: operationID, Kind: kind})
	if err != nil {
		return nil, notFound(err, "publication")
	}
	return json.RawMessage(request), nil
}

// BookedElsewhere tells whether what a provider knows by that number is what
// another effect of the same kind has published.
func (s *Store) BookedElsewhere(ctx context.Context, e app.Effect, providerID string) (bool, error) {
	taken, err := s.q.BookedElsewhere(ctx, s.pool, dbsqlc.BookedElsewhereParams{Kind: e.Kind, ProviderID: providerID, ID: e.ID})
	if err != nil {
		return false, fmt.Errorf("look for the publication's number: %w", err)
	}
	return taken, nil
}

// turn is when a publication on an account may begin: behind those that wait
// there already. spaced looks once more when the time has come.
func (t *opTx) turn(ctx context.Context, account string) (time.Time, error) {
	settings, err := t.settings(ctx)
	if err != nil {
		return t.now, err
	}
	since := t.now.Add(-settings.PostSpacing)
	last, err := t.store.q.LastTurn(ctx, t, dbsqlc.LastTurnParams{Account: account, Since: &since})
	if err != nil {
		return t.now, fmt.Errorf("look for the account's last turn: %w", err)
	}
	if next := last.Add(settings.PostSpacing); next.After(t.now) {
		return next, nil
	}
	return t.now, nil
}
