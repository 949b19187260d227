package app_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"vivra/app"
)

const goodPrices = `{"models": [
  {"model": "gpt-5", "input": "1.25", "cached_input": "0.125", "output": "10", "effective": "2026-01-01"},
  {"model": "tiny", "input": 0.000000001, "cached_input": 0, "output": 9999.999999999, "effective": "2026-01-01T12:00:00+02:00"},
  {"model": "gpt-image-1", "size": "1024x1024", "image": "0.042", "effective": "2026-01-01"},
  {"model": "gpt-image-1", "size": "1536x1024", "image": "0.063", "effective": "2026-01-01"}
]}
`

func TestParsePrices(t *testing.T) {
	t.Parallel()
	got, err := app.ParsePrices([]byte(goodPrices), "prices.json")
	if err != nil {
		t.Fatal(err)
	}
	jan := day(t, "2026-01-01")
	want := []app.PriceRow{
		{Model: "gpt-5", Kind: "tokens", Price: perMillion(t, "1.25", "0.125", "10"), EffectiveAt: jan, Source: "prices.json"},
		{Model: "tiny", Kind: "tokens", Price: app.Price{Input: 1, Output: 9_999_999_999_999}, EffectiveAt: jan.Add(10 * 3600e9), Source: "prices.json"},
		{Model: "gpt-image-1", Kind: "image", Size: "1024x1024", Image: 42_000_000, EffectiveAt: jan, Source: "prices.json"},
		{Model: "gpt-image-1", Kind: "image", Size: "1536x1024", Image: 63_000_000, EffectiveAt: jan, Source: "prices.json"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	if marked, err := app.ParsePrices([]byte("\uFEFF"+goodPrices), "prices.json"); err != nil || !slices.Equal(marked, want) {
		t.Errorf("with a byte order mark: %+v, %v", marked, err)
	}
}

func TestPriceHints(t *testing.T) {
	t.Parallel()
	jan := day(t, "2026-01-01")
	tokens := func(input, cached app.Nano) app.PriceRow {
		return app.PriceRow{Model: "a", Kind: app.PriceTokens, Price: app.Price{Input: input, Cached: cached}, EffectiveAt: jan}
	}
	later := tokens(2, 1)
	later.EffectiveAt = jan.AddDate(0, 0, 1)
	for want, row := range map[string]app.PriceRow{
		"": tokens(2, 2), "a costs nothing": tokens(0, 0), "a costs more cached ($0.000000002) than not ($0.000000001)": tokens(1, 2), "a is in force from 2026-01-02 00:00 UTC on": later,
		"a 999x1024 is a size that nothing asks for: pictures are 1024x1024, 1024x1536, 1536x1024": {Model: "a", Kind: app.PriceImage, Size: "999x1024", Image: 1},
	} {
		got := strings.Join(app.PriceHints([]app.PriceRow{row}, jan), "\n")
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q is told of %+v, want %q", got, row, want)
		}
	}
}

func TestPriceFaults(t *testing.T) {
	t.Parallel()
	const rest = `, "cached_input": "1", "output": "1", "effective": "2026-01-01"}`
	one := func(entry string) string { return "{\"models\": [\n" + entry + "\n]}" }
	tests := map[string]struct {
		file string
		want []string
	}{
		"nothing":            {"", []string{`line 1: the file is empty`}},
		"a mark and nothing": {"\uFEFF \n", []string{`the file is empty`}},
		"NUL in a name":      {one(`{"model": "a\u0000b", "input": 1` + rest), []string{`line 2, entry 1: model must be at most 200 bytes that can be printed, not "a\x00b"`}},
		"an escape in it":    {one(`{"model": "a\u001b[31m", "input": 1` + rest), []string{`not "a\x1b[31m"`}},
		"half a character":   {one(`{"model": "a\ud800", "input": 1` + rest), []string{"that can be printed"}},
		"a turned name":      {one(`{"model": "a\u202eb", "input": 1` + rest), []string{"that can be printed"}},
		"an endless name":    {one(`{"model": "` + strings.Repeat("a", 201) + `", "input": 1` + rest), []string{"at most 200 bytes"}},
		"a list":             {"[]", []string{`line 1: this is no object`}},
		"no prices":          {`{"models": []}`, []string{"line 1: there is no price in it"}},
		"an empty object":    {"{}", []string{"line 1: there is no price in it"}},
		"not a list":         {`{"models": {}}`, []string{"models is a list"}},
		"cut short":          {"{\"models\": [\n" + `{"model": "a"`, []string{"line 2, entry 1: the file ends in the middle"}},
		"no JSON":            {one(`{"model": gpt}`), []string{"line 2, entry 1: this is no JSON"}},
		"a comma is missing": {one(`{"model": "a", "size": "1024x1024", "image": 1, "effective": "2026-01-01"} {}`), []string{"line 2, entry 2: this is no JSON"}},
		"more behind":        {one(`{"model": "a", "input": 1`+rest) + " {}", []string{"line 3: there is more behind"}},
		"unknown top key":    {`{"prices": [], "models": [{"model": "a", "input": 1` + rest + `]}`, []string{`line 1: unknown key "prices"`}},
		"no object":          {one(`"gpt-5"`), []string{"line 2, entry 1: a price is an object"}},
		"unknown key":        {one(`{"model": "a", "inputs": 1, "input": 1` + rest), []string{`line 2, entry 1: unknown key "inputs": a price of tokens has model, input`}},
		"mixed kinds":        {one(`{"model": "a", "size": "8x8", "image": 1, "input": 1, "effective": "2026-01-01"}`), []string{`unknown key "input": a price of pictures has`, "size must be like"}},
		"twice":              {one(`{"model": "a", "input": 1, "input": 2` + rest), []string{`"input" stands there twice`}},
		"all is missing":     {one(`{}`), []string{"model is missing", "effective is missing", "input is missing", "cached_input is missing", "output is missing"}},
		"null is missing":    {one(`{"model": null, "input": null` + rest), []string{"model is missing", "input is missing"}},
		"picture's missing":  {one(`{"model": "a", "image": "1"}`), []string{"effective is missing", "size is missing"}},
		"no name":            {one(`{"model": "", "input": 1` + rest), []string{"model must be a name"}},
		"a spaced name":      {one(`{"model": " a", "input": 1` + rest), []string{"model must be a name"}},
		"a number's name":    {one(`{"model": 5, "input": 1` + rest), []string{"model must be a name"}},
		"negative":           {one(`{"model": "a", "input": "-0.01"` + rest), []string{"input is less than nothing"}},
		"words":              {one(`{"model": "a", "input": "cheap"` + rest), []string{"input must be an amount in dollars"}},
		"a fraction":         {one(`{"model": "a", "input": "1/4"` + rest), []string{"input must be an amount in dollars"}},
		"an exponent":        {one(`{"model": "a", "input": 1e-6` + rest), []string{"input must be an amount in dollars"}},
		"true":               {one(`{"model": "a", "input": true` + rest), []string{"input must be an amount in dollars"}},
		"too exact":          {one(`{"model": "a", "input": "0.0000000001"` + rest), []string{"input: ", "nine decimals"}},
		"absurd":             {one(`{"model": "a", "input": "10000.01"` + rest), []string{"input: $10000.01 for a million tokens can't be meant"}},
		"an absurd picture":  {one(`{"model": "a", "size": "1024x1024", "image": 101, "effective": "2026-01-01"}`), []string{"image: $101.00 for a picture can't be meant"}},
		"no day":             {one(`{"model": "a", "input": 1, "cached_input": 1, "output": 1, "effective": "soon"}`), []string{"effective must be a day like"}},
		"no such day":        {one(`{"model": "a", "input": 1, "cached_input": 1, "output": 1, "effective": "2026-02-30"}`), []string{"effective must be a day like"}},
		"a day of old":       {one(`{"model": "a", "input": 1, "cached_input": 1, "output": 1, "effective": "0026-01-01"}`), []string{"effective must be a day like"}},
		"again, perhaps":     {one(`{"model": "a", "again": "yes", "input": 1` + rest), []string{"again must be true or false"}},
		"the same day twice": {one(`{"model": "a", "input": 1` + rest + ",\n" + `{"model": "a", "input": 2` + rest), []string{"line 3, entry 2: a has a price for that day already, in entry 1"}},
		"every fault at once": {one(`{"model": "a", "input": -1` + rest + ",\n\n" + `{"model": "b", "output": "x", "input": 1, "cached_input": 1}`),
			[]string{"line 2, entry 1: input is less", "line 4, entry 2: effective is missing", "line 4, entry 2: output must be"}},
	}
	for name, tt := range tests {
		rows, err := app.ParsePrices([]byte(tt.file), "f")
		var faults app.PriceFaults
		if !errors.As(err, &faults) || rows != nil {
			t.Errorf("%s: read as %v, %v", name, rows, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", name, err, want)
			}
		}
		if strings.Count(strings.Join(tt.want, "\n"), "line") == len(tt.want) && len(faults) != len(tt.want) {
			t.Errorf("%s: %d faults, want %d: %v", name, len(faults), len(tt.want), err)
		}
	}
}

// TestPricesThatTakeACorrectionBack say so, each for itself.
func TestPricesThatTakeACorrectionBack(t *testing.T) {
	t.Parallel()
	rows, err := app.ParsePrices([]byte(`{"models": [{"model": "a", "input": 1, "cached_input": 1, "output": 1, "effective": "2026-01-01", "again": true},
		{"model": "p", "size": "64x64", "image": 1, "effective": "2026-01-01", "again": false}]}`), "f")
	if err != nil || len(rows) != 2 || !rows[0].Again || rows[1].Again {
		t.Errorf("%+v, %v", rows, err)
	}
}

// FuzzParsePrices: whatever the file, it is read whole or refused with a reason,
// and no price in it is out of bounds.
func FuzzParsePrices(f *testing.F) {
	f.Add([]byte(goodPrices))
	f.Add([]byte(`{"models": [{"model": "a", "input": -1}, {"size": 5}, 7], "x": {}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		rows, err := app.ParsePrices(file, "f")
		if (err == nil) != (len(rows) > 0) || err != nil && err.Error() == "" {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, r := range rows {
			for _, n := range []app.Nano{r.Price.Input, r.Price.Cached, r.Price.Output, r.Image} {
				if n < 0 || n > 10_000*app.Dollar {
					t.Fatalf("%+v", r)
				}
			}
		}
	})
}
