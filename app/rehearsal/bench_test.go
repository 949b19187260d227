package rehearsal_test

import (
	"testing"

	"vivra/app/internal/testdb"
	"vivra/app/rehearsal"
)

// BenchmarkTakeover plays all thirty days. own-s is the time in which neither
// Chromium nor the local chain was at work: our code, Postgres and the other
// local servers.
func BenchmarkTakeover(b *testing.B) {
	url := testdb.URL(b) // started before, as it is where the product runs
	var wall, outside int64
	for b.Loop() {
		sum, err := rehearsal.Rehearse(b.Context(), rehearsal.Plan{Seed: 1, DatabaseURL: url})
		if err != nil || len(sum.Faults) > 0 || sum.Steps["done"] != 82 {
			b.Fatal(err, sum.Faults, sum.Steps)
		}
		wall, outside = wall+sum.WallMS, outside+sum.OutsideMS
	}
	each := 1000 * float64(b.N)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(wall)/each, "s/takeover")
	b.ReportMetric(float64(wall-outside)/each, "own-s/takeover")
	b.ReportMetric(float64(outside)/float64(wall), "outside/whole")
}
