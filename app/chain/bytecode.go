package chain

import (
	"slices"

	"github.com/ethereum/go-ethereum/crypto"
)

// harmful are functions through which an owner can take value from holders,
// by what they do (the words of app.TokenFacts.Dangerous).
var harmful = []struct {
	does       string
	signatures []string
}{
	{"mint", []string{"mint(address,uint256)", "mint(uint256)", "issue(uint256)", "mintTo(address,uint256)"}},
	{"pause", []string{"pause()", "setPaused(bool)", "setPause(bool)", "setTradingEnabled(bool)", "setTrading(bool)", "disableTrading()"}},
	{"blacklist", []string{
		"blacklist(address)", "blacklist(address,bool)", "addToBlacklist(address)", "addBlackList(address)", "setBlacklist(address,bool)",
		"blacklistAddress(address,bool)", "setIsBlacklisted(address,bool)", "setBots(address[])", "addBots(address[])", "setBot(address,bool)", "freeze(address)",
	}},
	{"set_fee", []string{
		"setFee(uint256)", "setFees(uint256,uint256)", "setTax(uint256)", "setTaxes(uint256,uint256)", "updateFees(uint256,uint256)",
		"updateBuyFees(uint256,uint256,uint256)", "updateSellFees(uint256,uint256,uint256)", "setBuyFee(uint256)", "setSellFee(uint256)",
		"setBuyTax(uint256)", "setSellTax(uint256)", "setTaxFeePercent(uint256)", "setFeePercent(uint256)",
	}},
}

// dangerous returns which of the harmful functions stand in any of the codes.
func dangerous(codes ...[]byte) []string {
	found := map[[4]byte]bool{}
	for _, code := range codes {
		selectors(code, found)
	}
	does := []string{}
	for _, kind := range harmful {
		if slices.ContainsFunc(kind.signatures, func(s string) bool { return found[selector(s)] }) {
			does = append(does, kind.does)
		}
	}
	return does
}

// selectors collects what a contract compares a call's first four bytes with.
// Push data is skipped, so that constants are not taken for code.
func selectors(code []byte, into map[[4]byte]bool) {
	const push1, push4, push32 = 0x60, 0x63, 0x7f
	for i := 0; i < len(code); i++ {
		op := code[i]
		if op < push1 || op > push32 {
			continue
		}
		n := int(op-push1) + 1
		if op == push4 && i+4 < len(code) {
			into[[4]byte(code[i+1:i+5])] = true
		}
		i += n
	}
}

func selector(signature string) [4]byte {
	return [4]byte(crypto.Keccak256([]byte(signature))[:4])
}
