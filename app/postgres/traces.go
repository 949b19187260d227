package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// Run returns a run's whole trace.
func (s *Store) Run(ctx context.Context, id string) (app.RunTrace, error) {
	row, err := s.q.Run(ctx, s.pool, id)
	if err != nil {
		return app.RunTrace{}, notFound(err, "run")
	}
	trace := traceOf(row.AgentRun, row.StepKey, row.Slug)
	items, err := s.q.RunItems(ctx, s.pool, id)
	if err != nil {
		return trace, fmt.Errorf("read run: %w", err)
	}
	for _, i := range items {
		var role struct {
			Role string `json:"role"`
		}
		if err := json.Unmarshal(i.Item, &role); err != nil {
			return trace, fmt.Errorf("read item %d: %w", i.Seq, err)
		}
		trace.Items = append(trace.Items, app.TraceItem{Seq: i.Seq, Turn: i.Turn, Role: role.Role, Content: i.Item, At: i.CreatedAt.UTC()})
	}
	trace.Calls, err = s.callsOfRun(ctx, id)
	return trace, err
}

func (s *Store) callsOfRun(ctx context.Context, id string) ([]app.TraceCall, error) {
	rows, err := s.q.CallsOfRun(ctx, s.pool, id)
	if err != nil {
		return nil, fmt.Errorf("read calls: %w", err)
	}
	list, err := s.PriceList(ctx)
	if err != nil {
		return nil, err
	}
	var calls []app.TraceCall
	for _, c := range rows {
		call := app.TraceCall{ID: c.ID, Turn: c.Turn, Kind: c.Kind, State: c.State, Lost: c.Lost, Model: c.Model, Reserved: c.ReservedNusd,
			Source: c.CostSource, Usage: c.Usage, LatencyMS: c.LatencyMs, Error: c.Error, Draft: c.Draft, At: c.CreatedAt.UTC()}
		if len(c.Price) > 0 && c.Kind == "model" {
			if err := json.Unmarshal(c.Price, &call.Price); err != nil {
				return nil, fmt.Errorf("read call %d: %w", c.ID, err)
			}
		}
		if c.CostNusd != nil {
			call.Cost = *c.CostNusd
			today, err := pricedCall{c.Kind, c.Model, call.Cost, c.CostSource, c.Usage, c.Images, c.Size, call.At}.by(list)
			if err != nil {
				return nil, err
			}
			if today != call.Cost {
				call.Corrected = &today
			}
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// StoredRun returns a run with all that its loop was told, for replay.
func (s *Store) StoredRun(ctx context.Context, id string) (app.StoredRun, error) {
	row, err := s.q.Run(ctx, s.pool, id)
	if err != nil {
		return app.StoredRun{}, notFound(err, "run")
	}
	stored := endOf(row.AgentRun)
	if stored.Run.Failures, err = s.q.FailuresOfRun(ctx, s.pool, id); err != nil {
		return stored, fmt.Errorf("count failed calls: %w", err)
	}
	if stored.Operation, err = s.Operation(ctx, stored.Run.OperationID); err != nil {
		return stored, err
	}
	if stored.Run.StepID != 0 {
		if stored.Step, err = s.Step(ctx, stored.Run.StepID); err != nil {
			return stored, err
		}
		if err := s.booksOfStep(ctx, &stored); err != nil {
			return stored, err
		}
	}
	items, err := s.q.RunItems(ctx, s.pool, id)
	if err != nil {
		return stored, fmt.Errorf("read run: %w", err)
	}
	stored.Items = itemsOf(items)
	calls, err := s.q.StoredCalls(ctx, s.pool, id)
	if err != nil {
		return stored, fmt.Errorf("read calls: %w", err)
	}
	for _, c := range calls {
		call, err := storedCall(c)
		if err != nil {
			return stored, err
		}
		stored.Calls = append(stored.Calls, call)
	}
	return stored, nil
}

func storedCall(c dbsqlc.LlmCall) (app.StoredCall, error) {
	call := app.StoredCall{ID: c.ID, Turn: c.Turn, Kind: c.Kind, Agent: c.Agent, Model: c.Model, RequestSHA256: c.RequestSha256, State: c.State,
		Reserved: c.ReservedNusd, Source: app.CostSource(c.CostSource), OutputLimit: c.OutputLimit, Images: c.Images, Size: c.Size,
		Lost: c.Lost, Error: c.Error, At: c.CreatedAt.UTC()}
	if c.CostNusd != nil {
		call.Cost = *c.CostNusd
	}
	if c.Answer != nil {
		call.Answer, call.AnswerSHA256 = json.RawMessage(*c.Answer), *c.AnswerSha256
	}
	for field, raw := range map[any]json.RawMessage{&call.Price: c.Price, &call.Usage: c.Usage} {
		if raw == nil {
			continue
		}
		if err := json.Unmarshal(raw, field); err != nil {
			return call, fmt.Errorf("read call %d: %w", c.ID, err)
		}
	}
	return call, nil
}

// RunIDs returns the runs of an operation, of all of them for 0, oldest first.
func (s *Store) RunIDs(ctx context.Context, operationID int64) ([]string, error) {
	ids, err := s.q.RunIDs(ctx, s.pool, operationID)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	return ids, nil
}
