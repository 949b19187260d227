// Package openai is the door to models behind an OpenAI-compatible chat
// completions API.
package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
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
}

// DefaultTimeout bounds one call: a reasoning model may think for minutes.
const DefaultTimeout = 4 * time.Minute

// maxAnswer bounds what is read of one answer, in bytes.
const maxAnswer = 8 << 20

// Client is an agent.Model.
type Client struct {
	service openai.ChatCompletionService
	key     string
}

var _ agent.Model = (*Client)(nil)

// New returns a client. The library's own retries are off: they would make
// several paid calls out of one that is logged.
func New(c Config) *Client {
	if c.HTTP == nil {
		c.HTTP = &http.Client{Timeout: DefaultTimeout}
	}
	return &Client{key: c.APIKey, service: openai.NewChatCompletionService(
		option.WithBaseURL(c.BaseURL),
		option.WithAPIKey(c.APIKey),
		option.WithHTTPClient(c.HTTP),
		option.WithMaxRetries(0),
	)}
}

// Respond asks the model for one turn. An error is an *agent.ModelError, unless
// the caller itself gave up.
func (c *Client) Respond(ctx context.Context, req agent.Request, _ func(string)) (agent.Response, error) {
	body, err := c.RequestBytes(req)
	if err != nil {
		return agent.Response{}, err
	}
	answer, err := c.post(ctx, body)
	if err != nil {
		return agent.Response{}, err
	}
	return c.response(answer)
}

// answer is what came over the wire.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (c *Client) post(ctx context.Context, body []byte) (answer, error) {
	var res *http.Response
	_, err := c.service.New(ctx, openai.ChatCompletionNewParams{},
		option.WithRequestBody("application/json", body), option.WithResponseBodyInto(&res))
	if res == nil {
		return answer{}, c.unanswered(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return answer{}, c.unanswered(ctx, err)
	}
	return answer{status: res.StatusCode, header: res.Header, body: bytes.TrimSpace(text)}, nil
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
	var timeout interface{ Timeout() bool }
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return &agent.ModelError{Reason: "timeout", Message: "The model endpoint gave no answer in time."}
	}
	return &agent.ModelError{Reason: "broken", Message: "The connection to the model endpoint broke: " + c.scrub(err.Error())}
}

// maxQuote is how much of an endpoint's own words an error repeats, in runes.
const maxQuote = 300

// scrub makes an endpoint's words fit for an error: one line, capped, without our key.
func (c *Client) scrub(text string) string {
	if c.key != "" {
		text = strings.ReplaceAll(text, c.key, "[key]")
	}
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > maxQuote {
		return string(runes[:maxQuote]) + "…"
	}
	return string(runes)
}
