package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// The walls of a budget.
const (
	wallRun       = "run"
	wallAgent     = "agent"
	wallOperation = "operation"
)

// ErrPaused says that the operation is paused: what has not begun does not begin.
var ErrPaused = app.Errorf(app.Conflict, "This operation is paused.")

// unlocked is how often a reservation is tried before it takes a lock to be
// decided for good.
const unlocked = 3

// ReserveCall admits one paid call: its worst cost is held back from what is
// left to the run, the agent and the operation, in one statement, and the
// output limit lowered to what is left. A *app.BudgetError says that not even a
// minimal answer fits; ErrPaused and ErrLost that nothing may be asked now.
func (s *Store) ReserveCall(ctx context.Context, c app.Claim, req app.CallRequest, now time.Time) (app.CallGrant, error) {
	var grant app.CallGrant
	// With the row locked only the claim can have gone meanwhile.
	err := s.reserve(ctx, c.OperationID, ErrLost, func(db dbsqlc.DBTX) (admitted bool, err error) {
		grant, admitted, err = s.tryReserve(ctx, db, c, req, now)
		return admitted, err
	})
	return grant, s.refused(ctx, c, req, err, now)
}

// reserve runs try until it is admitted or fails. Where others took what was left
// between its look and its statement, again and again, the operation's row is
// locked: then nobody can, and one that is still not admitted fails with otherwise.
func (s *Store) reserve(ctx context.Context, operationID int64, otherwise error, try func(dbsqlc.DBTX) (admitted bool, err error)) error {
	for range unlocked {
		if admitted, err := try(s.pool); admitted || err != nil {
			return err
		}
	}
	return s.tx(ctx, func(tx pgx.Tx) error {
		if _, err := s.q.OperationForUpdate(ctx, tx, operationID); err != nil {
			return notFound(err, "operation")
		}
		admitted, err := try(tx)
		if err == nil && !admitted {
			err = otherwise
		}
		return err
	})
}

// tryReserve looks at what is left and tries to hold back what fits. It is not
// admitted when that has changed in between.
func (s *Store) tryReserve(ctx context.Context, db dbsqlc.DBTX, c app.Claim, req app.CallRequest, now time.Time) (grant app.CallGrant, admitted bool, err error) {
	left, err := s.q.Allowance(ctx, db, dbsqlc.AllowanceParams{StepID: c.StepID, Fence: c.Fence, Agent: req.Agent, RunID: req.RunID, OperationID: c.OperationID})
	switch {
	case noRows(err):
		return grant, false, ErrLost
	case err != nil:
		return grant, false, fmt.Errorf("read what is left: %w", err)
	case !left.Claimed || left.State.Final():
		return grant, false, ErrLost
	case left.State != app.OperationRunning:
		return grant, false, ErrPaused
	case left.Agent == "":
		return grant, false, fmt.Errorf("reserve call: %s has no share of the cap", req.Agent)
	}
	grant.OutputLimit, grant.Reserved, err = admit(req, app.Nano(left.RunLeft), app.Nano(left.AgentLeft), app.Nano(left.OperationLeft))
	if err != nil {
		return app.CallGrant{}, false, err
	}
	p := dbsqlc.ReserveCallParams{OperationID: c.OperationID, StepID: c.StepID, Fence: c.Fence, RunID: req.RunID, Agent: left.Agent,
		Turn: req.Turn, Kind: req.Kind, Model: req.Model, RequestSha256: req.RequestSHA256, Amount: int64(grant.Reserved),
		OutputLimit: grant.OutputLimit, Images: req.Images, Size: req.Size, CreatedAt: now}
	if req.Fixed == 0 {
		p.Price = mustJSON(req.Price)
	}
	grant.ID, err = s.q.ReserveCall(ctx, db, p)
	switch {
	case taken(err, "llm_calls"):
		return app.CallGrant{}, false, nil
	case err != nil:
		return app.CallGrant{}, false, fmt.Errorf("reserve call: %w", err)
	}
	return grant, true, nil
}

// taken tells whether a reservation in a table found that what fitted a moment
// ago does not any more: there is no operation for it, or the column of the agent
// or the run that has no room for it would be null.
func taken(err error, table string) bool {
	const notNull = "23502"
	var refusal *pgconn.PgError
	return noRows(err) || errors.As(err, &refusal) && refusal.Code == notNull && refusal.TableName == table
}

// admit decides how much of a call fits under every wall. An overrun is no
// allowance: what a provider charged too much is missing from what comes after.
func admit(req app.CallRequest, run, agent, operation app.Nano) (output int64, reserve app.Nano, err error) {
	wall, left := wallRun, run
	if operation < left {
		wall, left = wallOperation, operation
	}
	if agent < left {
		wall, left = wallAgent, agent
	}
	if req.Fixed > 0 {
		if req.Fixed > left {
			return 0, 0, &app.BudgetError{Wall: wall}
		}
		return 0, req.Fixed, nil
	}
	output = min(req.WantOutput, req.Price.OutputFor(req.RequestBytes, left))
	reserve = req.Price.Bound(req.RequestBytes, output)
	if output < req.MinOutput || reserve > left {
		return 0, 0, &app.BudgetError{Wall: wall}
	}
	return output, reserve, nil
}

// refused tells the team, once, that a wall was met which stands for more than
// one run.
func (s *Store) refused(ctx context.Context, c app.Claim, req app.CallRequest, refusal error, now time.Time) error {
	var budget *app.BudgetError
	if !errors.As(refusal, &budget) || budget.Wall == wallRun {
		return refusal
	}
	agent, err := s.q.AgentOfCall(ctx, s.pool, dbsqlc.AgentOfCallParams{Agent: req.Agent, RunID: req.RunID})
	if err == nil {
		_, err = s.raise(ctx, s.pool, c.OperationID, "budget_exceeded", wallSubject(budget.Wall, agent), exceeded(budget.Wall, agent), now)
	}
	return errors.Join(refusal, err)
}

// wallSubject is what an alert of a wall is about.
func wallSubject(wall, agent string) string {
	if wall == wallAgent {
		return "agent:" + agent
	}
	return wallOperation
}

func exceeded(wall, agent string) string {
	if wall == wallAgent {
		return agent + " has used up its share of the cap: what it wanted to ask next does not fit in what is left. Raise budget.share_percent." + agent + " and retry its step, or skip it."
	}
	return "The cap is used up: what " + agent + " wanted to ask next does not fit in what is left. Retry its step when others have given money back, skip it, or stop the operation."
}
