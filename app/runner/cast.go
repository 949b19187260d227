package runner

import (
	"context"
	"fmt"

	"vivra/app"
)

// cast finds who does what, and at which prices.
func (r *run) cast(ctx context.Context) (err error) {
	var ok bool
	if r.agent, ok = r.Catalogue.Agent(r.step.Agent); !ok {
		return gaveUp{fmt.Errorf("there is no agent %q", r.step.Agent)}
	}
	if r.task, ok = r.Catalogue.Task(r.step.Task); !ok {
		return gaveUp{fmt.Errorf("there is no task %q", r.step.Task)}
	}
	r.agent = r.agent.Configured(r.settings)
	if r.prices, err = r.Store.PriceList(ctx); err != nil {
		return err
	}
	for _, model := range []string{r.agent.Model, r.agent.Fallback} {
		if _, err := r.price(model); model != "" && err != nil {
			return err
		}
	}
	if err := r.fit(ctx); err != nil {
		return err
	}
	for _, t := range r.agent.Tools {
		r.specs = append(r.specs, t.Spec())
	}
	r.specs = append(r.specs, r.task.Output.FinishSpec())
	return nil
}

// fit refuses a model that is known to be of no use, before anything is paid.
func (r *run) fit(ctx context.Context) error {
	if r.Fit == nil {
		return nil
	}
	err := r.Fit(ctx, r.agent.Model)
	if app.KindOf(err) == app.Invalid {
		return gaveUp{err}
	}
	return err
}

// price is what a model costs now. Without one nothing is sent.
func (r *run) price(model string) (app.Price, error) {
	price, ok := r.prices.At(model, r.Clock.Now())
	if !ok {
		return price, gaveUp{fmt.Errorf("the model %s has no price: import one first, with vivra prices import", model)}
	}
	return price, nil
}

// chooseModel stays with the model that the run was begun with, or with the
// fallback once that has taken over.
func (r *run) chooseModel() {
	if r.agent.Model = r.Run.Model; r.agent.Fallback == r.agent.Model {
		r.agent.Fallback = ""
	}
	r.model = r.agent.Model
	if last, _ := r.lastAnswer(); last.Model != "" && last.Model == r.agent.Fallback {
		r.model = r.agent.Fallback
	}
}
