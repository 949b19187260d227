package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
)

// cast finds who does what, with what.
func (r *run) cast(ctx context.Context) (err error) {
	var ok bool
	if r.agent, ok = r.Catalogue.Agent(r.step.Agent); !ok {
		return gaveUp{fmt.Errorf("there is no agent %q", r.step.Agent)}
	}
	if r.task, ok = r.Catalogue.Task(r.step.Task); !ok {
		return gaveUp{fmt.Errorf("there is no task %q", r.step.Task)}
	}
	r.agent = r.task.Limited(r.agent.Configured(r.settings))
	if r.prices, err = r.Store.PriceList(ctx); err != nil {
		return err
	}
	for _, t := range r.agent.Tools {
		r.specs = append(r.specs, t.Spec())
	}
	r.specs = append(r.specs, r.task.Output.FinishSpec())
	return nil
}

// judge refuses models without a price, or known to be of no use, before
// anything is paid: the one that is asked next, and the one that may follow.
func (r *run) judge(ctx context.Context) error {
	models := []string{r.model}
	if r.agent.Fallback != "" && r.agent.Fallback != r.model {
		models = append(models, r.agent.Fallback)
	}
	for _, model := range models {
		if _, err := r.price(model); err != nil {
			return err
		}
		if err := r.fit(ctx, model); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) fit(ctx context.Context, model string) error {
	if r.Fit == nil {
		return nil
	}
	err := r.Fit(ctx, model)
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
// other one once that was asked, or would have been next.
func (r *run) chooseModel() {
	if r.agent.Model = r.Run.Model; r.agent.Fallback == r.agent.Model {
		r.agent.Fallback = ""
	}
	r.model = r.agent.Model
	if other := r.Asked.Model; other != "" && other != r.model {
		r.model, r.agent.Fallback = other, other
		return
	}
	fault := r.openFault()
	if fault == nil {
		return
	}
	if _, worthwhile := r.again(fault, 0); !worthwhile {
		r.fallBack(fault)
	}
}

// openFault is what the open turn was answered with last, nil when that was not
// a fault of the model's.
func (r *run) openFault() *agent.ModelError {
	var answer agent.Answer
	if r.Asked.Turn != r.Turns+1 || r.Asked.Lost || json.Unmarshal(r.Asked.Answer, &answer) != nil {
		return nil
	}
	if answer.Fault != nil && answer.Fault.Reason == cancelled {
		return nil
	}
	return answer.Fault
}
