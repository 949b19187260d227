package web

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/edits"
	"vivra/app/paths"
	"vivra/app/preflight"
	"vivra/views/admin"
)

// GET /admin/validations/:id/draft is the form that edits an output.
func (s *Server) newValidationDraft(c echo.Context) error {
	v, err := s.Store.Validation(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	if v.State != app.ValidationPending {
		return s.refuse(c, app.Errorf(app.Conflict, "This output does not wait any more, so it can't be edited."), admin.Refusal{})
	}
	if !editable(v) {
		return s.refuse(c, app.Errorf(app.Invalid, "This kind of output can't be edited. Reject it with a reason: the next draft is written from it."), admin.Refusal{})
	}
	return s.draftForm(c, http.StatusOK, v, nil, "")
}

// POST /admin/validations/:id/draft writes a person's words as a new draft, or
// shows how they would look.
func (s *Server) createValidationDraft(c echo.Context) error {
	ctx := c.Request().Context()
	v, err := s.Store.Validation(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	values, err := draftValues(c)
	if err != nil {
		return err
	}
	if c.FormValue("look") != "" && v.State == app.ValidationPending {
		return s.draftForm(c, http.StatusOK, v, values, "")
	}
	draft, err := s.Editor.EditValidation(ctx, choice(c), values, currentUser(c))
	switch app.KindOf(err) {
	case app.Invalid:
		_, message := s.describe(ctx, err)
		return s.draftForm(c, http.StatusUnprocessableEntity, v, values, message)
	case app.Conflict:
		return s.draftLate(c, err, values)
	}
	if err != nil {
		return err
	}
	s.changed(draft.OperationID)
	return done(c, paths.Validation(draft.ID))
}

// draftLate answers an edit of what has changed meanwhile: what was written is
// kept, to be saved over the draft as it stands now or to be copied.
func (s *Server) draftLate(c echo.Context, err error, values map[string]string) error {
	v, failed := s.Store.Validation(c.Request().Context(), c.Param("id"))
	if failed != nil {
		return err
	}
	if v.State != app.ValidationPending {
		return s.refuse(c, err, admin.Refusal{Wrote: written(v, values)})
	}
	_, message := s.describe(c.Request().Context(), err)
	return s.draftForm(c, http.StatusConflict, v, values, message)
}

// draftValues are the values of the form's fields by their names.
func draftValues(c echo.Context) (map[string]string, error) {
	form, err := c.FormParams()
	values := map[string]string{}
	for name := range form {
		if field, ok := strings.CutPrefix(name, "field."); ok {
			values[field] = strings.ReplaceAll(form.Get(name), "\r\n", "\n")
		}
	}
	return values, err
}

// written is what was changed in the fields, so that it is not lost.
func written(v app.Validation, values map[string]string) string {
	fields, _ := edits.Fields(v.Kind, v.Payload) // without any nothing was written
	var changed []string
	for _, f := range fields {
		if text, sent := values[f.Name]; sent && text != f.Text {
			changed = append(changed, text)
		}
	}
	return strings.Join(changed, "\n\n")
}

func (s *Server) draftForm(c echo.Context, status int, v app.Validation, values map[string]string, problem string) error {
	frame, err := s.frameWithCount(c, "Edit, Vivra", paths.Validations())
	if err != nil {
		return err
	}
	m := admin.DraftForm{Team: frame, Current: v}
	fields, err := edits.Fields(v.Kind, v.Payload)
	if err != nil {
		return err
	}
	for _, f := range fields {
		m.Fields = append(m.Fields, draftField(f, values))
	}
	fixed(m.Fields, v)
	m.Problem = beside(m.Fields, problem)
	if payload, err := edits.Apply(v.Kind, v.Payload, values); err == nil {
		m.Looks = true
		if v.Payload, err = app.CanonicalJSON(payload); err != nil {
			return err
		}
	}
	if m.Preview, err = s.preview(c.Request().Context(), v); err != nil {
		return err
	}
	if m.Mention, err = s.mention(c.Request().Context(), v); err != nil {
		return err
	}
	allowFrames(c)
	return render(c, status, admin.ValidationDraft(m))
}

// fixed marks the fields of a thread's posts that are out already.
func fixed(fields []admin.DraftField, v app.Validation) {
	if v.Kind != app.KindThread {
		return
	}
	for i := range outOf(v) {
		for j, f := range fields {
			if strings.HasPrefix(f.Name, fmt.Sprintf("post.%d.", i)) {
				fields[j].Fixed, fields[j].Hint = true, "Out already: it stays as it is."
			}
		}
	}
}

func draftField(f edits.Field, values map[string]string) admin.DraftField {
	text, sent := values[f.Name]
	if !sent {
		text = f.Text
	}
	count := utf8.RuneCountInString(text)
	if f.Weighted {
		count = preflight.Length(text)
	}
	return admin.DraftField{Name: f.Name, Label: f.Label, Hint: f.Hint, Text: text, Rows: f.Rows, Limit: f.Limit, Weighted: f.Weighted, Count: count}
}
