package chain

import (
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"vivra/app"
)

// ParseAddress reads an address as people paste it. Digits in one case only
// are taken as they are; mixed case must fit the checksum of EIP-55, so that a
// mistyped address is caught.
func ParseAddress(s string) (app.Address, error) {
	a, err := app.ParseAddress(s)
	if err != nil {
		return a, err
	}
	digits := strings.TrimPrefix(strings.TrimSpace(s), "0x")
	if digits == strings.ToLower(digits) || digits == strings.ToUpper(digits) {
		return a, nil
	}
	if Checksum(a) != "0x"+digits {
		return app.Address{}, app.Errorf(app.Invalid, "%q is not an address: its capital letters do not fit its digits, so a character is probably wrong.", s)
	}
	return a, nil
}

// Checksum returns the EIP-55 form of a, the one that people see.
func Checksum(a app.Address) string { return common.Address(a).Hex() }

// named is the EIP-55 form, empty for no address.
func named(a common.Address) string {
	if a == (common.Address{}) {
		return ""
	}
	return a.Hex()
}
