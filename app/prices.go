package app

import "time"

// The kinds of prices.
const (
	PriceTokens = "tokens" // per million tokens
	PriceImage  = "image"  // per picture of a size
)

// PriceRow is one entry of the price list: what a model costs from an instant on.
type PriceRow struct {
	Model       string
	Kind        string // tokens or image
	Size        string // of a picture, WIDTHxHEIGHT
	Price       Price  // of tokens
	Image       Nano   // of one picture
	EffectiveAt time.Time
	ImportedAt  time.Time
	By          string
	Source      string
	// Again takes a correction back: the price stood there before.
	Again bool `json:",omitempty"`
}

// Same tells whether both say the same of the same model, size and day.
func (r PriceRow) Same(other PriceRow) bool {
	return r.rivals(other) && r.Price == other.Price && r.Image == other.Image
}

// rivals tells whether the newer import of the two stands.
func (r PriceRow) rivals(other PriceRow) bool {
	return r.Kind == other.Kind && r.Model == other.Model && r.Size == other.Size && r.EffectiveAt.Equal(other.EffectiveAt)
}

// PriceList is every price that is known, the oldest import first. A correction
// is a later row with an effective date in the past: the list as it stands
// today may say something else of an old call than it was booked with.
type PriceList []PriceRow

// At returns what a model's tokens cost at t.
func (l PriceList) At(model string, t time.Time) (Price, bool) {
	row, ok := l.row(PriceTokens, model, "", t)
	return row.Price, ok
}

// ImageAt returns what one picture of that size costs at t.
func (l PriceList) ImageAt(model, size string, t time.Time) (Nano, bool) {
	row, ok := l.row(PriceImage, model, size, t)
	return row.Image, ok
}

// row is the one that took effect last, among equals the newest import.
func (l PriceList) row(kind, model, size string, t time.Time) (best PriceRow, ok bool) {
	for _, row := range l {
		fits := row.Kind == kind && row.Model == model && row.Size == size && !row.EffectiveAt.After(t)
		if fits && (!ok || !row.EffectiveAt.Before(best.EffectiveAt)) {
			best, ok = row, true
		}
	}
	return best, ok
}

// PriceImport is what came of a file of prices.
type PriceImport struct {
	Added int
	Known int // the list says so already
	// Skipped would have undone a correction unasked.
	Skipped []SkippedPrice
}

// SkippedPrice is a row that was not added, and the one that corrected it.
type SkippedPrice struct{ Row, Correction PriceRow }

// Corrected returns the row that stands in place of one like row, if the list
// had row before: an old file that is imported once more is no news.
func (l PriceList) Corrected(row PriceRow) (correction PriceRow, was bool) {
	for _, r := range l {
		if !r.rivals(row) {
			continue
		}
		was = was || r.Same(row)
		correction = r
	}
	return correction, was && !correction.Same(row)
}

// DefaultPrices are in force from the beginning, until a row that was imported
// takes effect for their model.
func DefaultPrices() PriceList {
	const source = "built in: the provider's page of 2026-08"
	tokens := func(model string, input, cached, output Nano) PriceRow {
		return PriceRow{Model: model, Kind: PriceTokens, Price: Price{Input: input, Cached: cached, Output: output}, Source: source}
	}
	// A picture of medium quality and the longest prompt that a tool takes, in
	// tokens: the prompt is billed too.
	image := func(size string, tokens int64) PriceRow {
		const prompt, input, output = 1_100, 5 * Dollar, 40 * Dollar
		return PriceRow{Model: "gpt-image-1", Kind: PriceImage, Size: size, Image: Price{Input: input, Output: output}.Bound(prompt, tokens), Source: source}
	}
	return PriceList{
		tokens("gpt-5", 1_250_000_000, 125_000_000, 10_000_000_000),
		tokens("gpt-5-mini", 250_000_000, 25_000_000, 2_000_000_000),
		tokens("gpt-5-nano", 50_000_000, 5_000_000, 400_000_000),
		image("1024x1024", 1056),
		image("1024x1536", 1584),
		image("1536x1024", 1568),
	}
}
