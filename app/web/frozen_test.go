package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vivra/app"
	"vivra/app/web"
)

// frozen is a store whose database takes a question and never answers.
type frozen struct{ web.Store }

func still[T any](ctx context.Context) (nothing T, err error) {
	<-ctx.Done()
	return nothing, ctx.Err()
}

func (frozen) Operations(ctx context.Context) ([]app.OperationSummary, error) {
	return still[[]app.OperationSummary](ctx)
}

func (frozen) OperationBySlug(ctx context.Context, _ string) (app.Operation, error) {
	return still[app.Operation](ctx)
}

func (frozen) Candidates(ctx context.Context, _ app.CandidateState, _, _ int) ([]app.CandidateSummary, error) {
	return still[[]app.CandidateSummary](ctx)
}

func (frozen) Candidate(ctx context.Context, _ app.TokenRef) (app.Candidate, error) {
	return still[app.Candidate](ctx)
}

func (frozen) Ping(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestNobodyWaitsForAFrozenDatabase without end: what is left of a crowd that
// comes again and again must be able to end.
func TestNobodyWaitsForAFrozenDatabase(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	site := x.site(t)
	site.Store = frozen{x}
	handler := site.Handler()
	synctest.Test(t, func(t *testing.T) {
		for _, path := range []string{"/", "/candidates", "/candidates/4663/" + official, "/operations/dodo", "/operations/dodo/card.png", "/operations/dodo/log.atom", "/sitemap.xml", "/api/v1/operations/dodo", "/api/v1/operations/dodo/log"} {
			began, res := time.Now(), httptest.NewRecorder()
			handler.ServeHTTP(res, httptest.NewRequest(http.MethodGet, path, nil))
			if took := time.Since(began); res.Code != http.StatusServiceUnavailable || res.Header().Get("Retry-After") == "" || took > 15*time.Second || !strings.Contains(res.Body.String(), "Try again") {
				t.Errorf("%s answers %d after %s: %s", path, res.Code, took, squeeze(res.Body.String()))
			}
		}
	})
}
