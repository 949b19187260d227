package effects

import (
	"bytes"
	"encoding/json"
	"fmt"

	"vivra/app"
)

// rest is what is planned behind the calls that are out: these can't be made
// once more, nor changed.
func rest(planned []app.Effect, out []app.OutCall) ([]app.Effect, error) {
	if len(out) > len(planned) {
		return nil, app.Errorf(app.Invalid, "%d of its parts are out, and it has only %d.", len(out), len(planned))
	}
	for i, is := range out {
		if planned[i].Kind != is.Kind || !bytes.Equal(planned[i].Request, is.Request) {
			return nil, app.Errorf(app.Invalid, "%s is out already, so it can't be changed here. Change only what comes after it.", partName(is.Kind, i))
		}
	}
	return planned[len(out):], nil
}

// remaining are the calls of a payload behind those that are out.
func remaining(kind app.ValidationKind, payload json.RawMessage, out []app.OutCall) ([]app.Effect, error) {
	planned, err := Plan(app.Validation{Kind: kind, Payload: payload})
	if err != nil {
		return nil, err
	}
	return rest(planned, out)
}

func partName(kind string, i int) string {
	if kind == XPost {
		return fmt.Sprintf("Post %d", i+1)
	}
	return fmt.Sprintf("Part %d", i+1)
}

// RestRisk is the risk of a draft that goes on where an earlier one broke off:
// only what is not out yet is paid and made.
func RestRisk(risk app.Risk, f app.Frozen) (app.Risk, error) {
	price, err := Price(f.Kind, f.Payload, f.Out)
	if err != nil {
		return risk, err
	}
	parts := PartsOf(f)
	risk.PublishPrice = price
	risk.Effect = fmt.Sprintf("Goes on where it broke off: %s and stay as they are, the rest follows in order, then the step is done.", parts)
	if parts.Posts {
		risk.Effect += fmt.Sprintf(" X charges %s for the rest.", price)
	}
	return risk, nil
}

// PartsOf tells how much of a publication was out when f was frozen.
func PartsOf(f app.Frozen) app.Parts {
	p := app.Parts{Out: len(f.Out), Total: len(f.Out) + len(f.Calls), Posts: true}
	for _, c := range f.Out {
		p.Posts = p.Posts && c.Kind == XPost
	}
	for _, c := range f.Calls {
		p.Posts = p.Posts && c.Kind == XPost
	}
	return p
}

// Cut returns the part of a payload that its first n calls make public, nil for
// a kind that can't be cut.
func Cut(kind app.ValidationKind, payload json.RawMessage, n int) (json.RawMessage, error) {
	if kind != app.KindThread {
		return nil, nil
	}
	var p app.ThreadPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, fmt.Errorf("read the thread: %w", err)
	}
	p.Posts = p.Posts[:min(n, len(p.Posts))]
	return app.CanonicalJSON(p)
}
