package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
)

// Gauges returns what there is at now, in one query.
func (s *Store) Gauges(ctx context.Context, now time.Time) (app.Gauges, error) {
	g := app.Gauges{Operations: map[string]int{}, Steps: map[string]int{}, Effects: map[string]int{}, Alerts: map[string]int{}, OpenAlerts: map[string]int{}}
	rows, err := s.q.Gauges(ctx, s.pool, now)
	if err != nil {
		return g, fmt.Errorf("read gauges: %w", err)
	}
	counts := map[string]map[string]int{"operations": g.Operations, "steps": g.Steps, "effects": g.Effects, "alerts": g.Alerts, "open_alerts": g.OpenAlerts}
	money := map[string]*app.Nano{"cap": &g.Cap, "spent": &g.Spent, "reserved": &g.Reserved}
	for _, r := range rows {
		switch r.Family {
		case "money":
			*money[r.Label] = app.Nano(r.N)
		case "waiting":
			g.Waiting, g.OldestWaiting = int(r.N), instant(r.Oldest)
		case "steps":
			g.OldestStep = earlier(g.OldestStep, instant(r.Oldest))
		case "effects":
			g.OldestEffect = earlier(g.OldestEffect, instant(r.Oldest))
		}
		if family, ok := counts[r.Family]; ok {
			family[r.Label] = int(r.N)
		}
	}
	return g, nil
}

func earlier(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}

// PaidCalls returns the paid calls of a run, oldest first, and when it began.
func (s *Store) PaidCalls(ctx context.Context, runID string) (calls []app.PaidCall, began time.Time, err error) {
	rows, err := s.q.PaidCalls(ctx, s.pool, runID)
	if err != nil {
		return nil, began, fmt.Errorf("read calls: %w", err)
	}
	for _, r := range rows {
		c := app.PaidCall{ID: r.ID, Turn: r.Turn, Kind: r.Kind, Model: r.Model, Began: r.CreatedAt.UTC(),
			CallOutcome: app.CallOutcome{State: r.State, Source: app.CostSource(r.CostSource), LatencyMS: r.LatencyMs, Error: r.Error, Lost: r.Lost}}
		if r.CostNusd != nil {
			c.Cost = *r.CostNusd
		}
		if r.Usage != nil {
			if err := json.Unmarshal(r.Usage, &c.Usage); err != nil {
				return nil, began, fmt.Errorf("read usage of call %d: %w", r.ID, err)
			}
		}
		calls, began = append(calls, c), r.StartedAt.UTC()
	}
	return calls, began, nil
}
