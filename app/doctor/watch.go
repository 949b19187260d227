package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/openai"
)

// Probes keeps what was found of models, so that no restart pays again.
type Probes interface {
	// ClaimModelProbe tells whether this process is to ask a model now.
	ClaimModelProbe(ctx context.Context, endpoint, model string, now time.Time) (bool, error)
	SaveModelProbe(ctx context.Context, p app.ModelProbe) error
	ModelProbes(ctx context.Context, endpoint string) ([]app.ModelProbe, error)
}

// Prober asks a model for one small tool call.
type Prober interface {
	Probe(ctx context.Context, model string) (openai.ProbeResult, error)
}

// Watch finds out what the models in use can do, and tells the team of those
// that no agent can work with.
type Watch struct {
	Probes  Probes
	Model   Prober
	BaseURL string // of the models' endpoint
	Known   func(ctx context.Context) (Catalogue, error)
	Wall    clockwork.Clock
	Log     *slog.Logger
}

func (w *Watch) endpoint() string { return app.SHA256Hex([]byte(w.BaseURL)) }

// patience bounds one probe: a reasoning model may think before it calls.
const patience = 2 * time.Minute

// Look asks each model in use that nobody has asked lately. A model without a
// price is not asked: it could not be paid.
func (w *Watch) Look(ctx context.Context) error {
	known, err := w.Known(ctx)
	if err != nil {
		return err
	}
	for _, use := range Uses(known.Agents, known.Settings) {
		price, priced := known.Prices.At(use.Model, known.Now)
		if !priced {
			continue
		}
		mine, err := w.Probes.ClaimModelProbe(ctx, w.endpoint(), use.Model, w.Wall.Now())
		if err != nil {
			return err
		}
		if mine {
			if err := w.ask(ctx, use, price); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Watch) ask(ctx context.Context, use Use, price app.Price) error {
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	result, err := w.Model.Probe(within, use.Model)
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // another process asks, after a while
	}
	p := app.ModelProbe{Endpoint: w.endpoint(), Model: use.Model, Answered: err == nil, Tools: result.Tools, Streams: result.Streams,
		Usage: result.Usage.Reported, Cost: ProbeCost(price, result.Usage, err), Fault: result.Why}
	if err != nil {
		p.Fault = err.Error()
	}
	// What was paid for is kept, even by a process that is told to end.
	if err := w.Probes.SaveModelProbe(context.WithoutCancel(ctx), p); err != nil {
		return err
	}
	if notice := use.notice(p); notice != "" {
		w.Log.WarnContext(ctx, "a model in use can't do its work", "model", use.Model, "problem", notice, "cost", p.Cost.String())
	} else {
		w.Log.InfoContext(ctx, "a model in use was tried", "model", use.Model, "usage", p.Usage, "streams", p.Streams, "cost", p.Cost.String())
	}
	return nil
}

// notice is what the team has to know of a model, empty when all is well.
func (u Use) notice(p app.ModelProbe) string {
	switch {
	case !p.Answered && p.Fault != "":
		return fmt.Sprintf("The model %s, of %s, could not be tried: %s.", u.Model, u.agents(), sentence(errorText(p.Fault)))
	case p.Answered && !p.Tools:
		return fmt.Sprintf("The model %s can't call tools, so %s can't work: %s.", u.Model, u.agents(), u.change())
	}
	return ""
}

// Notices are what the team has to know of the models in use now.
func (w *Watch) Notices(ctx context.Context) ([]string, error) {
	known, err := w.Known(ctx)
	if err != nil {
		return nil, err
	}
	probes, err := w.Probes.ModelProbes(ctx, w.endpoint())
	if err != nil {
		return nil, err
	}
	var notices []string
	for _, use := range Uses(known.Agents, known.Settings) {
		for _, p := range probes {
			if notice := use.notice(p); p.Model == use.Model && notice != "" {
				notices = append(notices, notice)
			}
		}
	}
	return notices, nil
}

// Fit refuses a model that was found unable to call tools, so that no run pays
// for finding it out again.
func (w *Watch) Fit(ctx context.Context, model string) error {
	probes, err := w.Probes.ModelProbes(ctx, w.endpoint())
	if err != nil {
		return err
	}
	for _, p := range probes {
		if p.Model == model && p.Answered && !p.Tools {
			return app.Errorf(app.Invalid, "The model %s can't call tools: set another one for this agent.", model)
		}
	}
	return nil
}
