package tgsim

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
)

// params are a call's arguments, however they were sent: query, form,
// multipart or JSON.
type params struct {
	values map[string]string
	files  map[string][]byte
}

func readParams(r *http.Request) (params, error) {
	p := params{map[string]string{}, map[string][]byte{}}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && kind == "application/json" {
		return p, p.readJSON(r.Body)
	}
	if err := r.ParseMultipartForm(32 << 20); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return p, err
	}
	for name, values := range r.Form {
		p.values[name] = values[0]
	}
	return p, p.readFiles(r)
}

func (p params) readJSON(body io.Reader) error {
	var members map[string]json.RawMessage
	if err := json.NewDecoder(body).Decode(&members); err != nil {
		return err
	}
	for name, raw := range members {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		p.values[name] = text
	}
	return nil
}

func (p params) readFiles(r *http.Request) error {
	if r.MultipartForm == nil {
		return nil
	}
	for name, headers := range r.MultipartForm.File {
		file, err := headers[0].Open()
		if err != nil {
			return err
		}
		content, err := io.ReadAll(file)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
		p.files[name] = content
	}
	return nil
}

func (p params) int(name string) int64 {
	n, err := strconv.ParseInt(p.values[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// json reads a structured argument into v; a missing one changes nothing.
func (p params) json(name string, v any) error {
	raw, ok := p.values[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal([]byte(raw), v); err != nil {
		return badRequest("can't parse %s", name)
	}
	return nil
}
