package web

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/labstack/echo/v4"

	"vivra/app"
)

// POST /admin/account/passkeys/challenge begins to add a passkey. What its form
// lacks is said as plain text, for the script that asks.
func (s *Server) createPasskeyChallenge(c echo.Context) error {
	if err := s.passkeysOn(); err != nil {
		return err
	}
	user := currentUser(c)
	if err := s.isThemselves(c, user, "password"); err != nil {
		if message, ok := correctable(err); ok {
			return c.String(http.StatusUnprocessableEntity, message)
		}
		return err
	}
	all, err := s.Store.PasskeysOf(c.Request().Context(), user.ID)
	if err != nil {
		return err
	}
	h, err := holderOf(user, all...)
	if err != nil {
		return err
	}
	options, kept, err := s.passkeys.BeginRegistration(h, webauthn.WithExclusions(webauthn.Credentials(h.keys).CredentialDescriptors()))
	if err != nil {
		return err
	}
	return s.challenge(c, kept, options.Response)
}

// POST /admin/account/passkeys adds the passkey that signed the challenge.
func (s *Server) createPasskey(c echo.Context) error {
	return s.accountChanged(c, s.addPasskey(c), "The passkey is added. It signs you in without a password.")
}

func (s *Server) addPasskey(c echo.Context) error {
	if err := s.passkeysOn(); err != nil {
		return err
	}
	ctx, user, name := c.Request().Context(), currentUser(c), strings.TrimSpace(c.FormValue("name"))
	if n := len([]rune(name)); n == 0 || n > 60 {
		return app.Errorf(app.Invalid, "Give the passkey a name of 1 to 60 characters, such as the device it is on.")
	}
	kept, err := s.taken(ctx)
	if err != nil {
		return err
	}
	answer, err := protocol.ParseCredentialCreationResponseBytes([]byte(c.FormValue("credential")))
	if err != nil {
		return app.Errorf(app.Invalid, "The browser gave no passkey. Try again.")
	}
	key, err := s.passkeys.CreateCredential(holder{User: user}, kept, answer)
	if err != nil {
		s.Log.InfoContext(ctx, "passkey not added", "user", user.Name, "error", err)
		return app.Errorf(app.Invalid, "This passkey can't be used here: it must be made for this site just now, and ask who you are by a finger, a face or a PIN.")
	}
	raw, err := json.Marshal(key)
	if err != nil {
		return err
	}
	return s.Store.AddPasskey(ctx, user, app.Passkey{CredentialID: key.ID, Name: name, Credential: raw}, s.Now())
}

// POST /admin/account/passkeys/:id/removal makes a passkey worth nothing.
func (s *Server) createPasskeyRemoval(c echo.Context) error {
	err := s.Store.RemovePasskey(c.Request().Context(), currentUser(c), c.Param("id"), s.Now())
	return s.accountChanged(c, err, "The passkey is removed. Delete it in your browser or device as well.")
}
