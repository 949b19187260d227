package boot

import (
	"context"
	"time"

	"vivra/app/agents"
	"vivra/app/doctor"
	"vivra/app/openai"
)

// watchModels has the models in use tried once a day, and tells the team and
// the runs what came of it. It changes nothing when the Config does not ask.
func (a *App) watchModels(catalogue *agents.Catalogue, model *openai.Client) {
	if !a.Config.ProbeModels || a.Config.SurplusBaseURL == "" {
		return
	}
	a.models = &doctor.Watch{Probes: a.Store, Model: model, BaseURL: a.Config.SurplusBaseURL, Wall: a.Config.Wall, Log: a.log,
		Known: func(ctx context.Context) (doctor.Catalogue, error) {
			return known(ctx, a.Store, catalogue.Agents(), a.Config.Clock.Now())
		}}
	a.Web.Notices, a.Orchestrator.Runner.Fit = a.models, a.models.Fit
}

// anew is how often it is looked whether other models are in use.
const anew = 15 * time.Minute

// tryModels asks the models that are due, at the start and as settings change.
func (a *App) tryModels(ctx context.Context) {
	if a.models == nil {
		return
	}
	tick := a.Config.Wall.NewTicker(anew)
	defer tick.Stop()
	for {
		if err := a.models.Look(ctx); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "the models in use could not be tried", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.Chan():
		}
	}
}
