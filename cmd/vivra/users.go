package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"vivra/app"
	"vivra/app/boot"
)

type users struct {
	Add   addUser   `cmd:"" help:"Add a member of the team and print the one-time link that gives the account its password."`
	List  listUsers `cmd:"" help:"List the accounts."`
	Reset resetUser `cmd:"" help:"Print a one-time link that gives an account another password. Its sessions end when the link is used."`
}

type addUser struct {
	Name string `arg:"" help:"2 to 40 letters, digits, dots or dashes."`
	Role string `help:"viewer, approver or admin." enum:"viewer,approver,admin" required:""`
	JSON bool   `help:"Answer in JSON." name:"json"`
}

// Run adds the account.
func (a addUser) Run(ctx context.Context, s surroundings) error {
	return s.link(a.JSON, func(e environment) (boot.Link, error) {
		return boot.AddUser(ctx, e.config(nil), a.Name, a.Role, s.caller(), s.log)
	})
}

type resetUser struct {
	Name string `arg:"" help:"The account's name."`
	JSON bool   `help:"Answer in JSON." name:"json"`
}

// Run makes the link.
func (r resetUser) Run(ctx context.Context, s surroundings) error {
	return s.link(r.JSON, func(e environment) (boot.Link, error) {
		return boot.ResetUser(ctx, e.config(nil), r.Name, s.caller(), s.log)
	})
}

// link prints the link that was made. In JSON a failure is told, too.
func (s surroundings) link(inJSON bool, make func(environment) (boot.Link, error)) error {
	e, faults := parse(s.getenv)
	if len(faults) > 0 {
		return s.toldInJSON(inJSON, misconfigured(faults))
	}
	link, err := make(e)
	if err != nil {
		return s.toldInJSON(inJSON, told(err))
	}
	if inJSON {
		return json.NewEncoder(s.out).Encode(map[string]string{"name": link.Name, "role": link.Role, "link": link.URL, "expires": link.Expires.Format(time.RFC3339)})
	}
	_, err = fmt.Fprintf(s.out, "%s, %s: this link works once, until %s, and is not shown again:\n%s\n", link.Name, link.Role, instant(link.Expires), link.URL)
	return err
}

// toldInJSON tells a failure also in JSON, when that is asked.
func (s surroundings) toldInJSON(inJSON bool, err error) error {
	if inJSON && err != nil {
		if err := json.NewEncoder(s.out).Encode(map[string]string{"error": err.Error()}); err != nil {
			return err
		}
	}
	return err
}

// caller is who the audit says made a change by a command.
func (s surroundings) caller() string {
	if user := printable(s.getenv("USER")); user != "" {
		return user + " (command line)"
	}
	return "command line"
}

type listUsers struct {
	JSON bool `help:"Answer in JSON." name:"json"`
}

// shownUser is an account as it is shown.
type shownUser struct {
	Name     string `json:"name"`
	Role     string `json:"role"`
	State    string `json:"state"`
	Passkeys int    `json:"passkeys"`
	Sessions int    `json:"sessions"`
	Seen     string `json:"last_seen,omitempty"`
}

// Run lists the accounts.
func (l listUsers) Run(ctx context.Context, s surroundings) error {
	e, faults := parse(s.getenv)
	if len(faults) > 0 {
		return s.toldInJSON(l.JSON, misconfigured(faults))
	}
	members, err := boot.Members(ctx, e.config(nil), s.log)
	if err != nil {
		return s.toldInJSON(l.JSON, told(err))
	}
	shown := make([]shownUser, len(members))
	for i, m := range members {
		shown[i] = shownUser{Name: m.Name, Role: m.Role, State: standing(m), Passkeys: m.Passkeys, Sessions: m.Sessions}
		if m.SeenAt != nil {
			shown[i].Seen = m.SeenAt.UTC().Format(time.RFC3339)
		}
	}
	if l.JSON {
		return indented(s.out, shown)
	}
	return printUsers(s.out, shown)
}

func standing(m app.Member) string {
	switch {
	case m.DisabledAt != nil:
		return "disabled"
	case m.PasswordHash == "":
		return "link not used"
	}
	return "active"
}

func printUsers(out io.Writer, all []shownUser) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(out, "There is no account yet. vivra user add NAME --role admin makes one.")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tROLE\tSTATE\tPASSKEYS\tSESSIONS\tLAST SEEN")
	for _, u := range all {
		fmt.Fprintln(w, strings.Join([]string{printable(u.Name), u.Role, u.State, strconv.Itoa(u.Passkeys), strconv.Itoa(u.Sessions), u.Seen}, "\t"))
	}
	return w.Flush()
}
