package desk

import (
	"errors"

	"vivra/app/postgres"
	"vivra/app/seal"
)

// Opens tells whether a key opens what is sealed of an account.
func Opens(key *seal.Sealer, a postgres.XAccount) error {
	_, access := key.Open(a.AccessSealed, purpose("access", a.Handle))
	_, refresh := key.Open(a.RefreshSealed, purpose("refresh", a.Handle))
	return errors.Join(access, refresh)
}
