package doctor

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

func examined(t *testing.T, timeout time.Duration, checks ...Check) Report {
	t.Helper()
	return Examination{Timeout: timeout, Wall: clockwork.NewRealClock()}.Examine(t.Context(), checks)
}

// TestChecksAreMadeTogether: each of them waits for all others to have begun.
func TestChecksAreMadeTogether(t *testing.T) {
	t.Parallel()
	const n = 30
	begun, all := make(chan struct{}, n), make(chan struct{})
	go func() {
		for range n {
			<-begun
		}
		close(all)
	}()
	var checks []Check
	for range n {
		checks = append(checks, one("x", func(context.Context) Finding {
			begun <- struct{}{}
			<-all
			return ok("x", "met the others")
		}))
	}
	if r := examined(t, time.Minute, checks...); !r.Healthy || len(r.Findings) != n {
		t.Errorf("got %+v", r)
	}
}

// TestOneBadCheckKeepsNobody: one that hangs, one that heeds its time and one
// that panics are findings, beside those that are well and in their order.
func TestOneBadCheckKeepsNobody(t *testing.T) {
	t.Parallel()
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	r := examined(t, 50*time.Millisecond,
		one("well", func(context.Context) Finding { return ok("well", "all is well") }),
		one("hangs", func(context.Context) Finding { <-forever; return Finding{} }),
		one("heeds", func(ctx context.Context) Finding { <-ctx.Done(); return broken("heeds", "", "It was late.") }),
		one("panics", func(context.Context) Finding { panic("mad") }),
	)
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Service+" "+string(f.State)+" "+f.Advice)
	}
	want := []string{"well ok ", "hangs broken It gave no answer in 50ms: try a longer --timeout.", "heeds broken It was late.", "panics broken The check itself failed: mad; report it."}
	if !slices.Equal(got, want) || r.Healthy {
		t.Errorf("healthy %v, got\n%s", r.Healthy, strings.Join(got, "\n"))
	}
}
