package app

import (
	"encoding/hex"
	"strings"
)

// Address is an EVM account or contract. Addresses are compared as these
// bytes; the EIP-55 form is for people (package chain makes it).
type Address [20]byte

// ParseAddress reads 0x and 40 hex digits in any case. It does not check the
// EIP-55 checksum; chain.ParseAddress does.
func ParseAddress(s string) (Address, error) {
	var a Address
	digits, ok := strings.CutPrefix(strings.TrimSpace(s), "0x")
	if !ok || len(digits) != 40 {
		return a, Errorf(Invalid, "%q is not an address: it must be 0x and 40 hex digits.", s)
	}
	if _, err := hex.Decode(a[:], []byte(digits)); err != nil {
		return a, Errorf(Invalid, "%q is not an address: it holds a character that is not a hex digit.", s)
	}
	return a, nil
}

// Hex returns 0x and 40 lower-case digits.
func (a Address) Hex() string { return "0x" + hex.EncodeToString(a[:]) }

// IsZero tells whether a is the zero address.
func (a Address) IsZero() bool { return a == Address{} }

// TokenRef names a token: symbols collide, so nothing is identified by one.
type TokenRef struct {
	ChainID int64
	Address Address
}
