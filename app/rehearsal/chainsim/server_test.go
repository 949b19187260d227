package chainsim_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"vivra/app"
	"vivra/app/rehearsal/chainsim"
)

// A start in the past and one in the future: the machine's clock plays no part.
var starts = []time.Time{
	time.Date(2025, 1, 31, 23, 59, 59, 0, time.UTC),
	time.Date(2031, 7, 1, 12, 0, 0, 0, time.UTC),
}

func open(t *testing.T, seed int64, start time.Time) (*chainsim.Server, *ethclient.Client) {
	t.Helper()
	sim, err := chainsim.New(chainsim.Options{Seed: seed, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Close() })
	client, err := ethclient.Dial(sim.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return sim, client
}

// swaps returns every trade of the token's pool, as its node tells it.
func swaps(t *testing.T, sim *chainsim.Server, client *ethclient.Client) []types.Log {
	t.Helper()
	topic := crypto.Keccak256Hash([]byte("Swap(address,uint256,uint256,uint256,uint256,address)"))
	logs, err := client.FilterLogs(t.Context(), ethereum.FilterQuery{
		FromBlock: new(big.Int), Addresses: []common.Address{common.Address(sim.Pair())}, Topics: [][]common.Hash{{topic}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return logs
}

func TestTimesAreSimulated(t *testing.T) {
	t.Parallel()
	for _, start := range starts {
		sim, client := open(t, 1, start)
		if !sim.Now().Equal(start) {
			t.Errorf("the chain stands at %s, want %s", sim.Now(), start)
		}
		trades := swaps(t, sim, client)
		last := time.Unix(int64(trades[len(trades)-1].BlockTimestamp), 0)
		if len(trades) != 60 || start.Sub(last) != 40*24*time.Hour {
			t.Errorf("%d trades, the last %s before the start", len(trades), start.Sub(last))
		}
		if err := sim.Advance(start.Add(90 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		if !sim.Now().Equal(start.Add(90 * time.Minute)) {
			t.Errorf("the chain stands at %s after 90 minutes", sim.Now())
		}
	}
}

func TestSameSeedSameTrades(t *testing.T) {
	t.Parallel()
	start := starts[0]
	hourly, hourlyClient := open(t, 5, start)
	atOnce, atOnceClient := open(t, 5, start)
	other, otherClient := open(t, 6, start)
	for h := 1; h <= 4*24; h++ {
		if err := hourly.Advance(start.Add(time.Duration(h) * time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	for _, sim := range []*chainsim.Server{atOnce, other} {
		if err := sim.Advance(start.Add(4 * 24 * time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	a, b, c := swaps(t, hourly, hourlyClient), swaps(t, atOnce, atOnceClient), swaps(t, other, otherClient)
	if len(a) != len(b) || len(a) <= 60 {
		t.Fatalf("%d trades hour by hour, %d at once", len(a), len(b))
	}
	same := len(a) == len(c)
	for i := range a {
		if string(a[i].Data) != string(b[i].Data) || a[i].BlockTimestamp != b[i].BlockTimestamp {
			t.Fatalf("trade %d differs hour by hour and at once", i)
		}
		same = same && string(a[i].Data) == string(c[i].Data)
	}
	if same {
		t.Error("another seed made the same trades")
	}
}

func TestWholeTakeover(t *testing.T) {
	t.Parallel()
	sim, client := open(t, 3, starts[1])
	began := time.Now()
	for d := 1; d <= 30; d++ {
		if err := sim.Advance(starts[1].Add(time.Duration(d) * 24 * time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("30 days in %s", time.Since(began))
	if n := len(swaps(t, sim, client)); n < 500 {
		t.Errorf("%d trades in all", n)
	}
	if err := sim.Advance(starts[1]); err != nil || !sim.Now().Equal(starts[1].Add(30*24*time.Hour)) {
		t.Errorf("time went back to %s (%v)", sim.Now(), err)
	}
}

func TestNothingButReadCalls(t *testing.T) {
	t.Parallel()
	sim, client := open(t, 1, starts[0])
	for _, method := range []string{"admin_nodeInfo", "debug_setHead", "miner_start", "personal_listAccounts"} {
		var out any
		if err := client.Client().CallContext(t.Context(), &out, method); err == nil {
			t.Errorf("%s is served", method)
		}
	}
	code, err := client.CodeAt(t.Context(), common.Address(sim.EOA()), nil)
	if err != nil || len(code) != 0 {
		t.Errorf("the plain account has code (%v)", err)
	}
	counter, err := sim.DeployCounter()
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]app.Address{"counter": counter, "pair": sim.Pair(), "token": sim.Token(), "quote": sim.Quote()} {
		if code, err := client.CodeAt(t.Context(), common.Address(at), nil); err != nil || len(code) == 0 {
			t.Errorf("no code at the %s (%v)", name, err)
		}
	}
}

// What is compiled is what stands in the sources.
func TestContractsAreCompiled(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"contracts", "../../chain/contracts"} {
		sources, err := filepath.Glob(folder + "/*.sol")
		if err != nil || len(sources) == 0 {
			t.Fatal("no contracts", err)
		}
		hash := sha256.New()
		for _, file := range sources {
			hash.Write(readFile(t, file))
		}
		compiled, _ := filepath.Glob(folder + "/*.json")
		if len(compiled) == 0 {
			t.Errorf("nothing is compiled in %s", folder)
		}
		for _, file := range compiled {
			var made struct{ Sources string }
			if err := json.Unmarshal(readFile(t, file), &made); err != nil || made.Sources != hex.EncodeToString(hash.Sum(nil)) {
				t.Errorf("%s is older than its sources: run contracts/compile.sh (%v)", file, err)
			}
		}
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
