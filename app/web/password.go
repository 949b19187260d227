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

// The cost of argon2id, from OWASP's password storage cheat sheet.
const (
	argonMemory = 19 * 1024 // KiB
	argonTime   = 2
	argonLanes  = 1
	argonKey    = 32

	minPassword = 12  // characters
	maxPassword = 200 // bytes, so that a request can't make us hash a book
)

// hashing bounds how many passwords are hashed at once: each takes 19 MiB.
var hashing = make(chan struct{}, 4)

// HashPassword returns the argon2id hash of a password in PHC form.
func HashPassword(password string) (string, error) {
	if len([]rune(password)) < minPassword || len(password) > maxPassword {
		return "", app.Errorf(app.Invalid, "A password has at least %d characters.", minPassword)
	}
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make salt: %w", err)
	}
	return phc(salt, derive(password, salt)), nil
}

// PasswordMatches tells whether password is the one that was hashed.
func PasswordMatches(hash, password string) bool {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || len(password) > maxPassword {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(hash), []byte(phc(salt, derive(password, salt)))) == 1
}

func derive(password string, salt []byte) []byte {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, argonKey)
}

func phc(salt, key []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonLanes, b64(salt), b64(key))
}

// nobody is the hash of no password: checking against it takes as long as
// checking a real account, so that an answer's time names no accounts.
var nobody = sync.OnceValue(func() string { return phc(make([]byte, 16), make([]byte, argonKey)) })
