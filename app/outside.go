package app

import "time"

// What the outside worlds told us. Adapters return these, tools and rules read
// them; every string that another person could have written is outside text.

// ReadingKind is what of a token was read.
type ReadingKind string

// The kinds, each with the type that its reading has.
const (
	ReadingFacts   ReadingKind = "facts"   // TokenFacts
	ReadingHolders ReadingKind = "holders" // Holders
	ReadingMarket  ReadingKind = "market"  // Market
)

// TokenFacts is what a chain says of a token.
type TokenFacts struct {
	ChainID  int64   `json:"chain_id"`
	Address  string  `json:"address"` // EIP-55
	Name     string  `json:"name"`    // outside text
	Symbol   string  `json:"symbol"`  // outside text
	Decimals int     `json:"decimals"`
	Supply   float64 `json:"supply"` // whole tokens
	Burned   float64 `json:"burned"` // whole tokens at burn addresses
	// Owner is the EIP-55 owner, empty when there is none or it was renounced.
	Owner string `json:"owner"`
	// Deployer is the EIP-55 account that created the contract, empty when unknown.
	Deployer string `json:"deployer"`
	// Dangerous lists functions an owner can still call: mint, pause, blacklist, set_fee.
	Dangerous []string `json:"dangerous"`
	Block     uint64   `json:"block"`
}

// Holder is one account and its share of the circulating supply.
type Holder struct {
	Address string  `json:"address"` // EIP-55
	Share   float64 `json:"share"`   // 0..1 of circulating supply
	Kind    string  `json:"kind"`    // holder, pool, locker, burn, deployer
}

// Holders is the distribution of a token.
type Holders struct {
	Count         int      `json:"count"` // accounts with a balance, pools, lockers and burn addresses excluded
	NeverSold     int      `json:"never_sold"`
	Top           []Holder `json:"top"`            // at most 20, largest first
	Top10Share    float64  `json:"top10_share"`    // 0..1, exclusions applied
	DeployerShare float64  `json:"deployer_share"` // 0..1, deployer, fee recipient and declared bundle wallets
	Block         uint64   `json:"block"`
}

// Liquidity is what stands in the token's pools.
type Liquidity struct {
	Pool        string  `json:"pool"` // EIP-55 or 32-byte pool id
	USD         float64 `json:"usd"`
	LockedShare float64 `json:"locked_share"` // 0..1 of the LP that is locked or burned
	Block       uint64  `json:"block"`
}

// Transactions sums the trades of a window that ends now.
type Transactions struct {
	Days           int        `json:"days"`
	Trades         int        `json:"trades"`
	VolumeUSD      float64    `json:"volume_usd"`
	Buyers         int        `json:"buyers"` // distinct
	LastTradeAt    *time.Time `json:"last_trade_at"`
	DeployerLastAt *time.Time `json:"deployer_last_at"` // last trade or transfer by the deployer or fee recipient
	FirstTradeAt   *time.Time `json:"first_trade_at"`
	Block          uint64     `json:"block"`
}

// TradeSimulation is a buy and a sell tried without sending them.
type TradeSimulation struct {
	CanBuy  bool    `json:"can_buy"`
	CanSell bool    `json:"can_sell"`
	BuyTax  float64 `json:"buy_tax"`  // 0..1
	SellTax float64 `json:"sell_tax"` // 0..1
	Block   uint64  `json:"block"`
}

// Market is a snapshot of a token's market.
type Market struct {
	PriceUSD     float64   `json:"price_usd"`
	MarketCapUSD float64   `json:"mcap_usd"`
	LiquidityUSD float64   `json:"liquidity_usd"`
	Volume24hUSD float64   `json:"volume_24h_usd"`
	Buyers24h    int       `json:"buyers_24h"`
	Pool         string    `json:"pool"`
	Source       string    `json:"source"` // dexscreener, geckoterminal, chain
	At           time.Time `json:"at"`
}

// Candle is one period of a price chart.
type Candle struct {
	At     time.Time `json:"at"`
	Open   float64   `json:"open"`
	High   float64   `json:"high"`
	Low    float64   `json:"low"`
	Close  float64   `json:"close"`
	Volume float64   `json:"volume"` // USD
}

// Profile is an account on X as its API shows it.
type Profile struct {
	ID         string `json:"id"`
	Username   string `json:"username"`
	Name       string `json:"name"` // outside text
	Bio        string `json:"bio"`  // outside text
	URL        string `json:"url"`
	PictureURL string `json:"picture_url"`
	Followers  int    `json:"followers"`
}

// Post is one post on X.
type Post struct {
	ID        string    `json:"id"`
	AuthorID  string    `json:"author_id"`
	Text      string    `json:"text"` // outside text
	CreatedAt time.Time `json:"created_at"`
	// ParentID is the post this one replies to, empty when none.
	ParentID string `json:"parent_id"`
	// QuotesID is the post that this one quotes, empty when none.
	QuotesID string `json:"quotes_id"`
	// MentionIDs are the accounts named in the author's own words: not those that
	// X puts before an answer.
	MentionIDs []string `json:"mention_ids"`
	// AltTexts describe its pictures, outside text.
	AltTexts []string `json:"alt_texts"`
}

// PollResult is the state of a native poll on X or Telegram.
type PollResult struct {
	Closed bool `json:"closed"`
	// Votes are in the order of the options as they were proposed.
	Votes []int `json:"votes"`
}
