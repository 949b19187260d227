package admin

import (
	"vivra/app/paths"
	"vivra/static"
)

// Credentials is the page of the sign-in form and of one-time links.
type Credentials struct {
	CSRF     string
	Action   string
	Name     string
	Problem  string
	Next     string // where to go after
	Passkeys bool   // whether the site has any
}

// script is the address of a script that only some pages need.
func script(name string) string { return paths.Static(name, static.Version()) }

// NotSent is the answer to a form of a session that has ended.
type NotSent struct {
	Words    []Words
	Why      string
	Next     string // where they can be sent
	SignedIn bool   // in another session than the form's
}

// Words are what somebody wrote into one field.
type Words struct{ Field, Text string }
