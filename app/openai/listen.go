package openai

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"vivra/app/agent"
)

// What can be wrong with a piece.
var (
	errNotChunk = errors.New("a piece of its answer is not JSON")
	errTooLong  = errors.New("its answer is too long")
)

// saidError is a piece that is an error instead.
type saidError struct{ piece []byte }

func (saidError) Error() string { return "an error in the middle of its answer" }

// listen reads an answer in pieces to its end.
func (c *Client) listen(ctx context.Context, a answer, in *bufio.Reader, body *watch, heard func(string)) (agent.Response, error) {
	s := &stream{}
	// The added lines end a last event that the endpoint did not end.
	whole := io.MultiReader(in, strings.NewReader("\n\n"))
	events := ssestream.NewDecoder(&http.Response{Header: http.Header{}, Body: io.NopCloser(whole)})
	var fault error
	told := 0 // the size of what was heard last
	for fault == nil && !s.done && events.Next() {
		before := s.size
		fault = s.take(events.Event().Data)
		if s.size == before {
			continue
		}
		body.begun()
		if heard != nil && s.size >= worthTelling(told) {
			heard(s.draft())
			told = s.size
		}
	}
	if heard != nil && s.size > told && ctx.Err() == nil {
		heard(s.draft())
	}
	if fault == nil {
		fault = events.Err()
	}
	a.header = late(a.header)
	if s.done || s.finish != "" { // what comes after the end can't spoil it
		if s.done {
			body.drain()
		}
		return c.turn(a, s.completion())
	}
	return agent.Response{}, c.brokenOff(ctx, a, s, fault)
}

// worthTelling is the size at which a draft is told again after one of a size.
// Each is built as a whole: beyond what anybody shows, they must come ever more
// rarely for the work to grow with the answer and not with its square.
func worthTelling(told int) int {
	const shown, step = 64 << 10, 256
	grown := told / 20
	if told < shown {
		grown = min(grown, step)
	}
	return told + max(grown, 1)
}

// brokenOff explains an answer that did not come to its end. It may have been
// billed: by what it reported, if that counts the whole answer.
func (c *Client) brokenOff(ctx context.Context, a answer, s *stream, cause error) error {
	r := agent.Response{}
	if s.counted {
		r.Usage = believed(usage(s.usage, a.header), s.size > 0)
	}
	var failed saidError
	switch {
	case errors.As(cause, &failed):
		words, _ := said(failed.piece)
		return c.withUsage(r, &agent.ModelError{Status: http.StatusBadGateway, Reason: "server", Message: c.quote("The model endpoint failed in the middle of its answer", words)})
	case errors.Is(cause, errNotChunk) || errors.Is(cause, errTooLong):
		return c.withUsage(r, &agent.ModelError{Reason: "broken", Message: "The model endpoint's answer can't be read: " + cause.Error() + "."})
	case cause == nil:
		return c.withUsage(r, &agent.ModelError{Reason: "broken", Message: "The model endpoint's answer broke off in the middle."})
	}
	err := c.unanswered(ctx, cause)
	var fault *agent.ModelError
	if errors.As(err, &fault) {
		return c.withUsage(r, fault)
	}
	return err
}

// late forgets a cost of nothing in the header: it was sent before the answer
// was made.
func late(h http.Header) http.Header {
	if cost := dollars(h.Get(costHeader)); cost == nil || *cost > 0 {
		return h
	}
	h = h.Clone()
	h.Del(costHeader)
	return h
}
