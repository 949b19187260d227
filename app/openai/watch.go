package openai

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// errStalled ends an answer that has begun and then stood still.
var errStalled = errors.New("the answer stood still")

// watch is the body of an answer. Once the answer has begun, a read that waits
// too long is given up.
type watch struct {
	io.ReadCloser
	ctx   context.Context // of the request
	stop  context.CancelCauseFunc
	idle  time.Duration
	timer *time.Timer // nil until the answer has begun
}

func (w *watch) Read(p []byte) (int, error) {
	if w.timer != nil {
		w.timer.Reset(w.idle)
		defer w.timer.Stop()
	}
	n, err := w.ReadCloser.Read(p)
	if err != nil && errors.Is(context.Cause(w.ctx), errStalled) {
		err = errStalled
	}
	return n, err
}

// begun says that the model writes: before, it may think as long as the whole
// call may take.
func (w *watch) begun() {
	if w.timer == nil {
		w.timer = time.AfterFunc(w.idle, func() { w.stop(errStalled) })
		w.timer.Stop()
	}
}

// drain reads what may follow the end of an answer, so that the connection can
// be used again. It does not wait for it long.
func (w *watch) drain() {
	w.idle = 100 * time.Millisecond
	w.begun()
	_, _ = io.CopyN(io.Discard, w, 4<<10) // the answer is whole, whatever comes
}

// beforeAnswer is what may stand before any answer: white space and a byte
// order mark.
const beforeAnswer = " \t\r\n\xef\xbb\xbf"

// firstLine is how a stream of events begins.
var firstLine = regexp.MustCompile(`^(data|event|retry|id):`)

// inPieces tells whether an answer is a stream of events. Endpoints mislabel
// both kinds, so the first bytes count more than the header.
func inPieces(in *bufio.Reader, h http.Header) bool {
	first, err := in.ReadByte()
	for err == nil && strings.IndexByte(beforeAnswer, first) >= 0 {
		first, err = in.ReadByte()
	}
	if err != nil {
		return strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
	}
	_ = in.UnreadByte() // one was just read
	switch {
	case strings.IndexByte("{[<", first) >= 0:
		return false
	case first == ':' || strings.HasPrefix(h.Get("Content-Type"), "text/event-stream"):
		return true
	}
	start, _ := in.Peek(len("event:")) // what there is of it
	return firstLine.Match(start)
}
