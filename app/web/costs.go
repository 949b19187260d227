package web

import (
	"context"
	"sync"

	"vivra/app"
)

// costs are where an operation's money went.
type costs struct {
	spending app.Spending
	sources  []app.SourceCost
}

// sums keeps the costs of each operation while nothing of it changes: all
// viewers of a live page ask for them at the same moment.
type sums struct {
	mu sync.Mutex
	of map[int64]sum
}

type sum struct {
	costs
	asOf moment
}

// moment names a state of the books: none of it changes without one of these.
type moment struct {
	seq             int64
	spent, reserved app.Nano
	prices          int
}

// costs reads where an operation's money went.
func (s *Server) costs(ctx context.Context, op app.Operation) (app.Spending, []app.SourceCost, error) {
	prices, err := s.Store.PriceList(ctx)
	if err != nil {
		return app.Spending{}, nil, err
	}
	now := moment{op.Seq, op.Spent, op.Reserved, len(prices)}
	s.sums.mu.Lock()
	defer s.sums.mu.Unlock()
	if known := s.sums.of[op.ID]; known.asOf == now {
		return known.spending, known.sources, nil
	}
	var fresh costs
	if fresh.spending, err = s.Store.Spending(ctx, op.ID); err != nil {
		return fresh.spending, nil, err
	}
	if fresh.sources, err = s.Store.CostsBySource(ctx, op.ID); err != nil {
		return fresh.spending, nil, err
	}
	if s.sums.of == nil {
		s.sums.of = map[int64]sum{}
	}
	s.sums.of[op.ID] = sum{fresh, now}
	return fresh.spending, fresh.sources, nil
}
