package app

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Role is what a member of the team may do.
type Role = string

// The roles, from looking only to everything.
const (
	RoleViewer   Role = "viewer"
	RoleApprover Role = "approver"
	RoleAdmin    Role = "admin"
)

// How long what lets people in holds.
const (
	SessionLifetime = 12 * time.Hour
	SessionIdle     = 2 * time.Hour // without a request
	InviteLifetime  = 7 * 24 * time.Hour
)

// Roles are all roles, from looking only to everything.
func Roles() []Role { return []Role{RoleViewer, RoleApprover, RoleAdmin} }

// CheckRole refuses what is no role.
func CheckRole(role Role) error {
	if !slices.Contains(Roles(), role) {
		return Errorf(Invalid, "A role is viewer, approver or admin.")
	}
	return nil
}

var userName = regexp.MustCompile(`^[\pL\p{Nd}][\pL\p{Nd}._-]{1,39}$`)

// ByPolicy stands where a user's name would for what a rule decided.
const ByPolicy = "policy"

// ReservedNames stand where a user's name would for what no member did.
func ReservedNames() []string { return []string{ByPolicy, "system", "team", "cli", "start", "vivra"} }

// CheckUserName refuses what can't be a member's name.
func CheckUserName(name string) error {
	if !userName.MatchString(name) {
		return Errorf(Invalid, "A name has 2 to 40 letters, digits, dots or dashes, and begins with a letter or a digit.")
	}
	if slices.Contains(ReservedNames(), FoldUserName(name)) {
		return Errorf(Invalid, "%q stands for what no member did. Take another name.", FoldUserName(name))
	}
	written := ""
	for _, r := range name {
		if s := script(r); s != "" && written != "" && s != written {
			return Errorf(Invalid, "A name's letters are of one alphabet.")
		} else if s != "" {
			written = s
		}
	}
	return nil
}

// FoldUserName is a name as it was typed by somebody, or by their phone, as
// names are told apart at sign-in.
func FoldUserName(typed string) string { return strings.ToLower(strings.TrimSpace(typed)) }

// script is the alphabet that r is of, "" for what all share. What is written
// together in Japanese is one.
func script(r rune) string {
	if r <= unicode.MaxASCII && !unicode.IsLetter(r) {
		return ""
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			switch name {
			case "Common", "Inherited":
				return ""
			case "Hiragana", "Katakana":
				return "Han"
			}
			return name
		}
	}
	return ""
}

// User is a member of the team.
type User struct {
	ID           int64
	Name         string
	Role         Role
	PasswordHash string // empty: its link was not used yet, nobody can sign in
	// Handle is what an authenticator knows the account by, a uuid.
	Handle     string
	CreatedAt  time.Time
	DisabledAt *time.Time // nil: may sign in
}

// Member is a user as the list of the team shows one.
type Member struct {
	User
	Passkeys int
	Sessions int        // open ones
	SeenAt   *time.Time // in the newest open session, or when it last signed in; nil: never
}

// Invite is a one-time link: it makes an account, or gives one a new password.
type Invite struct {
	ID        string // uuid; the link's token is kept as its hash only
	Role      Role
	ForUser   string // name of the account that gets a new password, empty: a new account
	CreatedBy string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Session is one signed-in browser.
type Session struct {
	ID        string // uuid, not the cookie's token
	Browser   string // what the browser calls itself: outside text
	StartedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time
	Current   bool // the one that asks
}

// Passkey is a key that signs its account in without a password.
type Passkey struct {
	ID           string // uuid
	CredentialID []byte
	Name         string          // what its owner calls it
	Credential   json.RawMessage // as the library of passkeys keeps it
	CreatedAt    time.Time
	UsedAt       *time.Time
}
