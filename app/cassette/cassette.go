// Package cassette keeps what a model was asked and what it answered, one
// exchange to a line, and plays it again: a test of a whole run needs no model.
package cassette

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"vivra/app"
	"vivra/app/agent"
)

// Exchange is one request of a model and what became of it.
type Exchange struct {
	// RequestSHA256 is of the bytes that were sent: the exchange is found by it.
	RequestSHA256 string        `json:"request_sha256"`
	Request       agent.Request `json:"request"`
	Answer        agent.Answer  `json:"answer"`
}

// Encoder tells which bytes a request is sent as. openai.Client does.
type Encoder interface {
	RequestBytes(req agent.Request) ([]byte, error)
}

// NewExchange returns the exchange of a request with its key.
func NewExchange(e Encoder, req agent.Request, answer agent.Answer) (Exchange, error) {
	key, err := keyOf(e, req)
	return Exchange{RequestSHA256: key, Request: req, Answer: answer}, err
}

func keyOf(e Encoder, req agent.Request) (string, error) {
	body, err := e.RequestBytes(req)
	if err != nil {
		return "", fmt.Errorf("encode request: %w", err)
	}
	return app.SHA256Hex(body), nil
}

// Write appends exchanges to w, one JSON line each.
func Write(w io.Writer, exchanges ...Exchange) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, e := range exchanges {
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("write exchange: %w", err)
		}
	}
	return nil
}

// Read returns the exchanges of a cassette, or the first line that is none.
func Read(r io.Reader) (all []Exchange, err error) {
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, end := lines.ReadBytes('\n')
		if end != nil && !errors.Is(end, io.EOF) {
			return nil, fmt.Errorf("read cassette: %w", end)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			e, err := decode(line)
			if err != nil {
				return nil, fmt.Errorf("line %d of the cassette: %w", n, err)
			}
			all = append(all, e)
		}
		if end != nil {
			return all, nil
		}
	}
}

func decode(line []byte) (e Exchange, err error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return e, err
	}
	if (e.Answer.Response == nil) == (e.Answer.Fault == nil) {
		return e, errors.New("an answer is either a response or a fault")
	}
	return e, nil
}
