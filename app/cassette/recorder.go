package cassette

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"vivra/app/agent"
)

// Model is what can be recorded: a model and the bytes it is sent.
type Model interface {
	agent.Model
	Encoder
}

// Recorder is a model that writes down what another one is asked and answers.
// It is safe for concurrent use; exchanges are written in the order in which
// they end.
type Recorder struct {
	Model
	to io.Writer

	mu sync.Mutex
}

// NewRecorder returns a recorder of m that writes to w.
func NewRecorder(m Model, w io.Writer) *Recorder { return &Recorder{Model: m, to: w} }

// Respond asks the model. A call that the caller itself gave up is not
// recorded: it has no answer.
func (r *Recorder) Respond(ctx context.Context, req agent.Request, heard func(string)) (agent.Response, error) {
	response, err := r.Model.Respond(ctx, req, heard)
	answer := agent.Answer{Response: &response}
	if err != nil {
		answer = agent.Answer{}
		if !errors.As(err, &answer.Fault) {
			return response, err
		}
	}
	if failed := r.keep(req, answer); failed != nil {
		return agent.Response{}, fmt.Errorf("record: %w", failed)
	}
	return response, err
}

func (r *Recorder) keep(req agent.Request, answer agent.Answer) error {
	e, err := NewExchange(r.Model, req, answer)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return Write(r.to, e)
}
