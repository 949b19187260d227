// Package replay plays stored runs again, offline: the real loop over the
// answers and tool results that were kept, with its books in memory. What it
// asks, says and books must be what was stored, to the byte and the nano-dollar.
package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"vivra/app"
	"vivra/app/agents"
	"vivra/app/cassette"
	"vivra/app/runner"
)

// Replayer plays runs. Its fields are set once.
type Replayer struct {
	Store     Store
	Catalogue *agents.Catalogue
	// Encoder writes requests as the model client does.
	Encoder cassette.Encoder
	// LivePage returns the public address of an operation.
	LivePage func(slug string) string
}

// Store is what is read of the database.
type Store interface {
	Runs
	Terms
	runner.Evidence
}

// Runs are what was stored of runs.
type Runs interface {
	StoredRun(ctx context.Context, id string) (app.StoredRun, error)
	DoneOutput(ctx context.Context, operationID int64, step string) (json.RawMessage, error)
}

// Terms are what a run went by, with their history.
type Terms interface {
	SettingChanges(ctx context.Context) ([]app.SettingChange, error)
	PriceList(ctx context.Context) (app.PriceList, error)
}

// Play plays a run again and tells what is not as it was stored. An error says
// that it could not be looked at.
func (r *Replayer) Play(ctx context.Context, id string) (Report, error) {
	return r.Export(ctx, id, io.Discard)
}

// looks is how often a run is looked at while it goes on: what is read of it may
// be of two moments.
const looks = 3

// Export plays a run again and writes each exchange with the model to w, as a
// cassette.
func (r *Replayer) Export(ctx context.Context, id string, w io.Writer) (Report, error) {
	for look := 1; ; look++ {
		s, err := r.play(ctx, id)
		if err != nil {
			return Report{}, fmt.Errorf("replay run %s: %w", id, err)
		}
		if s.report.Identical || s.stored.State != running || look == looks {
			_, err := s.tape.WriteTo(w)
			return s.report, err
		}
	}
}

func (r *Replayer) play(ctx context.Context, id string) (s *session, err error) {
	s = &session{Replayer: r, current: -1}
	if s.stored, err = r.Store.StoredRun(ctx, id); err != nil {
		return nil, err
	}
	if s.changes, err = r.Store.SettingChanges(ctx); err != nil {
		return nil, err
	}
	if s.prices, err = r.Store.PriceList(ctx); err != nil {
		return nil, err
	}
	s.begin()
	if err := s.perform(ctx); err != nil {
		return nil, err
	}
	s.conclude()
	return s, nil
}
