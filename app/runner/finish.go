package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"vivra/app"
	"vivra/app/postgres"
)

// finish stores the output and ends the run.
func (r *run) finish(ctx context.Context, output json.RawMessage) error {
	end := postgres.RunEnd{RunID: r.ID, Output: output, Summary: r.summary(), Policy: !r.validationRequired()}
	var readings struct {
		Metrics  *app.Metrics `json:"metrics"`
		Baseline *app.Metrics `json:"baseline_metrics"`
	}
	if err := json.Unmarshal(r.step.Input, &readings); err != nil {
		return fmt.Errorf("read the step's input: %w", err)
	}
	end.Reading, end.Baseline = readings.Metrics, readings.Baseline
	r.reached("finishing")
	if err := r.Store.FinishRun(ctx, r.claim, end, r.Clock.Now()); err != nil {
		return err
	}
	r.reached("finished")
	return nil
}

func (r *run) validationRequired() bool {
	if on, set := r.settings.ValidationRequired[r.agent.Name]; set {
		return on
	}
	return r.agent.Validation
}

var assetID = regexp.MustCompile(`^[0-9a-f]{64}$`)

// evidence checks that what an output cites exists, belongs to this operation
// and step, and has succeeded.
func (r *run) evidence(ctx context.Context, output json.RawMessage) (problems []string, err error) {
	var loose any
	if err := json.Unmarshal(output, &loose); err != nil {
		return nil, err
	}
	walk("", loose, func(key, value string) {
		var problem string
		switch {
		case key == "validation_id", key == "poll_id" && r.task.Name == "designer.poll":
			problem, err = r.proposed(ctx, value, err)
		case key == "build_id":
			problem, err = r.built(ctx, value, err)
		case assetID.MatchString(value):
			problem, err = r.drawn(ctx, value, err)
		}
		if problem != "" {
			problems = append(problems, problem)
		}
	})
	return problems, err
}

func walk(key string, v any, visit func(key, value string)) {
	switch v := v.(type) {
	case string:
		visit(key, v)
	case []any:
		for _, each := range v {
			walk(key, each, visit)
		}
	case map[string]any:
		for k, each := range v {
			walk(k, each, visit)
		}
	}
}

func (r *run) proposed(ctx context.Context, id string, before error) (string, error) {
	v, err := r.Store.Validation(ctx, id)
	switch {
	case app.KindOf(err) == app.NotFound:
		return "validation_id " + id + " does not exist", before
	case err != nil:
		return "", err
	case v.StepID != r.step.ID || v.State != app.ValidationPending:
		return "validation_id " + id + " is not the open proposal of this step", before
	}
	return "", before
}

func (r *run) built(ctx context.Context, id string, before error) (string, error) {
	b, operation, err := r.Store.Build(ctx, id)
	switch {
	case app.KindOf(err) == app.NotFound || err == nil && operation != r.op.ID:
		return "build_id " + id + " does not exist", before
	case err != nil:
		return "", err
	case !b.Passed:
		return "build_id " + id + " has not passed its checks", before
	}
	return "", before
}

func (r *run) drawn(ctx context.Context, sha256 string, before error) (string, error) {
	_, err := r.Store.Asset(ctx, r.op.ID, sha256)
	if app.KindOf(err) == app.NotFound {
		return "there is no asset " + sha256, before
	}
	if err != nil {
		return "", err
	}
	return "", before
}
