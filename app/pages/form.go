package pages

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime/multipart"
)

// deploymentForm is the body that creates a deployment.
func deploymentForm(m message, b bundle) (body []byte, contentType string, err error) {
	manifest, err := json.Marshal(b.manifest)
	if err != nil {
		return nil, "", err
	}
	var buf bytes.Buffer
	form := multipart.NewWriter(&buf)
	fields := [][2]string{
		{"manifest", string(manifest)}, {"branch", branch}, {"commit_hash", m.manifest[:40]},
		{"commit_message", m.String()}, {"commit_dirty", "false"},
	}
	for _, f := range fields {
		err = errors.Join(err, form.WriteField(f[0], f[1]))
	}
	for _, name := range directives {
		if content, ok := b.content[name]; ok {
			part, partErr := form.CreateFormFile(name[1:], name[1:])
			if partErr != nil {
				return nil, "", partErr
			}
			_, writeErr := part.Write(content)
			err = errors.Join(err, writeErr)
		}
	}
	err = errors.Join(err, form.Close())
	return buf.Bytes(), form.FormDataContentType(), err
}
