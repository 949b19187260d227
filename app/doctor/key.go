package doctor

import (
	"context"
	"errors"

	"vivra/app"
	"vivra/app/desk"
	"vivra/app/seal"
)

// SecretKey is the key that seals what is secret in the database, or why there
// is none.
type SecretKey struct {
	Bytes   []byte // nil: not made yet
	Problem error
	File    string // where it is made at the first start; empty: it was set
}

// Key looks whether the key opens what was sealed.
func Key(k SecretKey, accounts Accounts) Check {
	const name = "secret key"
	return one(name, func(ctx context.Context) Finding {
		if k.Problem != nil {
			return broken(name, "", "%s.", capital(sentence(k.Problem)))
		}
		all, unread := accounts(ctx)
		if k.Bytes == nil {
			if len(all) > 0 {
				return broken(name, "", "The key that sealed %s is not in %s: put it back from your backup.", app.Count(len(all), "account", "accounts"), k.File)
			}
			return ok(name, "vivra serve makes it in %s", k.File)
		}
		sealer, err := seal.New(k.Bytes)
		if err != nil {
			return broken(name, "", "%s: check VIVRA_SECRET_KEY.", capital(sentence(err)))
		}
		for _, a := range all {
			if err := desk.Opens(sealer, a); err != nil {
				return broken(name, "", "It does not open the tokens of @%s, which key %s has sealed and not %s: set VIVRA_SECRET_KEY to that one.", a.Handle, a.KeyID, sealer.KeyID())
			}
		}
		switch {
		case errors.Is(unread, ErrNotRunning):
			return off(name, "key %s; what it sealed can be looked at while the database runs", sealer.KeyID())
		case unread != nil:
			return warning(name, "key "+sealer.KeyID(), "What it sealed could not be read, so nobody knows whether it opens that: see the database.")
		case len(all) == 0:
			return ok(name, "key %s; nothing is sealed yet", sealer.KeyID())
		}
		return ok(name, "key %s opens %s", sealer.KeyID(), app.Count(len(all), "sealed account", "sealed accounts"))
	})
}
