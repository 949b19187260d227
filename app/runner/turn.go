package runner

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"vivra/app/agent"
)

// turn asks for one answer and carries out the calls in it.
func (r *run) turn(ctx context.Context) error {
	ctx, span := r.Trace.Turn(ctx, r.Turns+1)
	err := r.ask(ctx)
	if err == nil {
		err = r.answerCalls(ctx)
	}
	r.close(ctx, span, err)
	return err
}

// takeUp carries out what is left of a turn that another process began.
func (r *run) takeUp(ctx context.Context) error {
	if len(r.openCalls()) == 0 {
		return nil
	}
	ctx, span := r.Trace.Turn(ctx, r.Turns)
	err := r.answerCalls(ctx)
	r.close(ctx, span, err)
	return err
}

// ask asks until there is an answer. A fault that may pass is tried again as
// long as the run's allowance lasts; then the fallback is asked, and stays.
func (r *run) ask(ctx context.Context) error {
	for try := 0; ; try++ {
		if err := r.interrupted(ctx); err != nil {
			return err
		}
		err := r.call(ctx, r.request())
		var fault *agent.ModelError
		if err == nil || !errors.As(err, &fault) || ctx.Err() != nil {
			return err
		}
		wait, worthwhile := r.again(fault, try)
		switch {
		case worthwhile:
			if err := r.wait(ctx, wait); err != nil {
				return err
			}
		case r.fallBack(fault):
			try = -1
		default:
			return err
		}
	}
}

// again tells whether to ask the same model once more, and after how long.
func (r *run) again(fault *agent.ModelError, try int) (wait time.Duration, worthwhile bool) {
	if !fault.Retryable() || r.used() > r.settings.Retries {
		return 0, false
	}
	wait = backoff(try, fault.RetryAfter)
	return wait, wait < r.settings.MaxRunTime-r.Wall.Since(r.began)
}

// longestBackoff bounds our own waits, not those that a server asks for.
const longestBackoff = 16 * time.Second

// backoff waits as long as the server asks, or ever longer. Jitter keeps runs
// that failed together from coming back together.
func backoff(try int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked + rand.N(asked/10+1)
	}
	base := min(250*time.Millisecond<<min(try, 10), longestBackoff)
	return base + rand.N(base)
}

// fallBack turns to the other model, if there is one that may do better.
func (r *run) fallBack(fault *agent.ModelError) bool {
	if r.agent.Fallback == "" || r.model == r.agent.Fallback || !fault.ElsewhereMayDo() {
		return false
	}
	r.model = r.agent.Fallback
	return true
}

func (r *run) request() agent.Request {
	req := agent.Request{Model: r.model, System: r.System, MaxOutputTokens: r.agent.MaxOutputTokens, Temperature: r.agent.Temperature, Tools: r.specs}
	for _, it := range r.items {
		req.Items = append(req.Items, it.Item)
	}
	return req
}
