package modelsim

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Request is what a caller asked, as far as it is used.
type Request struct {
	Model         string          `json:"model"`
	Messages      []Message       `json:"messages"`
	Tools         []Tool          `json:"tools"`
	MaxTokens     int64           `json:"max_completion_tokens"`
	Temperature   *float64        `json:"temperature"`
	Stream        bool            `json:"stream"`
	StreamOptions *StreamOptions  `json:"stream_options"`
	Raw           json.RawMessage `json:"-"` // the whole body

	brief  value // the first user message
	forced *Tool // the tool that must be called
}

// StreamOptions say what a stream carries.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Tool is a function that the model may call.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Strict      bool            `json:"strict"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// accepted are the further fields that the API knows. They change nothing here.
type accepted struct {
	Request
	TopP              *float64        `json:"top_p"`
	Seed              json.RawMessage `json:"seed"`
	User              json.RawMessage `json:"user"`
	Store             json.RawMessage `json:"store"`
	Metadata          json.RawMessage `json:"metadata"`
	ReasoningEffort   json.RawMessage `json:"reasoning_effort"`
	ToolChoice        json.RawMessage `json:"tool_choice"`
	ParallelToolCalls *bool           `json:"parallel_tool_calls"`
	PromptCacheKey    json.RawMessage `json:"prompt_cache_key"`
	ServiceTier       json.RawMessage `json:"service_tier"`
}

// parse reads and validates a request as the real API does.
func parse(raw []byte) (Request, *apiError) {
	var a accepted
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return Request{}, unreadable(err)
	}
	if !utf8.Valid(raw) || halfPair(raw) {
		return Request{}, unreadable(errors.New("not Unicode"))
	}
	for _, check := range []func(accepted) *apiError{checkHead, checkNumbers, checkMessages, checkTools, checkChoice} {
		if problem := check(a); problem != nil {
			return Request{}, problem
		}
	}
	a.Raw, a.brief, a.forced = raw, briefOf(a.Messages), a.chosen()
	return a.Request, nil
}

func unreadable(err error) *apiError {
	var e apiError
	var wrong *json.UnmarshalTypeError
	var absent missing
	switch field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); {
	case unknown:
		e = invalid("", "Unrecognized request argument supplied: %s", strings.Trim(field, `"`))
	case errors.As(err, &wrong):
		field := strings.TrimPrefix(wrong.Field, "Request.")
		e = invalid(field, "Invalid type for '%s': got %s instead.", field, wrong.Value)
	case errors.As(err, &absent):
		e = invalid(string(absent), "Missing required parameter: '%s'.", string(absent))
	default:
		e = invalid("", "We could not parse the JSON body of your request.")
	}
	return &e
}

func fail(param, format string, args ...any) *apiError {
	e := invalid(param, format, args...)
	return &e
}

var (
	escape   = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.`)
	halfOnly = regexp.MustCompile(`^\\u[dD]...$`)
)

// halfPair finds an escape that is half of a pair of surrogates.
func halfPair(raw []byte) bool {
	if !bytes.Contains(bytes.ToLower(raw), []byte(`\ud`)) {
		return false
	}
	return slices.ContainsFunc(escape.FindAll(raw, -1), halfOnly.Match)
}

func checkHead(a accepted) *apiError {
	switch {
	case a.Model == "":
		return fail("", "you must provide a model parameter")
	case len(a.Messages) == 0:
		return fail("messages", "Invalid 'messages': empty array. Expected an array with minimum length 1.")
	case len(a.Messages) > 2048:
		return fail("messages", "Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length %d instead.", len(a.Messages))
	case a.StreamOptions != nil && !a.Stream:
		return fail("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	return nil
}

// reasoning are the models that take no temperature but their own.
var reasoning = regexp.MustCompile(`^(.*/)?(o\d|gpt-5)(-mini|-nano|-pro)?(-20\d\d-.*)?$`)

func checkNumbers(a accepted) *apiError {
	switch {
	case a.MaxTokens < 0:
		return fail("max_completion_tokens", "Invalid 'max_completion_tokens': integer below minimum value. Expected a value >= 1, but got %d instead.", a.MaxTokens)
	case outside(a.Temperature, 2):
		return fail("temperature", "Invalid 'temperature': decimal out of range. Expected a value between 0 and 2, but got %v instead.", *a.Temperature)
	case outside(a.TopP, 1):
		return fail("top_p", "Invalid 'top_p': decimal out of range. Expected a value between 0 and 1, but got %v instead.", *a.TopP)
	case a.Temperature != nil && *a.Temperature != 1 && reasoning.MatchString(a.Model):
		return fail("temperature", "Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value is supported.", *a.Temperature)
	}
	return nil
}

func outside(n *float64, most float64) bool { return n != nil && (*n < 0 || *n > most) }
