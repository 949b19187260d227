package web

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/app/public"
	"vivra/views/operations"
)

// logRows is how many rows of the log a page shows.
const logRows = 200

// GET /operations/:slug is the live page.
func (s *Server) showOperation(c echo.Context) error {
	ctx := c.Request().Context()
	w, err := s.show(ctx, c.Param("slug"))
	if err != nil {
		return err
	}
	page, err := w.snapshot(ctx)
	if err != nil {
		return err
	}
	f := window(logFilter(c), line(c), page.Op.Seq)
	if f == (paths.Log{}) {
		return w.front(c, page)
	}
	if page.Log, err = s.logPart(ctx, w.id, page.Op.Slug, f, operations.Agents(page.Steps)); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return render(c, http.StatusOK, operations.Index(page))
}

// operationPage reads everything of the live page but its log: what is public of
// the operation.
func (s *Server) operationPage(ctx context.Context, slug string) (p operations.Page, err error) {
	p.Now, p.Pace, p.Explorer, p.PublicURL = s.Now(), s.pace(), s.Explorer, s.PublicURL
	op, err := s.Store.OperationBySlug(ctx, slug)
	if err != nil {
		return p, err
	}
	steps, err := s.Store.Steps(ctx, op.ID)
	if err != nil {
		return p, err
	}
	beside, err := s.Store.StepsBeside(ctx, op.ID, newestBeside)
	if err != nil {
		return p, err
	}
	published, err := s.Store.Publications(ctx, op.ID)
	if err != nil {
		return p, err
	}
	p.Op, p.Steps, p.Beside, p.Publications = public.OperationOf(op, steps), public.StepsOf(steps), public.BesideOf(beside), public.PublicationsOf(published)
	if p.Waiting, err = s.Store.WaitingFor(ctx, op.ID); err != nil {
		return p, err
	}
	if p.Spending, p.Sources, err = s.costs(ctx, op); err != nil {
		return p, err
	}
	p.Metrics, err = s.Store.MetricsHistory(ctx, op.ID)
	return p, err
}

// logFilter reads which part of the log is asked for.
func logFilter(c echo.Context) paths.Log {
	before, _ := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	return paths.Log{Agent: c.QueryParam("agent"), Kind: c.QueryParam("kind"), Before: max(before, 0)}
}

// line is the row that a permalink names, 0 when it names none.
func line(c echo.Context) int64 {
	n, _ := strconv.ParseInt(c.QueryParam("line"), 10, 64)
	return n
}

// window moves the part so that the row is in it: among the newest when it
// can be, else in the middle.
func window(f paths.Log, row, newest int64) paths.Log {
	if row > 0 && row <= newest-logRows {
		f = paths.Log{Before: row + logRows/2}
	}
	return f
}

// logPart reads the rows of one part of the log, oldest first.
func (s *Server) logPart(ctx context.Context, id int64, slug string, f paths.Log, agents []string) (operations.Log, error) {
	events, err := s.matching(ctx, id, f)
	return part(slug, f, events, agents), err
}

// matching returns the last rows that fit the filter and one more, so that it
// is known whether there are older ones.
func (s *Server) matching(ctx context.Context, operationID int64, f paths.Log) ([]app.Event, error) {
	return s.Store.EventsOf(ctx, operationID, f.Before, f.Agent, f.Kind, logRows+1)
}

func fitting(events []app.Event, f paths.Log) []app.Event {
	var found []app.Event
	for _, e := range events {
		if (f.Agent == "" || e.Agent == f.Agent) && (f.Kind == "" || e.Kind == f.Kind) {
			found = append(found, e)
		}
	}
	return found
}
