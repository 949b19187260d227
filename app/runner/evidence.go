package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"vivra/app"
)

var assetID = regexp.MustCompile(`^[0-9a-f]{64}$`)

// inquiry checks that what an output cites exists, belongs to this operation
// and step, or to a done step that the task may build on, and has succeeded.
type inquiry struct {
	*run
	earlier  map[string]bool // what those steps' outputs hold; nil: not read yet
	problems []string
}

// evidence returns what is wrong with what an output cites.
func (r *run) evidence(ctx context.Context, output json.RawMessage) ([]string, error) {
	var loose any
	if err := json.Unmarshal(output, &loose); err != nil {
		return nil, fmt.Errorf("read the output: %w", err)
	}
	q := &inquiry{run: r}
	q.reported(loose)
	for _, cited := range stringsIn("", loose) {
		if err := q.check(ctx, cited); err != nil {
			return nil, err
		}
	}
	return q.problems, nil
}

// named is a string of an output and the field it stands in.
type named struct{ field, text string }

// stringsIn lists every string of v, in the order of the fields' names.
func stringsIn(field string, v any) (all []named) {
	switch v := v.(type) {
	case string:
		return []named{{field, v}}
	case []any:
		for _, each := range v {
			all = append(all, stringsIn(field, each)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, stringsIn(name, v[name])...)
		}
	}
	return all
}

func (q *inquiry) check(ctx context.Context, c named) error {
	switch {
	case c.field == "validation_id", c.field == "poll_id" && q.task.Reports == "":
		return q.proposed(ctx, c)
	case c.field == "build_id":
		return q.built(ctx, c)
	case assetID.MatchString(c.text):
		return q.drawn(ctx, c)
	}
	return nil
}

func (q *inquiry) object(format string, args ...any) {
	q.problems = append(q.problems, fmt.Sprintf(format, args...))
}

func (q *inquiry) proposed(ctx context.Context, c named) error {
	v, err := q.Store.Validation(ctx, c.text)
	switch {
	case app.KindOf(err) == app.NotFound:
		q.object("%s %s does not exist", c.field, c.text)
	case err != nil:
		return err
	case v.StepID != q.step.ID || v.State != app.ValidationPending:
		q.object("%s %s is not the open proposal of this step", c.field, c.text)
	}
	return nil
}

func (q *inquiry) built(ctx context.Context, c named) error {
	b, operation, err := q.Store.Build(ctx, c.text)
	switch {
	case app.KindOf(err) == app.NotFound || err == nil && operation != q.op.ID:
		q.object("%s %s does not exist", c.field, c.text)
	case err != nil:
		return err
	case !b.Passed:
		q.object("%s %s has not passed its checks", c.field, c.text)
	case b.StepID != q.step.ID:
		return q.inherited(ctx, c, "build")
	}
	return nil
}

func (q *inquiry) drawn(ctx context.Context, c named) error {
	a, err := q.Store.Asset(ctx, q.op.ID, c.text)
	switch {
	case app.KindOf(err) == app.NotFound:
		q.object("there is no asset %s (%s)", c.text, c.field)
	case err != nil:
		return err
	case a.StepID != q.step.ID:
		return q.inherited(ctx, c, "asset")
	}
	return nil
}

// inherited objects to what another step made, unless it stands in the output
// of a done step that the task may build on.
func (q *inquiry) inherited(ctx context.Context, c named, what string) error {
	if q.earlier == nil {
		q.earlier = make(map[string]bool)
		for _, key := range q.task.Cites {
			if err := q.read(ctx, key); err != nil {
				return err
			}
		}
	}
	if !q.earlier[c.text] {
		q.object("the %s %s (%s) was made by another step, whose work this one can't cite", what, c.text, c.field)
	}
	return nil
}

func (q *inquiry) read(ctx context.Context, key string) error {
	output, err := q.Store.DoneOutput(ctx, q.op.ID, key)
	if app.KindOf(err) == app.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	var loose any
	if err := json.Unmarshal(output, &loose); err != nil {
		return fmt.Errorf("read the output of %s: %w", key, err)
	}
	for _, s := range stringsIn("", loose) {
		q.earlier[s.text] = true
	}
	return nil
}

// reported compares an output that repeats what a tool said with what that tool
// has said last.
func (q *inquiry) reported(output any) {
	tool := q.task.Reports
	if tool == "" {
		return
	}
	result := q.lastResult(tool)
	if result == nil {
		q.object("call %s first: the output is what it returns", tool)
		return
	}
	fields, _ := output.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if said, ok := result[name]; ok && !reflect.DeepEqual(said, fields[name]) {
			q.object("%s is not what %s returned: copy it unchanged", name, tool)
		}
	}
}

// lastResult is what a tool of ours returned when it last succeeded in this run.
func (r *run) lastResult(tool string) (last map[string]any) {
	asked := make(map[string]bool)
	for _, it := range r.items {
		for _, call := range it.Calls {
			asked[call.ID] = call.Tool == tool
		}
		var result map[string]any
		if it.Role == "tool" && asked[it.CallID] && json.Unmarshal([]byte(it.Text), &result) == nil && result["error"] == nil {
			last = result
		}
	}
	return last
}
