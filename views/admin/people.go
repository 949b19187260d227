package admin

import (
	"time"

	"vivra/app"
	"vivra/views/layout"
	"vivra/views/ui"
)

// People is the page of who is in the team and who was asked to be.
type People struct {
	layout.Team
	Members []app.Member // those who may sign in first
	Invites []app.Invite
	Link    *OneTimeLink // made just now; nil: none
	Problem string
}

// OneTimeLink is a link as it is shown once.
type OneTimeLink struct {
	URL     string
	For     string // the account that gets another password, empty: a new account
	Role    app.Role
	Expires time.Time
}

func (l OneTimeLink) title() string {
	if l.For != "" {
		return "A link for a new password of " + l.For
	}
	return "A link for a new " + l.Role
}

func inviteTitle(i app.Invite) string {
	if i.ForUser != "" {
		return "new password for " + i.ForUser
	}
	return "new " + i.Role
}

// can says what a role may do.
func can(role app.Role) string {
	switch role {
	case app.RoleAdmin:
		return "An admin decides, runs operations and looks after the team."
	case app.RoleApprover:
		return "An approver sees all and decides what is published."
	}
	return "A viewer sees all and changes nothing."
}

// holdings are what an account can sign in with and where it is.
func holdings(m app.Member) string {
	return ui.Count(m.Passkeys, "passkey", "passkeys") + " · " + ui.Count(m.Sessions, "open session", "open sessions")
}
