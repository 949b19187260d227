package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"vivra/app"
)

// A name has one bucket of tries for all strangers. A browser that has signed
// in with the name before carries a cookie that says so and has a bucket of its
// own: whoever guesses at a name from elsewhere can't keep its owner out.

const knownFor = 180 * 24 * 60 * 60 // seconds

// triesOf is the key of the bucket that a try to sign in with the name counts
// in. What can't be a name, and may be of any length, is one for all.
func (s *Server) triesOf(c echo.Context, name string) string {
	name = app.FoldUserName(name)
	if app.CheckUserName(name) != nil {
		return ""
	}
	if nonce, known := s.knows(c, name); known {
		return name + "\x00" + nonce
	}
	return name
}

// knows tells whether somebody has signed in with the name in this browser.
func (s *Server) knows(c echo.Context, name string) (nonce string, known bool) {
	cookie, err := c.Cookie(s.cookieName("known"))
	if err != nil {
		return "", false
	}
	nonce, sum, _ := strings.Cut(cookie.Value, ".")
	return nonce, hmac.Equal([]byte(sum), []byte(s.knownSum(name, nonce)))
}

// remember makes this browser one that knows the name.
func (s *Server) remember(c echo.Context, name string) {
	if _, known := s.knows(c, name); known {
		return
	}
	nonce, like := rand.Text(), s.sessions.Cookie
	c.SetCookie(&http.Cookie{Name: s.cookieName("known"), Value: nonce + "." + s.knownSum(name, nonce), Path: like.Path, MaxAge: knownFor,
		Secure: like.Secure, HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

func (s *Server) knownSum(name, nonce string) string {
	name = app.FoldUserName(name)
	key := hmac.New(sha256.New, s.Secret)
	key.Write([]byte("browsers that are known"))
	sum := hmac.New(sha256.New, key.Sum(nil))
	sum.Write([]byte(nonce + "." + name))
	return hex.EncodeToString(sum.Sum(nil))
}
