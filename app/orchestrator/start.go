package orchestrator

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vivra/app"
	"vivra/app/preflight"
	"vivra/app/untrusted"
)

// StartOperation plans a takeover: the token is read on its chain first, and an
// address that is no ERC-20 is refused with what was found there.
func (o *Orchestrator) StartOperation(ctx context.Context, in app.NewOperation, by app.User) (app.Operation, error) {
	if in.Token.Ref.ChainID == 0 {
		in.Token.Ref.ChainID = o.ChainID
	}
	facts, err := o.Chain.Token(ctx, in.Token.Ref)
	if err != nil {
		return app.Operation{}, err
	}
	asWritten := false
	in.Token.Name, in.Token.Symbol, asWritten = preflight.TokenWords(facts.Name, facts.Symbol)
	in.Token.Decimals = facts.Decimals
	if in.Cap <= 0 {
		return app.Operation{}, app.Errorf(app.Invalid, "The cap must be more than nothing: it is the most this takeover may spend.")
	}
	if in.Envelope < 0 {
		return app.Operation{}, app.Errorf(app.Invalid, "The envelope can't be less than nothing.")
	}
	now := o.Clock.Now().UTC()
	if in.J0.IsZero() {
		in.J0 = now
	}
	if in.J0.Before(now.Add(-time.Hour)) || in.J0.After(now.AddDate(1, 0, 0)) {
		return app.Operation{}, app.Errorf(app.Invalid, "The start must lie between now and a year from now.")
	}
	in.XHandle = strings.TrimPrefix(strings.TrimSpace(in.XHandle), "@")
	if !handle.MatchString(in.XHandle) {
		return app.Operation{}, app.Errorf(app.Invalid, "%q is no account on X: a name there has 1 to 15 letters, digits and underscores.", in.XHandle)
	}
	if in.Slug == "" {
		in.Slug = in.Token.Symbol
	}
	if in.Slug, err = o.Store.FreeSlug(ctx, Label(in.Slug)); err != nil {
		return app.Operation{}, err
	}
	host := ""
	if o.SiteDomain != "" {
		host = in.Slug + "." + o.SiteDomain
	}
	op, err := o.Store.CreateOperation(ctx, in, host, o.Calendar.Expand(in.J0), by, now)
	if err == nil && !asWritten {
		o.alertName(ctx, op, facts, now)
	}
	return op, err
}

// alertName tells the team that the token's own words are not shown.
func (o *Orchestrator) alertName(ctx context.Context, op app.Operation, facts app.TokenFacts, now time.Time) {
	message := fmt.Sprintf("What the token is called on its chain is no plain name, so it is not shown. We call it %s (%s). There it reads “%s”, “%s”.",
		op.Token.Name, op.Token.Symbol, untrusted.Quote(facts.Name, 100), untrusted.Quote(facts.Symbol, 40))
	if err := o.Store.RaiseAlert(ctx, op.ID, "token_name", op.Slug, message, now); err != nil {
		o.Log.ErrorContext(ctx, "alert not raised", "operation", op.Slug, "error", err) // the operation stands
	}
}

// handle is a name on X, or none yet.
var handle = regexp.MustCompile(`^[A-Za-z0-9_]{0,15}$`)

// Label folds a symbol to a DNS label: letters and digits, "token" when none
// are left.
func Label(symbol string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(norm.NFKD.String(symbol)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.IsSpace(r), r == '-', r == '_', r == '.':
			if b.Len() > 0 {
				b.WriteByte('-')
			}
		}
		if b.Len() >= 40 {
			break
		}
	}
	label := strings.Trim(b.String(), "-")
	for strings.Contains(label, "--") {
		label = strings.ReplaceAll(label, "--", "-")
	}
	switch label {
	case "":
		return "token"
	case "new", "www", "api", "admin", "mail":
		return label + "-token" // a page of ours, or a host that means something else
	}
	return label
}
