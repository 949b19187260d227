package app

import (
	"encoding/json"
	"time"
)

// Event is one line of the public log.
type Event struct {
	OperationID int64
	Seq         int64
	Line        json.RawMessage // canonical JSON of EventLine, the bytes that were hashed
	PrevHash    string          // hex
	Hash        string          // hex, SHA-256(prev hash bytes ‖ line)
	EventLine
}

// EventLine is what the public sees of an event. Summary is written by code
// from facts, never by a model.
type EventLine struct {
	Seq     int64     `json:"seq"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"` // one of EventKinds
	Agent   string    `json:"agent"`
	Step    string    `json:"step"`
	Summary string    `json:"summary"`
	// Tokens are what the API counted: in includes cached.
	TokensIn  int64  `json:"tokens_in"`
	TokensOut int64  `json:"tokens_out"`
	Model     string `json:"model"`
	Tool      string `json:"tool"`
	Cost      Nano   `json:"cost_nusd"`
	// CostSource is where the cost comes from: gateway, table, bound, price_list, or empty when nothing was charged.
	CostSource string `json:"cost_source"`
	// Link is the public address of what was published.
	Link string `json:"link"`
}

// EventKinds are the kinds of rows, for filters.
func EventKinds() []string {
	return []string{"model_call", "tool_call", "decision", "step", "publication", "read", "mentions", "operation", HeadKind}
}

// Publication is one output as it went out, with its receipt.
type Publication struct {
	StepKey     string
	Kind        ValidationKind
	Payload     json.RawMessage
	DraftNo     int
	ProposedAt  time.Time
	ApprovedAt  time.Time
	Approvers   int
	PublishedAt time.Time
	Links       []string
	SHA256      string
	Price       Nano
	// Parts is how much of it is out. Of one that is out in part, Payload holds
	// just that, or nothing.
	Parts Parts
	// Receipts are the forms that a person sent by hand, instead of a payload.
	Receipts []Receipt
}

// Metrics is one measurement of a token's market.
type Metrics struct {
	At           time.Time `json:"at"`
	PriceUSD     float64   `json:"price_usd"`
	MarketCapUSD float64   `json:"mcap_usd"`
	LiquidityUSD float64   `json:"liquidity_usd"`
	Volume24hUSD float64   `json:"volume_24h_usd"`
	Holders      int       `json:"holders"`
	Buyers24h    int       `json:"buyers_24h"`
	Burned       float64   `json:"burned"`
}
