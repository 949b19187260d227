package scoring

// Limit is where a check starts to warn and where it blocks.
type Limit struct {
	Warn  float64 `json:"warn"`
	Block float64 `json:"block"`
}

// Thresholds are the numbers of the rules. Shares and taxes are 0..1, money is
// US dollars, times are days. They come from the settings.
type Thresholds struct {
	DeployerShare    Limit `json:"deployer_share"`     // more than
	Top10Share       Limit `json:"top10_share"`        // more than
	TradeTax         Limit `json:"trade_tax"`          // more than
	UnlockedShare    Limit `json:"unlocked_share"`     // more than
	LiquidityUSD     Limit `json:"liquidity_usd"`      // less than
	Holders          Limit `json:"holders"`            // less than
	DeployerIdleDays Limit `json:"deployer_idle_days"` // less than

	DeadTradeIdleDays    float64 `json:"dead_trade_idle_days"`
	DeadVolume7dUSD      float64 `json:"dead_volume_7d_usd"`
	DeadDeployerIdleDays float64 `json:"dead_deployer_idle_days"`

	RevivedHolders      float64 `json:"revived_holders"`    // times the baseline
	RevivedVolume       float64 `json:"revived_volume"`     // times the baseline
	RevivedVolumeMinUSD float64 `json:"revived_volume_min"` // and at least, per day
	RevivedMarketCap    float64 `json:"revived_mcap"`       // times the baseline
	RevivedBuyers       int     `json:"revived_buyers"`     // distinct, over 7 days
	RevivedCriteria     int     `json:"revived_criteria"`   // how many must hold
}

// DefaultThresholds are the numbers that hold while nobody changed a setting.
func DefaultThresholds() Thresholds {
	return Thresholds{
		DeployerShare:    Limit{0.03, 0.05},
		Top10Share:       Limit{0.30, 0.50},
		TradeTax:         Limit{0.05, 0.10},
		UnlockedShare:    Limit{0.20, 0.50},
		LiquidityUSD:     Limit{1000, 100},
		Holders:          Limit{100, 30},
		DeployerIdleDays: Limit{14, 3},

		DeadTradeIdleDays: 7, DeadVolume7dUSD: 100, DeadDeployerIdleDays: 14,

		RevivedHolders: 1.15, RevivedVolume: 10, RevivedVolumeMinUSD: 500,
		RevivedMarketCap: 1.5, RevivedBuyers: 50, RevivedCriteria: 3,
	}
}
