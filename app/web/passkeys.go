package web

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/labstack/echo/v4"

	"vivra/app"
)

// passkeys is the site as keys know it: they are bound to its host.
type passkeys struct {
	*webauthn.WebAuthn
	off string // why there are none here, as sentences; empty: there are
}

// newPasskeys tells whether browsers give keys to the site, as they do to hosts
// with a name, over https or on the reader's own machine.
func newPasskeys(publicURL string) passkeys {
	u, err := url.Parse(publicURL)
	if err != nil || u.Hostname() == "" {
		return passkeys{off: "This site was not told its public address. Set VIVRA_PUBLIC_URL."}
	}
	host := strings.ToLower(u.Hostname())
	own := host == "localhost" || strings.HasSuffix(host, ".localhost")
	switch {
	case net.ParseIP(host) != nil:
		return passkeys{off: "Passkeys are bound to a name, and this site's address is " + host + ". Set VIVRA_PUBLIC_URL to a name; on your own machine http://localhost will do."}
	case u.Scheme != "https" && !own:
		return passkeys{off: "Passkeys need https, and this site is at " + publicURL + "."}
	}
	return passkeysOf(host, origin(u))
}

func passkeysOf(host, origin string) passkeys {
	limit := webauthn.TimeoutConfig{Enforce: true}
	lib, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "Vivra", RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(), UserVerification: protocol.VerificationRequired},
		Timeouts: webauthn.TimeoutsConfig{Login: limit, Registration: limit},
		// Some managers of passwords add outputs that nobody asked for. None is read.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return passkeys{off: "Passkeys can't be bound to " + origin + ": " + err.Error() + "."}
	}
	return passkeys{WebAuthn: lib}
}

// origin is the address as a browser says it: without the usual port.
func origin(u *url.URL) string {
	host := strings.ToLower(u.Host)
	usual := map[string]string{"http": ":80", "https": ":443"}
	return u.Scheme + "://" + strings.TrimSuffix(host, usual[u.Scheme])
}

// holder is an account as the library asks for it.
type holder struct {
	app.User
	keys []webauthn.Credential
}

// WebAuthnID is what an authenticator knows the account by.
func (h holder) WebAuthnID() []byte { return []byte(h.Handle) }

// WebAuthnName is what it shows.
func (h holder) WebAuthnName() string { return h.Name }

// WebAuthnDisplayName is what it shows.
func (h holder) WebAuthnDisplayName() string { return h.Name }

// WebAuthnCredentials are the account's keys.
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

func holderOf(user app.User, all ...app.Passkey) (holder, error) {
	h := holder{User: user}
	for _, p := range all {
		var key webauthn.Credential
		if err := json.Unmarshal(p.Credential, &key); err != nil {
			return h, err
		}
		h.keys = append(h.keys, key)
	}
	return h, nil
}

// suspect tells whether p's counter once went back, as a copy's would.
func suspect(p app.Passkey) bool {
	h, err := holderOf(app.User{}, p)
	return err != nil || h.keys[0].Authenticator.CloneWarning
}

// challenge answers with what a key is to sign, and keeps it for one answer.
func (s *Server) challenge(c echo.Context, kept *webauthn.SessionData, options any) error {
	ctx := c.Request().Context()
	raw, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	if s.sessions.Token(ctx) == "" { // a guest's begins here
		s.sessions.Put(ctx, "challenged", true)
		if _, _, err := s.sessions.Commit(ctx); err != nil {
			return err
		}
	}
	if err := s.Sessions.KeepChallenge(ctx, s.sessions.Token(ctx), string(raw)); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, options)
}

// taken is the challenge that an answer is to, once.
func (s *Server) taken(ctx context.Context) (kept webauthn.SessionData, err error) {
	raw, err := s.Sessions.TakeChallenge(ctx, s.sessions.Token(ctx))
	if app.KindOf(err) == app.NotFound {
		return kept, app.Errorf(app.Conflict, "This answer of a passkey was used already, or nobody asked for it. Try again.")
	}
	if err != nil {
		return kept, err
	}
	return kept, json.Unmarshal([]byte(raw), &kept)
}

// passkeysOn refuses where there can be no passkeys.
func (s *Server) passkeysOn() error {
	if s.passkeys.off != "" {
		return app.Errorf(app.Conflict, "%s", s.passkeys.off)
	}
	return nil
}
