package doctor

import (
	"context"
	"strings"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/postgres"
	"vivra/app/x"
)

// Accounts lists the connected accounts on X.
type Accounts func(ctx context.Context) ([]postgres.XAccount, error)

// X looks at the application on X and at the connected accounts. No read is
// billed: the API itself is asked without a token.
func X(wall clockwork.Clock, cfg x.Config, accounts Accounts) Check {
	auth := newService(wall, "X", "X_AUTH_BASE_URL", "X_CLIENT_ID and X_CLIENT_SECRET")
	api := newService(wall, "X", "X_API_BASE_URL", "")
	return one(auth.name, func(ctx context.Context) Finding {
		cfg.HTTP = auth.client()
		if err := x.New(cfg).CheckClient(ctx); err != nil {
			return auth.unknownClient(err)
		}
		cfg.HTTP = api.client()
		if err := x.New(cfg).CheckAPI(ctx); err != nil {
			return api.failed(err)
		}
		return api.accounts(ctx, accounts)
	})
}

func (s service) unknownClient(err error) Finding {
	what, where := s.fault(err)
	if where == key || where == elsewhere {
		return s.broken("", "X does not know this client (%d): %s must be those of OAuth 2.0, not the API key.", s.seen().status, s.key)
	}
	return s.broken("", "%s: %s.", capital(what), s.remedy(where))
}

func (s service) accounts(ctx context.Context, list Accounts) Finding {
	all, err := list(ctx)
	if err != nil {
		return s.ok("it knows our client; the connected accounts could not be read")
	}
	if len(all) == 0 {
		return s.ok("it knows our client; no account is connected yet")
	}
	var names []string
	for _, a := range all {
		names = append(names, "@"+a.Handle)
		lacks := app.MissingXScopes(a.Scopes)
		switch {
		case a.NeedsReconnect:
			return s.warning("it knows our client", "X no longer takes the tokens of @%s: connect the account again.", a.Handle)
		case len(lacks) > 0:
			return s.warning("it knows our client", "@%s has not granted %s: connect the account again.", a.Handle, strings.Join(lacks, ", "))
		}
	}
	return s.ok("it knows our client; connected: %s", strings.Join(names, ", "))
}
