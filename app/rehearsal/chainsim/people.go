package chainsim

import (
	"crypto/ecdsa"
	"encoding/binary"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

// Who is who among the people.
const (
	builder       = 0 // puts up the exchange and the launcher
	deployer      = 1
	firstHolder   = 2
	holders       = 112 // got tokens as a gift
	firstTrader   = firstHolder + holders
	traders       = 42 // bought in the first life
	firstNewcomer = firstTrader + traders
	peopleCount   = 900
)

// person is one account of the crowd.
type person struct {
	key     *ecdsa.PrivateKey
	address common.Address
}

func makePeople(seed int64, n int) []person {
	all := make([]person, n)
	for i := range all {
		var text [16]byte
		binary.BigEndian.PutUint64(text[:8], uint64(seed))
		binary.BigEndian.PutUint64(text[8:], uint64(i))
		key, err := crypto.ToECDSA(crypto.Keccak256([]byte("person"), text[:]))
		if err != nil {
			panic(err) // one hash in 2^128 is no key
		}
		all[i] = person{key, crypto.PubkeyToAddress(key.PublicKey)}
	}
	return all
}

// send puts a transaction of one person into the block. No target creates a contract.
func (s *Server) send(b *core.BlockGen, who int, to *common.Address, value *big.Int, data []byte) {
	const gas = 5_000_000
	from := s.people[who]
	b.AddTx(types.MustSignNewTx(from.key, b.Signer(), &types.DynamicFeeTx{
		ChainID: s.evm.config.ChainID, Nonce: b.TxNonce(from.address), Gas: gas, To: to, Value: value, Data: data,
		GasFeeCap: big.NewInt(100e9), GasTipCap: new(big.Int),
	}))
}
