package web

import (
	"crypto/subtle"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"vivra/app"
)

// POST /telegram/webhook keeps an update before it answers: once it is kept
// Telegram must not send it again, whatever it holds.
func (s *Server) createTelegramUpdate(c echo.Context) error {
	if s.Updates == nil || s.WebhookSecret == "" {
		return app.Errorf(app.NotFound, "No bot is set up.")
	}
	// https://core.telegram.org/bots/api#setwebhook, secret_token
	given := c.Request().Header.Get("X-Telegram-Bot-Api-Secret-Token")
	if subtle.ConstantTimeCompare([]byte(given), []byte(s.WebhookSecret)) != 1 {
		return app.Errorf(app.Denied, "The secret is missing or wrong.")
	}
	raw, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err
	}
	if err := s.Updates.SaveUpdate(c.Request().Context(), raw, s.Now()); err != nil {
		return err
	}
	return c.NoContent(http.StatusOK)
}
