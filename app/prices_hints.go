package app

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// PriceHints names what of the rows may be a slip, though it can be meant, and
// what is not in force yet at now.
func PriceHints(rows []PriceRow, now time.Time) []string {
	hints := []string{}
	sizes := pictureSizes()
	for _, r := range rows {
		hint := func(format string, args ...any) {
			hints = append(hints, strings.TrimSpace(r.Model+" "+r.Size)+" "+fmt.Sprintf(format, args...))
		}
		if r.Price == (Price{}) && r.Image == 0 {
			hint("costs nothing: no budget will ever stop it.")
		}
		if r.Price.Cached > r.Price.Input {
			hint("costs more cached (%s) than not (%s): were they swapped?", r.Price.Cached, r.Price.Input)
		}
		if r.Kind == PriceImage && !slices.Contains(sizes, r.Size) {
			hint("is a size that nothing asks for: pictures are %s.", strings.Join(sizes, ", "))
		}
		if r.EffectiveAt.After(now) {
			hint("is in force from %s on, not yet.", r.EffectiveAt.UTC().Format("2006-01-02 15:04 UTC"))
		}
	}
	return hints
}

// pictureSizes are those with a price of their own from the beginning.
func pictureSizes() (sizes []string) {
	for _, r := range DefaultPrices() {
		if r.Kind == PriceImage {
			sizes = append(sizes, r.Size)
		}
	}
	return sizes
}
