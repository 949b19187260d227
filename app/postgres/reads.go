package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// ReserveRead admits one read of X: what its most can cost is held back from
// what is left to the operation, and to the agent unless the read is forced, in
// one statement; most is lowered to what fits. A *app.BudgetError says that not
// even the least fits. Whoever has not settled it until lease (wall clock) is
// taken for dead.
func (s *Store) ReserveRead(ctx context.Context, r app.ReadRequest, now, lease time.Time) (app.ReadGrant, error) {
	var grant app.ReadGrant
	err := s.reserve(ctx, r.OperationID, &app.BudgetError{Wall: wallOperation}, func(db dbsqlc.DBTX) (admitted bool, err error) {
		grant, admitted, err = s.tryRead(ctx, db, r, now, lease)
		return admitted, err
	})
	return grant, s.readRefused(ctx, r, err, now)
}

// tryRead looks at what is left and tries to hold back what fits. It is not
// admitted when that has changed in between.
func (s *Store) tryRead(ctx context.Context, db dbsqlc.DBTX, r app.ReadRequest, now, lease time.Time) (grant app.ReadGrant, admitted bool, err error) {
	left, err := s.readAllowance(ctx, db, r)
	if err != nil {
		return grant, false, err
	}
	wall, fits := wallOperation, left.OperationLeft
	if !r.Forced && left.AgentLeft < fits {
		wall, fits = wallAgent, left.AgentLeft
	}
	most := min(r.Most, int(max(fits, 0)/int64(r.Price)))
	if most < r.Least {
		return grant, false, &app.BudgetError{Wall: wall}
	}
	grant = app.ReadGrant{Most: most, Reserved: r.Price * app.Nano(most)}
	grant.ID, err = s.q.ReserveRead(ctx, db, dbsqlc.ReserveReadParams{OperationID: r.OperationID, Agent: r.Agent, StepKey: r.Step, Kind: string(r.Kind), Most: most,
		PriceNusd: r.Price, Shared: !r.Forced, Amount: int64(grant.Reserved), LeaseUntil: lease, CreatedAt: now})
	switch {
	case taken(err, "x_reads"):
		return grant, false, nil
	case err != nil:
		return grant, false, fmt.Errorf("reserve read: %w", err)
	}
	return grant, true, nil
}

// readAllowance is what is left to the operation and to the agent, which gets
// its share with its first read.
func (s *Store) readAllowance(ctx context.Context, db dbsqlc.DBTX, r app.ReadRequest) (dbsqlc.ReadAllowanceRow, error) {
	p := dbsqlc.ReadAllowanceParams{Agent: r.Agent, OperationID: r.OperationID}
	left, err := s.q.ReadAllowance(ctx, db, p)
	if err != nil {
		return left, notFound(err, "operation")
	}
	if r.Forced || left.HasShare {
		return left, nil
	}
	settings, err := s.settings(ctx, db)
	if err != nil {
		return left, err
	}
	err = s.q.SetShare(ctx, db, dbsqlc.SetShareParams{OperationID: r.OperationID, Agent: r.Agent, ShareNusd: settings.Share(r.Agent, left.CapNusd)})
	if err != nil {
		return left, fmt.Errorf("set share: %w", err)
	}
	return s.q.ReadAllowance(ctx, db, p)
}

// readRefused tells the team, once, that a wall was met.
func (s *Store) readRefused(ctx context.Context, r app.ReadRequest, refusal error, now time.Time) error {
	var budget *app.BudgetError
	if !errors.As(refusal, &budget) {
		return refusal
	}
	message := "The cap is used up: X is not read any more for this operation. Raise the cap, or stop the operation."
	if budget.Wall == wallAgent {
		message = r.Agent + " has used up its share of the cap: X is not read any more for it. Raise budget.share_percent." + r.Agent + "."
	}
	_, err := s.raise(ctx, s.pool, r.OperationID, "budget_exceeded", wallSubject(budget.Wall, r.Agent), message, now)
	return errors.Join(refusal, err)
}

// Wasted is what an operation has paid for attempts that published nothing.
func (s *Store) Wasted(ctx context.Context, operationID int64) (app.Nano, error) {
	sum, err := s.q.Wasted(ctx, s.pool, operationID)
	if err != nil {
		return 0, fmt.Errorf("sum what was paid in vain: %w", err)
	}
	return app.Nano(sum), nil
}
