package edits

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"vivra/app"
)

// slot is a field and where its text stands in the payload.
type slot struct {
	Field
	set func(text string)
}

// form is a payload that is being edited.
type form struct {
	slots []slot
	// payload is what became of it, with what code writes into it written anew.
	payload func() any
}

func read(kind app.ValidationKind, payload json.RawMessage) (form, error) {
	switch kind {
	case app.KindPost:
		return open(payload, func(p *app.PostPayload) []slot { return post("", "", p) }, nil)
	case app.KindThread:
		return open(payload, thread, nil)
	case app.KindPoll:
		return open(payload, poll, func(p *app.PollPayload) { p.NameBoards() })
	case app.KindProfile:
		return open(payload, profile, func(p *app.ProfilePayload) { p.Checklist = p.Lines() })
	case app.KindTelegram:
		return open(payload, telegram, nil)
	case app.KindDossier:
		return open(payload, dossier, nil)
	}
	return form{}, nil
}

// open decodes a payload. One that holds more than is known here is refused: an
// edit must lose nothing.
func open[T any](payload json.RawMessage, slots func(*T) []slot, settle func(*T)) (form, error) {
	var p T
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return form{}, fmt.Errorf("read the payload to edit: %w", err)
	}
	return form{slots: slots(&p), payload: func() any {
		if settle != nil {
			settle(&p)
		}
		return p
	}}, nil
}

// at is the slot of a text. A text that has lines is shown in as many, since a
// form of one row would join them.
func at(f Field, text *string) slot {
	f.Text = *text
	if n := strings.Count(lines(f.Text), "\n"); n > 0 {
		f.Rows = max(f.Rows, min(n+1, mostRows))
	}
	return slot{f, func(edited string) { *text = edited }}
}

const mostRows = 12
