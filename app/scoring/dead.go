package scoring

// Dead tells whether a token qualifies as dead: no trade for 7 days or hardly
// any volume in them, and no doing of the deployer for 14 days. known is false
// when the readings do not decide it.
func Dead(f Facts, t Thresholds) (dead, known bool) {
	market, marketKnown := quiet(f, t)
	if marketKnown && !market {
		return false, true
	}
	if f.DeployerIdleDays == nil {
		return false, false
	}
	gone := *f.DeployerIdleDays >= t.DeadDeployerIdleDays
	if !gone {
		return false, true
	}
	return market, marketKnown
}

// quiet tells whether the market is silent. One of the two signs is enough.
func quiet(f Facts, t Thresholds) (is, known bool) {
	if f.TradeIdleDays != nil && *f.TradeIdleDays >= t.DeadTradeIdleDays {
		return true, true
	}
	if f.Volume7dUSD != nil && *f.Volume7dUSD < t.DeadVolume7dUSD {
		return true, true
	}
	return false, f.TradeIdleDays != nil && f.Volume7dUSD != nil
}
