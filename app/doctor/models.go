package doctor

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/openai"
)

const models = "model"

// Models has each model in use call a tool once. It is the only look that
// costs something: at most what the bound of one small call is.
func Models(wall clockwork.Clock, cfg openai.Config, catalogue func(context.Context) Catalogue) Check {
	return Check{models, func(ctx context.Context) []Finding {
		known := catalogue(ctx)
		uses := Uses(known.Agents, known.Settings)
		found := make([]Finding, len(uses))
		var all sync.WaitGroup
		for i, use := range uses {
			all.Go(func() { found[i] = askModel(ctx, wall, cfg, known, use) })
		}
		all.Wait()
		return together(found)
	}}
}

// together says once what is said of several models in the same words.
func together(found []Finding) []Finding {
	var out []Finding
	for _, f := range found {
		i := slices.IndexFunc(out, func(o Finding) bool { return f.Advice != "" && o.State == f.State && o.Advice == f.Advice })
		if i < 0 {
			out = append(out, f)
			continue
		}
		out[i].Seen += ", " + f.Seen
		out[i].Cost += f.Cost
	}
	return out
}

func askModel(ctx context.Context, wall clockwork.Clock, cfg openai.Config, known Catalogue, use Use) Finding {
	s := newService(wall, models, "SURPLUS_BASE_URL", "SURPLUS_API_KEY")
	price, priced := known.Prices.At(use.Model, known.Now)
	if !priced {
		return off(models, "%s: not asked, since it has no price", use.Model) // the prices say so
	}
	cfg.HTTP = s.client()
	result, err := openai.New(cfg).Probe(ctx, use.Model)
	f := s.model(use, result, err)
	f.Cost = ProbeCost(price, result.Usage, err)
	if f.State == OK && f.Cost > 0 {
		f.Seen += ", " + f.Cost.String()
	}
	return f
}

// probeBytes and probeTokens bound what one probe sends and gets back.
const (
	probeBytes  = 3_000
	probeTokens = 64 + 2*1024
)

// ProbeCost is what a probe cost, or the most it can have cost when the
// endpoint does not say.
func ProbeCost(price app.Price, usage app.Usage, err error) app.Nano {
	var fault *agent.ModelError
	if errors.As(err, &fault) && !fault.MayBeBilled() && !usage.Reported {
		return 0
	}
	cost, _ := price.Cost(usage, price.Bound(probeBytes, probeTokens))
	return cost
}

// model says what a probe means for those who use the model.
func (s service) model(use Use, r openai.ProbeResult, err error) Finding {
	var fault *agent.ModelError
	switch {
	case errors.As(err, &fault) && fault.Reason == "no_model":
		return s.broken(use.Model, "%s does not offer %s, so %s can't work: %s.", s.seen().host, use.Model, use.agents(), use.change())
	case err != nil:
		f := s.failed(err)
		f.Seen = use.Model
		return f
	case !r.Tools:
		return s.broken(use.Model, "%s can't call tools, so %s can't work: %s.", use.Model, use.agents(), use.change())
	case !r.Usage.Reported && r.Usage.GatewayCost == nil:
		return s.warning(use.Model, "%s does not report what it used, so each call is booked at the most it can cost: %s.", use.Model, use.change())
	}
	return s.ok("%s: %s", use.Model, abilities(r))
}

func abilities(r openai.ProbeResult) string {
	said := "calls tools, reports usage"
	if r.Streams {
		return said + ", streams"
	}
	return said + ", does not stream, so no run is seen thinking"
}

// ModelsNotAsked is the finding in place of a probe.
func ModelsNotAsked() Check {
	return one(models, func(context.Context) Finding { return off(models, "not asked, because of --no-model") })
}
