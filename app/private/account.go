package private

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"vivra/app"
)

// serverAccount returns whom the server has to run as: PostgreSQL refuses to
// be root, so root becomes postgres, or nobody where there is no postgres.
func serverAccount() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if uidErr != nil || gidErr != nil {
			return nil, fmt.Errorf("account %s has the ids %q and %q", name, u.Uid, u.Gid)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, app.Errorf(app.Unavailable, "PostgreSQL can't run as root, and this machine has neither a postgres nor a nobody account. Start as another user.")
}
