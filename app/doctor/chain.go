package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app/chain"
)

// How old the newest block may be.
const (
	staleBlock = 2 * time.Minute
	deadBlock  = time.Hour
)

// Chain looks at the RPC endpoint. name is what people call the chain.
func Chain(wall clockwork.Clock, cfg chain.Config, name string) Check {
	s := newService(wall, "chain", "RPC_URL", "")
	wanted := cfg.ChainID
	cfg.ChainID, cfg.HTTP = 0, s.client() // another chain is a finding, with its number
	return one(s.name, func(ctx context.Context) Finding {
		client, err := chain.New(cfg)
		if err != nil {
			return s.failed(err)
		}
		found, err := client.Check(ctx)
		if err != nil {
			return s.failed(err)
		}
		return s.chain(found, wanted, name, cfg.Now())
	})
}

func (s service) chain(found chain.Checkup, wanted int64, name string, now time.Time) Finding {
	age := now.Sub(found.At)
	seen := fmt.Sprintf("%s (%d), block %d (%s)", name, found.ChainID, found.Block, ago(age))
	if found.Node != "" {
		seen += ", " + most(found.Node, 40)
	}
	switch {
	case found.ChainID != wanted:
		return s.broken("", "RPC_URL serves chain %d and not %s (%d): point it at that chain, or set VIVRA_CHAIN.", found.ChainID, name, wanted)
	case age > deadBlock:
		return s.broken(seen, "The newest block is %s old: the endpoint stands still, so set RPC_URL to another.", span(age))
	case found.Logs != nil:
		return s.broken(seen, "%s: holders and trades can't be read, so set RPC_URL to an endpoint with eth_getLogs.", sentence(found.Logs))
	case age > staleBlock:
		return s.warning(seen, "The newest block is %s old: the endpoint lags behind, so consider another RPC_URL.", span(age))
	case age < -staleBlock:
		return s.warning(seen, "The newest block is %s ahead of this machine's clock: set the clock.", span(-age))
	}
	return s.ok("%s", seen)
}

// ago says how long something is past, in one unit.
func ago(d time.Duration) string {
	if d < time.Second {
		return "now"
	}
	return span(d) + " ago"
}

func span(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours())/24)
}
