package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"vivra/app/agent"
)

// refusal explains an answer with an error status.
func (c *Client) refusal(a answer) error {
	words, code := said(a.body)
	reason, did := "refused", "refused the request"
	switch {
	case a.status == http.StatusTooManyRequests:
		reason, did = "rate_limited", "limits our rate"
	case a.status == http.StatusRequestTimeout || a.status == http.StatusGatewayTimeout:
		reason, did = "timeout", "timed out"
	case a.status >= http.StatusInternalServerError:
		reason, did = "server", "failed"
	case noTools.MatchString(words) && !aboutSchema.MatchString(words):
		reason, did = "no_tools", "has no tools for this model"
	case a.status == http.StatusNotFound || code == "model_not_found" || noModel.MatchString(words):
		reason, did = "no_model", "knows no such model or address"
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		reason, did = "unauthorized", "did not accept our key"
	}
	message := c.quote(fmt.Sprintf("The model endpoint %s (%d)", did, a.status), words)
	return &agent.ModelError{Status: a.status, Reason: reason, Message: message, RetryAfter: retryAfter(a.header)}
}

// How endpoints word it that a model is not theirs, or calls no tools. There is
// no code for it that they share.
var (
	noModel = regexp.MustCompile(`(?i)model.{0,80}\b(not found|does not exist|doesn't exist|not available)|(no such|invalid|unknown) model|not a valid model`)
	noTools = regexp.MustCompile(`(?i)(\btools?\b|\btool[ _-](calling|use|choice)|function[ _-]?call(ing|s)?).{0,40}(not supported|unsupported|not enabled|not available)` +
		`|(not|n't|un)[ -]?support.{0,60}(\btools?\b|\btool[ _-](calling|use)|function[ _-]?call)` +
		`|endpoints found that support tool|argument supplied: tools|tool choice requires`)
	// aboutSchema is a complaint of how one tool is described, not of tools.
	aboutSchema = regexp.MustCompile(`(?i)schema|tools?[\[.]\d|parallel_tool_calls`)
)

// said is what an endpoint said of an error itself, empty when nothing.
func said(body []byte) (words, code string) {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"` // where some put it
	}
	if json.Unmarshal(body, &outer) != nil {
		return "", ""
	}
	var inner struct {
		Message string `json:"message"`
		Code    any    `json:"code"`
	}
	if json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "" {
		code, _ = inner.Code.(string) // a number says what the status says
		return inner.Message, code
	}
	if json.Unmarshal(outer.Error, &words) != nil { // no string: nothing to quote
		words = outer.Message
	}
	return words, ""
}

// quote ends a sentence with what the endpoint said, if it said anything.
func (c *Client) quote(sentence, words string) string {
	if words = c.scrub(words); words != "" {
		return sentence + ": " + words
	}
	return sentence + "."
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

// maxWait keeps an endpoint from putting a run to sleep for days.
const maxWait = time.Hour

// retryAfter reads how long to wait, in any of the three forms. An instant is
// counted from the endpoint's own clock.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.Atoi(h.Get("Retry-After-Ms")); err == nil && ms > 0 {
		return min(time.Duration(ms)*time.Millisecond, maxWait)
	}
	if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil && s > 0 {
		return min(time.Duration(min(s, maxWait.Seconds())*float64(time.Second)), maxWait)
	}
	at, err := http.ParseTime(h.Get("Retry-After"))
	now, unknown := http.ParseTime(h.Get("Date"))
	if err != nil || unknown != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxWait)
}
