package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// AccountsOnX returns the accounts that operations speak with and those that
// were ever connected, those of operations first.
func (s *Store) AccountsOnX(ctx context.Context) ([]app.XAccount, error) {
	l := xList{byName: map[string]int{}}
	for _, read := range []func(context.Context, *xList) error{s.listXOperations, s.listXAccounts, s.listXConnections, s.listXPosts, s.listXWaiting} {
		if err := read(ctx, &l); err != nil {
			return nil, fmt.Errorf("list accounts on X: %w", err)
		}
	}
	return l.all, nil
}

// XConnection returns one setting out to connect an account.
func (s *Store) XConnection(ctx context.Context, id string) (app.XConnection, error) {
	r, err := s.q.XConnection(ctx, s.pool, id)
	if err != nil {
		return app.XConnection{}, notFound(err, "connection")
	}
	return xConnectionOf(r), nil
}

func xConnectionOf(r dbsqlc.XConnection) app.XConnection {
	return app.XConnection{ID: r.ID, Handle: r.Handle, By: r.UserName, StartedAt: r.StartedAt, Expires: r.ExpiresAt, Outcome: app.XOutcome(r.Outcome), Said: r.Said}
}

// xList is the accounts, in the order in which they were first met.
type xList struct {
	all    []app.XAccount
	byName map[string]int // by the name in lower case
}

func (l *xList) at(handle string) *app.XAccount {
	name := strings.ToLower(handle)
	i, met := l.byName[name]
	if !met {
		i = len(l.all)
		l.byName[name] = i
		l.all = append(l.all, app.XAccount{Handle: handle})
	}
	return &l.all[i]
}

func (s *Store) listXOperations(ctx context.Context, l *xList) error {
	rows, err := s.q.OperationsOnX(ctx, s.pool)
	for _, r := range rows {
		a := l.at(r.Handle)
		a.Operations = append(a.Operations, app.XOperation{ID: r.ID, Slug: r.Slug, Symbol: r.Symbol, State: r.State})
	}
	return err
}

func (s *Store) listXAccounts(ctx context.Context, l *xList) error {
	rows, err := s.q.KnownXAccounts(ctx, s.pool)
	for _, r := range rows {
		a := l.at(r.Handle)
		a.State, a.UserID, a.Scopes, a.ConnectedAt, a.ConnectedBy = app.XAccountState(r.State), r.UserID, r.Scopes, r.ConnectedAt, r.ConnectedBy
		a.RenewedAt, a.Fault, a.FaultSince = r.RenewedAt, r.Fault, r.FaultSince
		if a.State == app.XConnected {
			a.ExpiresAt = &r.ExpiresAt
		}
	}
	return err
}

func (s *Store) listXConnections(ctx context.Context, l *xList) error {
	rows, err := s.q.LastXConnections(ctx, s.pool)
	for _, r := range rows {
		c := xConnectionOf(r)
		l.at(r.Handle).LastTry = &c
	}
	return err
}

func (s *Store) listXPosts(ctx context.Context, l *xList) error {
	handles := make([]string, len(l.all))
	for i, a := range l.all {
		handles[i] = a.Handle
	}
	rows, err := s.q.LastPostsOnX(ctx, s.pool, handles)
	for _, r := range rows {
		l.at(r.Handle).LastPost = &app.XPost{At: r.At, Link: r.Link}
	}
	return err
}

// paused is why nothing of a paused operation goes out.
const paused = "the operation is paused"

func (s *Store) listXWaiting(ctx context.Context, l *xList) error {
	rows, err := s.q.WaitingOnX(ctx, s.pool)
	slices.SortFunc(rows, func(a, b dbsqlc.WaitingOnXRow) int { return cmp.Compare(a.Error, b.Error) }) // what has a reason decides
	for _, r := range rows {
		a := l.at(r.Handle)
		a.Waiting += r.Waiting
		a.Held, a.HeldUntil = r.Error, &r.NotBefore
		if r.OperationState == app.OperationPaused && r.Error == "" {
			a.Held, a.HeldUntil = paused, nil
		}
	}
	return err
}
