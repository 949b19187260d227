// Package seal keeps secrets that are stored: XChaCha20-Poly1305 under one key.
package seal

import (
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// Sealer seals and opens with one key.
type Sealer struct {
	aead cipher.AEAD
	id   string
}

// New returns a sealer for a key of 32 bytes.
func New(key []byte) (*Sealer, error) {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, fmt.Errorf("the secret key must have 32 bytes, not %d", len(key))
	}
	sum := sha256.Sum256(append([]byte("vivra key id"), key...))
	return &Sealer{aead, hex.EncodeToString(sum[:4])}, nil
}

// KeyID names the key without telling it.
func (s *Sealer) KeyID() string { return s.id }

// Seal encrypts text; purpose is bound to it and must be given to open it.
func (s *Sealer) Seal(text, purpose string) []byte {
	nonce := make([]byte, s.aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		panic(err) // no randomness, no secrets
	}
	return s.aead.Seal(nonce, nonce, []byte(text), []byte(purpose))
}

// Open decrypts what Seal made for the same purpose.
func (s *Sealer) Open(sealed []byte, purpose string) (string, error) {
	n := s.aead.NonceSize()
	if len(sealed) < n {
		return "", errors.New("open sealed text: it is too short")
	}
	text, err := s.aead.Open(nil, sealed[:n], sealed[n:], []byte(purpose))
	if err != nil {
		return "", errors.New("open sealed text: it was sealed with another key or changed since")
	}
	return string(text), nil
}
