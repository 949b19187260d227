package desk

import (
	"errors"
	"fmt"

	"vivra/app"
	"vivra/app/postgres"
	"vivra/app/x"
)

// denial is what became of a connection that X led back from without a code.
func denial(answer app.XAnswer) app.XOutcome {
	if answer.Error == accessDenied {
		return app.XDenied
	}
	return app.XFailed
}

// accessDenied is X's word for a no.
const accessDenied = "access_denied"

func denied(answer app.XAnswer) string {
	switch {
	case answer.Error == accessDenied:
		return "Access was denied at X. Nothing was changed. Press Connect to be asked again."
	case answer.Error != "":
		return fmt.Sprintf("X led back with the error %q. Nothing was changed. Press Connect to try again.", short(answer.Error))
	}
	return "X led back without a code. Nothing was changed. Press Connect to try again."
}

func short(text string) string {
	const most = 80
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// exchangeFailed says why a code brought nothing.
func exchangeFailed(err error) string {
	var refused *x.APIError
	switch {
	case errors.As(err, &refused) && refused.UnknownClient():
		return unknownClient + ". Nothing was connected."
	case errors.As(err, &refused) && refused.Spent():
		return "X no longer took its own code, which it does for 30 seconds and once (" + fault(err) + "). Nothing was connected. Press Connect again."
	}
	return "X did not give us the tokens: " + fault(err) + ". Nothing was connected. Press Connect again in a moment."
}

// connected says what the connection changed for what was approved before.
func connected(before, after postgres.XAccount) string {
	said := "@" + after.Handle + " is connected."
	if before.UserID != "" && before.UserID != after.UserID {
		said += fmt.Sprintf(" It is another account than before: X knows it as number %s, and knew it as %s. What was approved for that one is put before you again.", after.UserID, before.UserID)
	}
	if len(app.MissingXScopes(after.Scopes)) > 0 {
		said += " It has not granted everything, see below."
	}
	return said
}
