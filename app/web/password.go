package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/crypto/argon2"

	"vivra/app"
)

// cost is what a guess at a password takes.
type cost struct {
	memory uint32 // KiB
	time   uint32
	lanes  uint8
}

// costNow is the cost of new hashes, from OWASP's password storage cheat sheet.
// A hash of another cost still matches, and is made anew at the next sign-in.
func costNow() cost { return cost{memory: 19 * 1024, time: 2, lanes: 1} }

const (
	argonKey = 32

	minPassword = 12  // characters
	maxPassword = 200 // bytes, so that a request can't make us hash a book
)

// hashing bounds how many passwords are hashed at once: each takes 19 MiB.
var hashing = make(chan struct{}, 4)

// HashPassword returns the argon2id hash of a password in PHC form.
func HashPassword(password string) (string, error) {
	switch {
	case len([]rune(password)) < minPassword:
		return "", app.Errorf(app.Invalid, "A password has at least %d characters.", minPassword)
	case len(password) > maxPassword:
		return "", app.Errorf(app.Invalid, "A password has at most %d characters.", maxPassword)
	}
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make salt: %w", err)
	}
	return phc(costNow(), salt, derive(costNow(), password, salt)), nil
}

// PasswordMatches tells whether password is the one that was hashed.
func PasswordMatches(hash, password string) bool {
	c, salt, ok := parsePHC(hash)
	if !ok || len(password) > maxPassword {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(hash), []byte(phc(c, salt, derive(c, password, salt)))) == 1
}

// outdated tells whether a hash cost something else than hashes cost now.
func outdated(hash string) bool {
	c, _, _ := parsePHC(hash)
	return c != costNow()
}

func derive(c cost, password string, salt []byte) []byte {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2.IDKey([]byte(password), salt, c.time, c.memory, c.lanes, argonKey)
}

const phcForm = "v=%d$m=%d,t=%d,p=%d"

func phc(c cost, salt, key []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return "$argon2id$" + fmt.Sprintf(phcForm, argon2.Version, c.memory, c.time, c.lanes) + "$" + b64(salt) + "$" + b64(key)
}

func parsePHC(hash string) (c cost, salt []byte, ok bool) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return c, nil, false
	}
	version := 0
	if n, _ := fmt.Sscanf(parts[2]+"$"+parts[3], phcForm, &version, &c.memory, &c.time, &c.lanes); n != 4 || version != argon2.Version || c.time == 0 || c.lanes == 0 {
		return c, nil, false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	return c, salt, err == nil
}

// nobody is the hash of no password: checking against it takes as long as
// checking a real account, so that an answer's time names no accounts.
var nobody = sync.OnceValue(func() string { return phc(costNow(), make([]byte, 16), make([]byte, argonKey)) })
