package web

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/labstack/echo/v4"

	"vivra/app"
)

// POST /admin/sign-in/passkey/challenge begins to sign in without a name.
func (s *Server) createSignInChallenge(c echo.Context) error {
	if err := s.passkeysOn(); err != nil {
		return err
	}
	options, kept, err := s.passkeys.BeginDiscoverableLogin()
	if err != nil {
		return err
	}
	return s.challenge(c, kept, options.Response)
}

// POST /admin/sign-in/passkey opens a session for whoever's passkey signed.
func (s *Server) createPasskeySession(c echo.Context) error {
	if !s.mayTry(c) {
		return s.signInForm(c, http.StatusTooManyRequests, tooManyTries)
	}
	user, err := s.passkeyUser(c)
	if err != nil {
		s.note(c, "sign-in refused", user.Name, "passkey: "+err.Error())
		return s.signInRefused(c, err)
	}
	s.remember(c, user.Name)
	return s.enterFor(c, user, "passkey", safeNext(c.FormValue("next")))
}

func (s *Server) passkeyUser(c echo.Context) (app.User, error) {
	if err := s.passkeysOn(); err != nil {
		return app.User{}, err
	}
	ctx := c.Request().Context()
	kept, err := s.taken(ctx)
	if err != nil {
		return app.User{}, err
	}
	answer, err := protocol.ParseCredentialRequestResponseBytes([]byte(c.FormValue("credential")))
	if err != nil {
		return app.User{}, app.Errorf(app.Invalid, "The browser gave no passkey. Try again, or use your password.")
	}
	p, user, err := s.Store.PasskeyByCredential(ctx, answer.RawID)
	if err != nil && app.KindOf(err) != app.NotFound {
		return app.User{}, err
	}
	if err != nil {
		return app.User{}, errUnknownPasskey
	}
	return user, s.verify(ctx, kept, answer, p, user)
}

var errUnknownPasskey = app.Errorf(app.Invalid, "This passkey belongs to no account here. Use another one, or your password.")

// verify refuses an answer that p did not give, now and to a person it knows,
// and a passkey of which there may be a copy.
func (s *Server) verify(ctx context.Context, kept webauthn.SessionData, answer *protocol.ParsedCredentialAssertionData, p app.Passkey, user app.User) error {
	h, err := holderOf(user, p)
	if err != nil {
		return err
	}
	used, err := s.passkeys.ValidateDiscoverableLogin(func(_, _ []byte) (webauthn.User, error) { return h, nil }, kept, answer)
	if err != nil {
		s.Log.InfoContext(ctx, "passkey refused", "user", user.Name, "error", err)
		return errUnknownPasskey
	}
	raw, err := json.Marshal(used)
	switch {
	case err != nil:
		return err
	case user.DisabledAt != nil:
		return errDisabled
	case used.Authenticator.CloneWarning:
		return s.refuseCopy(ctx, user, p, raw)
	}
	return s.Store.UsePasskey(ctx, p, raw, s.Now())
}

// refuseCopy keeps the warning: from now on neither the passkey nor its copy
// signs anybody in.
func (s *Server) refuseCopy(ctx context.Context, user app.User, p app.Passkey, raw json.RawMessage) error {
	if err := s.Store.SuspectPasskey(ctx, user, p, raw, s.Now()); err != nil {
		return err
	}
	return app.Errorf(app.Conflict, "There may be a copy of this passkey: its counter went back. It is refused from now on. Sign in with your password and remove it.")
}
