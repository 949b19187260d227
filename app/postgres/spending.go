package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
)

// Spending returns where an operation's money stands, by agent, and what has
// been spent by the price list as it stands today.
func (s *Store) Spending(ctx context.Context, operationID int64) (app.Spending, error) {
	op, err := s.Operation(ctx, operationID)
	if err != nil {
		return app.Spending{}, err
	}
	out := app.Spending{Cap: op.Cap, Spent: op.Spent, Reserved: op.Reserved, Today: op.Spent}
	shares, err := s.q.Shares(ctx, s.pool, operationID)
	if err != nil {
		return out, fmt.Errorf("read shares: %w", err)
	}
	for _, g := range shares {
		out.Agents = append(out.Agents, app.AgentSpending{Agent: g.Agent, Share: g.ShareNusd, Spent: g.SpentNusd, Reserved: g.ReservedNusd})
	}
	correction, err := s.correction(ctx, operationID)
	out.Today += correction
	return out, err
}

// correction is what an operation's calls would have cost more by today's price list.
func (s *Store) correction(ctx context.Context, operationID int64) (app.Nano, error) {
	list, err := s.PriceList(ctx)
	if err != nil {
		return 0, err
	}
	calls, err := s.q.PricedCalls(ctx, s.pool, operationID)
	if err != nil {
		return 0, fmt.Errorf("read calls: %w", err)
	}
	var sum app.Nano
	for _, c := range calls {
		if c.CostNusd == nil {
			continue
		}
		today, err := pricedCall{c.Kind, c.Model, *c.CostNusd, c.CostSource, c.Usage, c.Images, c.Size, c.CreatedAt}.by(list)
		if err != nil {
			return 0, err
		}
		sum += today - *c.CostNusd
	}
	return sum, nil
}

// pricedCall is what a cost was computed from.
type pricedCall struct {
	kind, model string
	cost        app.Nano
	source      string
	usage       json.RawMessage
	images      int
	size        string
	at          time.Time
}

// by returns what the call costs by a price list, which is what was booked when
// no list decided it.
func (c pricedCall) by(list app.PriceList) (app.Nano, error) {
	switch {
	case app.CostSource(c.source) == app.CostTable && c.usage != nil:
		var usage app.Usage
		if err := json.Unmarshal(c.usage, &usage); err != nil {
			return 0, fmt.Errorf("read usage: %w", err)
		}
		if price, ok := list.At(c.model, c.at); ok {
			cost, _ := price.Cost(usage, c.cost)
			return cost, nil
		}
	case app.CostSource(c.source) == app.CostPriceList && c.kind == app.PriceImage && c.cost > 0:
		if price, ok := list.ImageAt(c.model, c.size, c.at); ok {
			return price * app.Nano(c.images), nil
		}
	}
	return c.cost, nil
}
