package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/paths"
	"vivra/app/public"
	"vivra/views/ui"
)

// operationAnswer is what programs are told of a takeover. All of it is public
// on its page too.
type operationAnswer struct {
	Slug    string             `json:"slug"`
	Token   tokenAnswer        `json:"token"`
	State   app.OperationState `json:"state"`
	J0      string             `json:"j0"`
	Day     int                `json:"day"`
	Money   moneyAnswer        `json:"money"`
	Waiting int                `json:"outputs_waiting"`
	Steps   []stepAnswer       `json:"steps"`
	// Published are the outputs that are out.
	Published []publishedAnswer `json:"published"`
	Log       logAnswer         `json:"log"`
	At        string            `json:"at"`
}

type tokenAnswer struct {
	Chain   int64  `json:"chain_id"`
	Address string `json:"address"`
	Name    string `json:"name"`
	Symbol  string `json:"symbol"`
}

type moneyAnswer struct {
	Spent    app.Nano `json:"spent_nusd"`
	Reserved app.Nano `json:"reserved_nusd"`
	Cap      app.Nano `json:"cap_nusd"`
}

// stepAnswer is what programs are told of a step. What it made is told when it is
// public, as a publication.
type stepAnswer struct {
	Key        string        `json:"key"`
	Agent      string        `json:"agent"`
	State      app.StepState `json:"state"`
	DueAt      string        `json:"due_at"`
	StartedAt  string        `json:"started_at,omitempty"`
	FinishedAt string        `json:"finished_at,omitempty"`
	Cost       app.Nano      `json:"cost_nusd"`
}

type publishedAnswer struct {
	Step      string             `json:"step"`
	Kind      app.ValidationKind `json:"kind"`
	At        string             `json:"at"`
	Approvers int                `json:"approved_by"` // how many people
	Links     []string           `json:"links"`
	SHA256    string             `json:"payload_sha256"`
}

type logAnswer struct {
	Rows int64  `json:"rows"`
	Head string `json:"head_hash"`
	URL  string `json:"url"`
	Live string `json:"live_url"`
}

// GET /api/v1/operations/:slug says where a takeover stands, open to any site.
func (s *Server) showOperationData(c echo.Context) error {
	ctx := c.Request().Context()
	w, err := s.show(ctx, c.Param("slug"))
	if err != nil {
		return err
	}
	p, err := w.snapshot(ctx)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, sharedFor)
	if known(c, p.State+"-"+strconv.FormatInt(p.Log.Last(), 10)) {
		return c.NoContent(http.StatusNotModified)
	}
	a := operationAnswer{
		Slug: p.Op.Slug, State: p.Op.State, J0: utc(&p.Op.J0), Day: p.Op.Day(p.Now), Waiting: p.Waiting.Count, At: utc(&p.Now),
		Token: tokenAnswer{p.Op.Token.Ref.ChainID, ui.Checksum(p.Op.Token.Ref.Address), p.Op.Token.Name, p.Op.Token.Symbol},
		Money: moneyAnswer{p.Op.Spent, p.Op.Reserved, p.Op.Cap}, Steps: []stepAnswer{}, Published: []publishedAnswer{},
		Log: logAnswer{p.Op.Seq, p.Op.HeadHash, s.PublicURL + paths.OperationLogJSONL(p.Op.Slug), s.PublicURL + paths.OperationDataLive(p.Op.Slug)},
	}
	for _, st := range p.Steps {
		a.Steps = append(a.Steps, stepAnswerOf(st))
	}
	for _, pub := range p.Publications {
		a.Published = append(a.Published, publishedAnswer{pub.StepKey, pub.Kind, utc(&pub.PublishedAt), pub.Approvers, append([]string{}, pub.Links...), pub.SHA256})
	}
	return c.JSON(http.StatusOK, a)
}

// GET /api/v1/operations/:slug/live is a stream of JSON events, open to any
// site: step.updated with the state of a step, first of all steps, then of each
// that changes; log.appended with each row of the log, whose number is the
// event's id. Without a number to go on from it begins with the next row.
func (s *Server) liveOperationData(c echo.Context) error {
	w, err := s.show(c.Request().Context(), c.Param("slug"))
	if err != nil {
		return err
	}
	return w.watch(c, func(context.Context) (entry, error) {
		if err := w.listen(); err != nil {
			return entry{}, err
		}
		n := lastSeen(c)
		if n > 0 || c.QueryParam("after") == "0" {
			return entry{feed: w.data, at: live.Place{Line: n}}, nil
		}
		n = w.last()
		// A bare id is no event, but a client that is cut off before the first row
		// comes back with it.
		return entry{w.data, live.Place{Line: n}, fmt.Appendf(nil, "id: %d\n\n", n)}, nil
	})
}

// listen has the feed for programs be there. The lock is held.
func (w *show) listen() error {
	if w.data != nil {
		return nil
	}
	change, err := w.dataChange(w.events)
	if err != nil {
		return err
	}
	change.From = w.first()
	w.data = live.NewFeed(change)
	return nil
}

// dataChange is what programs that listen are told of rows that came, and of the
// steps as they are.
func (w *show) dataChange(came []app.Event) (live.Change, error) {
	c := live.Change{UpTo: w.last()}
	for _, s := range w.page.Steps {
		f, err := data("step.updated", 0, stepAnswerOf(s))
		if err != nil {
			return c, err
		}
		c.Parts = append(c.Parts, live.Part{Name: s.Key, Frame: f})
	}
	for _, e := range came {
		f, err := data("log.appended", e.Seq, app.ChainRow{Line: e.Line, PrevHash: e.PrevHash, Hash: e.Hash})
		if err != nil {
			return c, err
		}
		c.Lines = append(c.Lines, live.Line{Number: e.Seq, Frame: f})
	}
	skipped, err := data("log.skipped", c.UpTo, map[string]any{"up_to": c.UpTo, "url": w.server.PublicURL + paths.OperationLogJSONL(w.slug)})
	c.Fresh = func() []byte { return skipped }
	return c, err
}

// data is an event for programs; number 0 gives it no id.
func data(event string, number int64, of any) ([]byte, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", event, err)
	}
	id := ""
	if number > 0 {
		id = fmt.Sprintf("id: %d\n", number)
	}
	return fmt.Appendf(nil, "event: %s\n%sdata: %s\n\n", event, id, text), nil
}

func stepAnswerOf(s public.Step) stepAnswer {
	return stepAnswer{s.Key, s.Agent, s.State, utc(&s.DueAt), utc(s.StartedAt), utc(s.FinishedAt), s.Cost}
}

// utc is an instant as programs read it, empty for none.
func utc(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
