// Package openai is the door to models behind an OpenAI-compatible chat
// completions API.
package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"vivra/app/agent"
)

// Config says where the models are.
type Config struct {
	BaseURL string // with its version segment, such as https://host/v1
	APIKey  string
	HTTP    *http.Client // nil: one with DefaultTimeout
	// Idle is how long an answer that has begun may stand still; 0: DefaultIdle.
	Idle time.Duration
}

// DefaultTimeout bounds one call: a reasoning model may think for minutes
// before it says its first word.
const DefaultTimeout = 4 * time.Minute

// DefaultIdle is the longest silence in the middle of an answer.
const DefaultIdle = time.Minute

// maxAnswer bounds what is kept of one answer, in bytes.
const maxAnswer = 8 << 20

// maxWire bounds what is read of one: a stream wraps each few letters in
// hundreds of bytes.
const maxWire = 64 << 20

// Client is an agent.Model.
type Client struct {
	service openai.ChatCompletionService
	key     string
	idle    time.Duration
}

var _ agent.Model = (*Client)(nil)

// New returns a client. The library's own retries are off: they would make
// several paid calls out of one that is logged.
func New(c Config) *Client {
	if c.HTTP == nil {
		c.HTTP = &http.Client{Timeout: DefaultTimeout}
	}
	return &Client{key: c.APIKey, idle: cmp.Or(c.Idle, DefaultIdle), service: openai.NewChatCompletionService(
		option.WithBaseURL(c.BaseURL),
		option.WithAPIKey(c.APIKey),
		option.WithHTTPClient(c.HTTP),
		option.WithMaxRetries(0),
		option.WithMiddleware(bounded),
	)}
}

// bounded keeps an endpoint from filling our memory, whatever it answers.
func bounded(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxWire), res.Body}
	}
	return res, err
}

// Respond asks the model for one turn. An error is an *agent.ModelError, unless
// the caller itself gave up: then the connection is closed at once.
func (c *Client) Respond(ctx context.Context, req agent.Request, heard func(string)) (agent.Response, error) {
	body, err := c.RequestBytes(req)
	if err != nil {
		return agent.Response{}, err
	}
	r, _, err := c.ask(ctx, body, heard)
	return r, err
}

// answer is what came over the wire.
type answer struct {
	status int
	header http.Header
	body   []byte // empty when it came in pieces
}

// ask sends a request and reads its answer, which comes in pieces when the
// endpoint can do that.
func (c *Client) ask(ctx context.Context, body []byte, heard func(string)) (r agent.Response, streamed bool, err error) {
	asked, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var res *http.Response
	_, err = c.service.New(asked, openai.ChatCompletionNewParams{},
		option.WithRequestBody("application/json", body), option.WithResponseBodyInto(&res))
	if res == nil {
		return r, false, c.unanswered(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	watched := &watch{ReadCloser: res.Body, ctx: asked, stop: stop, idle: c.idle}
	a, in := answer{status: res.StatusCode, header: res.Header}, bufio.NewReader(watched)
	if res.StatusCode == http.StatusOK && inPieces(in, res.Header) {
		r, err = c.listen(ctx, a, in, watched, heard)
		return r, true, err
	}
	text, err := io.ReadAll(io.LimitReader(in, maxAnswer))
	if err != nil {
		return r, false, c.unanswered(ctx, err)
	}
	a.body = bytes.TrimSpace(text)
	r, err = c.response(a)
	return r, false, err
}

// unanswered explains a call that brought no whole answer. It may have been
// billed all the same, so its status is 0; one that was never sent was not.
func (c *Client) unanswered(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("ask the model: %w", context.Canceled)
	}
	var network *net.OpError
	if errors.As(err, &network) && network.Op == "dial" {
		return &agent.ModelError{Reason: "broken", NotSent: true, Message: "The model endpoint can't be reached: " + c.scrub(err.Error())}
	}
	if errors.Is(err, errStalled) {
		return &agent.ModelError{Reason: "timeout", Message: "The model endpoint stopped in the middle of its answer."}
	}
	var timeout interface{ Timeout() bool }
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return &agent.ModelError{Reason: "timeout", Message: "The model endpoint gave no answer in time."}
	}
	return &agent.ModelError{Reason: "broken", Message: "The connection to the model endpoint broke: " + c.scrub(err.Error())}
}
