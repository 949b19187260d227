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

const (
	tooOld    = "This form is too old or did not come from this site. "
	signedOut = "You are signed out: the session has ended, as it does when somebody's role is changed. Nothing was changed."
)

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
	if user.ID != 0 && !may(user.Role, r.Access) {
		return s.notAllowed(c, user)
	}
	m := admin.NotSent{Words: typedInto(c), Why: tooOld + "Nothing was changed. Open the page again.", SignedIn: user.ID != 0}
	switch {
	case !m.SignedIn && r.Access > Visitor:
		m.Why = signedOut + " Sign in and open the page again."
	case m.SignedIn && len(m.Words) > 0: // into a form of ours
		m.Why = "You have signed in anew since this form was opened. Nothing was changed. Open the page again."
	}
	return s.notTaken(c, m)
}

// notTaken says why a form was not taken, with the words that it held.
func (s *Server) notTaken(c echo.Context, m admin.NotSent) error {
	if len(m.Words) > 0 && !isDatastar(c) {
		return s.notSent(c, m)
	}
	return app.Errorf(app.Denied, "%s", m.Why)
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
func (s *Server) notSent(c echo.Context, m admin.NotSent) error {
	m.Next = back(c)
	if id := c.Param("id"); id != "" && m.Next == paths.Admin() && strings.HasPrefix(c.Path(), paths.Validations()) {
		m.Next = paths.Validation(id)
	}
	if !m.SignedIn {
		m.Next = paths.SignIn() + "?" + url.Values{"next": {m.Next}}.Encode()
	}
	return render(c, http.StatusForbidden, admin.WordsNotSent(m))
}
