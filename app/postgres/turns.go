package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/effects"
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
// another effect has published.
func (s *Store) BookedElsewhere(ctx context.Context, e app.Effect, providerID string) (bool, error) {
	return s.bookedElsewhere(ctx, s.pool, e, providerID)
}

func (s *Store) bookedElsewhere(ctx context.Context, db dbsqlc.DBTX, e app.Effect, providerID string) (bool, error) {
	kinds, begins := effects.Numbered(e)
	taken, err := s.q.BookedElsewhere(ctx, db, dbsqlc.BookedElsewhereParams{Kinds: kinds, Begins: begins, ProviderID: providerID, ID: e.ID})
	if err != nil {
		return false, fmt.Errorf("look for the publication's number: %w", err)
	}
	return taken, nil
}

// turn is when a publication on an account may begin: behind those that wait
// there already, and not while X wants to be paid first. spaced looks once more
// when the time has come.
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
	return latest(t.now, last.At.Add(settings.PostSpacing), last.HeldUntil), nil
}

func latest(all ...time.Time) time.Time { return slices.MaxFunc(all, time.Time.Compare) }

// postsAs is the account on X that an effect posts with, in turn or not; empty
// for any other.
func postsAs(e dbsqlc.Effect) string { return cmp.Or(e.Account, strings.ToLower(e.RepliesAs)) }

// releaseAccount has what is posted with an effect's account wait no more for X
// to be paid.
func (t *opTx) releaseAccount(ctx context.Context, e dbsqlc.Effect) error {
	account := postsAs(e)
	if account == "" {
		return nil
	}
	if err := t.store.q.ReleaseAccount(ctx, t, account); err != nil {
		return fmt.Errorf("release the account: %w", err)
	}
	return nil
}
