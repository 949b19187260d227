package doctor

import (
	"os"
	"testing"
	"time"

	"vivra/app/x"
)

// enterable makes a folder that PostgreSQL's account can enter when this is root.
func enterable(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "vivra-doctor-")
	if err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(folder) })
		err = os.Chmod(folder, 0o711)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func token() x.Token {
	return x.Token{AccessToken: "a", RefreshToken: "r", Scopes: []string{"tweet.read"}, ExpiresAt: time.Unix(2e9, 0)}
}
