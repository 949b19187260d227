package chain

import (
	"bytes"
	"context"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"vivra/app"
)

// burnAddresses hold what nobody can move again.
var burnAddresses = [2]common.Address{{}, common.HexToAddress("0x000000000000000000000000000000000000dEaD")}

// Token reads what the chain says of a token. Anything but an ERC-20 is
// refused with what stands at the address instead.
func (c *Client) Token(ctx context.Context, ref app.TokenRef) (app.TokenFacts, error) {
	conn, err := c.open(ctx, ref)
	if err != nil {
		return app.TokenFacts{}, err
	}
	head, err := headOf(ctx, conn)
	if err != nil {
		return app.TokenFacts{}, err
	}
	code, err := codeAt(ctx, conn, common.Address(ref.Address), head)
	if err != nil {
		return app.TokenFacts{}, err
	}
	facts, owner, err := c.readToken(ctx, conn, ref, head, code)
	if err != nil {
		return app.TokenFacts{}, err
	}
	behind, err := implementation(ctx, conn, common.Address(ref.Address), head)
	if err != nil {
		return app.TokenFacts{}, err
	}
	if renounced := owner != nil && isBurn(*owner); !renounced {
		facts.Dangerous = dangerous(code, behind)
	}
	origin, err := c.origin(ctx, ref)
	if err != nil {
		return app.TokenFacts{}, err
	}
	facts.Deployer = named(origin.deployer)
	return facts, nil
}

// readToken returns the plain facts and the owner, nil when the contract has no such function.
func (c *Client) readToken(ctx context.Context, conn *rpc.Client, ref app.TokenRef, head block, code []byte) (app.TokenFacts, *common.Address, error) {
	at := common.Address(ref.Address)
	name, symbol, decimals := ask(at, "name"), ask(at, "symbol"), ask(at, "decimals")
	supply, owner := ask(at, "totalSupply"), ask(at, "owner")
	zero, dead := ask(at, "balanceOf", burnAddresses[0]), ask(at, "balanceOf", burnAddresses[1])
	if len(code) > 0 {
		if err := c.readAll(ctx, conn, uint64(head.Number), name, symbol, decimals, supply, owner, zero, dead); err != nil {
			return app.TokenFacts{}, nil, err
		}
	}
	if err := refuse(ref, code, supply, decimals, dead); err != nil {
		return app.TokenFacts{}, nil, err
	}
	places := int(decimals.out[0].(uint8))
	facts := app.TokenFacts{
		ChainID: ref.ChainID, Address: Checksum(ref.Address), Name: text(name), Symbol: text(symbol), Decimals: places,
		Supply: whole(supply.number(0), places), Burned: whole(sum(zero.number(0), dead.number(0)), places),
		Dangerous: []string{}, Block: uint64(head.Number),
	}
	if owner.err != nil {
		return facts, nil, nil
	}
	who := owner.address()
	if !isBurn(who) {
		facts.Owner = named(who)
	}
	return facts, &who, nil
}

// refuse says what stands at the address when it is no ERC-20.
func refuse(ref app.TokenRef, code []byte, needed ...*read) error {
	at := Checksum(ref.Address)
	if len(code) == 0 {
		return app.Errorf(app.Invalid, "%s is no token: on chain %d it is a plain account without code.", at, ref.ChainID)
	}
	if bytes.HasPrefix(code, []byte{0xef, 0x01, 0x00}) {
		return app.Errorf(app.Invalid, "%s is no token: on chain %d it is a person's account that lends its calls to a contract.", at, ref.ChainID)
	}
	for _, r := range needed {
		if r.err != nil {
			return app.Errorf(app.Invalid, "%s is no ERC-20 token: on chain %d it is a contract, but %s() gives no usable answer.", at, ref.ChainID, r.method)
		}
	}
	return nil
}

// Burned returns how many whole tokens stand at burn addresses.
func (c *Client) Burned(ctx context.Context, ref app.TokenRef) (float64, error) {
	conn, err := c.open(ctx, ref)
	if err != nil {
		return 0, err
	}
	head, err := headOf(ctx, conn)
	if err != nil {
		return 0, err
	}
	at := common.Address(ref.Address)
	decimals, zero, dead := ask(at, "decimals"), ask(at, "balanceOf", burnAddresses[0]), ask(at, "balanceOf", burnAddresses[1])
	if err := c.readAll(ctx, conn, uint64(head.Number), decimals, zero, dead); err != nil {
		return 0, err
	}
	for _, r := range []*read{decimals, zero, dead} {
		if r.err != nil {
			return 0, app.Errorf(app.Invalid, "%s is no ERC-20 token: %s() gives no usable answer.", Checksum(ref.Address), r.method)
		}
	}
	return whole(sum(zero.number(0), dead.number(0)), int(decimals.out[0].(uint8))), nil
}

func codeAt(ctx context.Context, conn *rpc.Client, at common.Address, head block) ([]byte, error) {
	var code hexutil.Bytes
	if err := conn.CallContext(ctx, &code, "eth_getCode", at, hex(uint64(head.Number))); err != nil {
		return nil, failed("read code", err)
	}
	return code, nil
}

// implementation returns the code behind a proxy (EIP-1967), nil when there is none.
func implementation(ctx context.Context, conn *rpc.Client, at common.Address, head block) ([]byte, error) {
	const slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
	var word hexutil.Bytes
	if err := conn.CallContext(ctx, &word, "eth_getStorageAt", at, slot, hex(uint64(head.Number))); err != nil {
		return nil, failed("read storage", err)
	}
	target := common.BytesToAddress(word)
	if target == (common.Address{}) {
		return nil, nil
	}
	return codeAt(ctx, conn, target, head)
}

// text returns a name or symbol; old tokens answer with 32 bytes instead of a string.
func text(r *read) string {
	if len(r.out) == 1 && r.err == nil {
		if s, ok := r.out[0].(string); ok {
			return strings.ToValidUTF8(s, "\uFFFD")
		}
	}
	if len(r.raw) == 32 {
		return strings.ToValidUTF8(string(bytes.TrimRight(r.raw, "\x00")), "\uFFFD")
	}
	return ""
}

func isBurn(a common.Address) bool { return a == burnAddresses[0] || a == burnAddresses[1] }

func sum(all ...*big.Int) *big.Int {
	total := new(big.Int)
	for _, n := range all {
		if n != nil {
			total.Add(total, n)
		}
	}
	return total
}
