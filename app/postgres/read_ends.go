package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"vivra/app"
	"vivra/app/calendar"
	"vivra/app/postgres/dbsqlc"
)

// SettleRead books what came of a read at the price it was admitted with. What
// the operation has paid on the same UTC day costs nothing more. One that was
// taken for lost meanwhile is paid already.
func (s *Store) SettleRead(ctx context.Context, operationID, id int64, came []string, now time.Time) error {
	return s.endRead(ctx, operationID, id, now, func(t *opTx, r dbsqlc.XRead) (readEnd, error) {
		came = slices.Compact(slices.Sorted(slices.Values(came)))
		fresh, err := t.pay(ctx, r, came)
		if err != nil {
			return readEnd{}, err
		}
		if err := t.beyond(ctx, r, len(came), r.PriceNusd*app.Nano(fresh)); err != nil {
			return readEnd{}, err
		}
		return readEnd{state: "settled", came: len(came), cost: r.PriceNusd * app.Nano(fresh), source: app.CostPriceList, said: app.ReadKind(r.Kind).Read(len(came))}, nil
	})
}

// LoseRead books a read whose answer was lost at its bound: X may have sent all
// of it.
func (s *Store) LoseRead(ctx context.Context, operationID, id int64, now time.Time) error {
	return s.endRead(ctx, operationID, id, now, func(_ *opTx, r dbsqlc.XRead) (readEnd, error) { return lostRead(r), nil })
}

// LoseExpiredReads does so for reads whose process died (wall clock).
func (s *Store) LoseExpiredReads(ctx context.Context, now, wall time.Time) error {
	rows, err := s.q.ExpiredReads(ctx, s.pool, wall)
	if err != nil {
		return fmt.Errorf("list expired reads: %w", err)
	}
	var faults []error
	for _, r := range rows {
		faults = append(faults, s.LoseRead(ctx, r.OperationID, r.ID, now))
	}
	return errors.Join(faults...)
}

// readEnd is what became of a read.
type readEnd struct {
	state  string
	came   int
	cost   app.Nano
	source app.CostSource
	said   string
}

func lostRead(r dbsqlc.XRead) readEnd {
	return readEnd{state: "unknown", cost: r.ReservedNusd, source: app.CostBound, said: "An answer of X was lost; its whole reservation counts as spent"}
}

func (s *Store) endRead(ctx context.Context, operationID, id int64, now time.Time, fn func(*opTx, dbsqlc.XRead) (readEnd, error)) error {
	return s.inOperation(ctx, operationID, now, func(t *opTx) error {
		r, err := s.q.OpenRead(ctx, t, dbsqlc.OpenReadParams{ID: id, OperationID: operationID})
		if noRows(err) {
			return nil // whoever took it for lost has booked it
		}
		if err != nil {
			return fmt.Errorf("read what was reserved: %w", err)
		}
		end, err := fn(t, r)
		if err != nil {
			return err
		}
		return t.bookRead(ctx, r, end)
	})
}

// pay marks what came as paid today and returns how many of it were not yet.
// What was asked for before midnight and came after it counts as new on both days.
func (t *opTx) pay(ctx context.Context, r dbsqlc.XRead, came []string) (fresh int, err error) {
	day := t.now.Format(time.DateOnly)
	if len(came) == 0 || day != r.CreatedAt.UTC().Format(time.DateOnly) {
		return len(came), nil
	}
	if fresh, err = t.store.q.PayForRead(ctx, t, dbsqlc.PayForReadParams{OperationID: t.op.ID, Day: day, Kind: r.Kind, Ids: came}); err != nil {
		return 0, fmt.Errorf("mark as paid: %w", err)
	}
	if err := t.store.q.ForgetPaid(ctx, t, dbsqlc.ForgetPaidParams{OperationID: t.op.ID, Day: day}); err != nil {
		return 0, fmt.Errorf("forget what was paid before: %w", err)
	}
	return fresh, nil
}

// beyond tells the team, once a day, that X sent and charged more than was asked
// for: what is held back for a read is then no wall.
func (t *opTx) beyond(ctx context.Context, r dbsqlc.XRead, came int, cost app.Nano) error {
	if cost <= r.ReservedNusd {
		return nil
	}
	_, err := t.raise(ctx, "overrun", "x/"+t.now.Format(time.DateOnly), fmt.Sprintf("X sent %d %ss in answer to a request for %d, and charges for each: %s instead of %s. All of it is booked.",
		came, r.Kind, r.Most, cost, r.ReservedNusd))
	return err
}

// bookRead replaces a read's reservation by its cost. The log tells of what cost
// money only: a look that brings nothing is free.
func (t *opTx) bookRead(ctx context.Context, r dbsqlc.XRead, end readEnd) error {
	err := t.store.q.SettleRead(ctx, t, dbsqlc.SettleReadParams{State: end.state, CostNusd: &end.cost, Came: end.came, SettledAt: &t.now, ID: r.ID})
	if err != nil {
		return fmt.Errorf("settle read: %w", err)
	}
	if end.cost > 0 {
		t.add(app.EventLine{Kind: "read", Agent: r.Agent, Step: r.StepKey, Summary: end.said, Cost: end.cost, CostSource: string(end.source), Model: "x"})
	}
	if err := t.shareOfRead(ctx, r, end.cost); err != nil {
		return err
	}
	return t.book(ctx, r.ReservedNusd, end.cost)
}

// shareOfRead books a read with the agent that it is for: what the system reads
// to publish a step's output counts as the publication does.
func (t *opTx) shareOfRead(ctx context.Context, r dbsqlc.XRead, cost app.Nano) error {
	if !r.Shared {
		step, err := t.store.q.StepByKey(ctx, t, dbsqlc.StepByKeyParams{OperationID: t.op.ID, Key: r.StepKey})
		if noRows(err) || err == nil && step.Agent == calendar.System {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read whose step it is for: %w", err)
		}
		return t.spendShare(ctx, step.Agent, cost)
	}
	row, err := t.store.q.SettleShareOfRead(ctx, t, dbsqlc.SettleShareOfReadParams{OperationID: t.op.ID, Agent: r.Agent,
		Cost: int64(cost), Held: int64(r.ReservedNusd), More: int64(cost - r.ReservedNusd)})
	if err != nil {
		return fmt.Errorf("book share: %w", err)
	}
	return t.warn(ctx, wallSubject(wallAgent, r.Agent), r.Agent+"'s share of the cap", row.SpentNusd, row.ShareNusd)
}

// ReadCosts sums the reads of an operation, and counts those whose answer was
// lost.
func (s *Store) ReadCosts(ctx context.Context, operationID int64) (cost app.Nano, lost int, err error) {
	row, err := s.q.ReadCosts(ctx, s.pool, operationID)
	if err != nil {
		return 0, 0, fmt.Errorf("sum reads: %w", err)
	}
	return app.Nano(row.Cost), row.Unknown, nil
}
