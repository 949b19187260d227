package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

const tooOld = "This form is too old or did not come from this site. "

// refuseForm answers a form that is not the session's: it may have ended, or
// another tab has signed in since. What was typed into it is not lost.
func (s *Server) refuseForm(c echo.Context, r Route) error {
	ctx := c.Request().Context()
	user, _, err := s.signedIn(ctx, s.sessions.Token(ctx))
	if err != nil {
		return err
	}
	if r.Path == paths.SignIn() || r.Path == paths.SignInPasskey() {
		if user.ID != 0 {
			return c.Redirect(http.StatusSeeOther, safeNext(c.FormValue("next")))
		}
		return s.signInForm(c, http.StatusForbidden, tooOld+"Here it is anew: try again.")
	}
	if words := typedInto(c); len(words) > 0 && !isDatastar(c) {
		return s.notSent(c, words, user)
	}
	return app.Errorf(app.Denied, tooOld+"Go back, reload the page and try again. Nothing was changed.")
}

// typedInto is what somebody wrote into a form of ours, by its fields: no
// passwords, and nothing that another site sends.
func typedInto(c echo.Context) (words []admin.Words) {
	if from := c.Request().Header.Get("Sec-Fetch-Site"); c.Request().Method != http.MethodPost || from != "" && from != "same-origin" && from != "none" {
		return nil
	}
	form, err := c.FormParams()
	if err != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		field, edited := strings.CutPrefix(name, "field.")
		of, _, _ := strings.Cut(name, ".") // a venue
		if text := form.Get(name); strings.TrimSpace(text) != "" && (edited || slices.Contains([]string{"reason", "receipt", "value", "link"}, of)) {
			words = append(words, admin.Words{Field: strings.ReplaceAll(field, "_", " "), Text: text})
		}
	}
	return words
}

// notSent shows the words for copying, and leads to where they can be sent.
func (s *Server) notSent(c echo.Context, words []admin.Words, user app.User) error {
	m := admin.NotSent{Words: words, Next: back(c), SignedIn: user.ID != 0}
	if id := c.Param("id"); id != "" && m.Next == paths.Admin() && strings.HasPrefix(c.Path(), paths.Validations()) {
		m.Next = paths.Validation(id)
	}
	if !m.SignedIn {
		m.Next = paths.SignIn() + "?" + url.Values{"next": {m.Next}}.Encode()
	}
	return render(c, http.StatusForbidden, admin.WordsNotSent(m))
}
