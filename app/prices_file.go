package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// PriceFaults is everything that is wrong with a file of prices.
type PriceFaults []string

func (f PriceFaults) Error() string { return strings.Join(f, "\n") }

// The dearest prices that are believed: above them somebody has mistaken the unit.
const (
	dearestMillion = 10_000 * Dollar // of tokens
	dearestPicture = 100 * Dollar
)

// ParsePrices reads a file of prices as `vivra prices import` takes it. It
// returns either every row or every fault, each with its line.
func ParsePrices(file []byte, source string) ([]PriceRow, error) {
	p := priceFile{source: source, seen: map[PriceRow]int{}}
	p.read(bytes.TrimPrefix(file, []byte("\uFEFF"))) // some editors begin a file with it
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	return p.rows, nil
}

type priceFile struct {
	source string
	rows   []PriceRow
	seen   map[PriceRow]int // which entry it was, by what identifies a price
	faults PriceFaults
	line   int
	entry  int // 0: outside any
}

func (p *priceFile) fault(format string, args ...any) {
	at := fmt.Sprintf("line %d: ", p.line)
	if p.entry > 0 {
		at = fmt.Sprintf("line %d, entry %d: ", p.line, p.entry)
	}
	p.faults = append(p.faults, at+fmt.Sprintf(format, args...))
}

// read takes the file apart entry by entry, so that each knows its line.
func (p *priceFile) read(file []byte) {
	dec := json.NewDecoder(bytes.NewReader(file))
	at := func() { p.line = 1 + bytes.Count(file[:next(file, dec.InputOffset())], []byte("\n")) }
	at()
	if len(bytes.TrimSpace(file)) == 0 {
		p.fault(`the file is empty: a file of prices is {"models": [...]}`)
		return
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		p.fault(`this is no object: a file of prices is {"models": [...]}`)
		return
	}
	for dec.More() {
		at()
		key, err := dec.Token()
		if err == nil && key == "models" {
			err = p.entries(dec, at)
		} else if err == nil {
			p.fault("unknown key %q", key)
			err = dec.Decode(new(json.RawMessage))
		}
		if err != nil {
			p.broken(err, at)
			return
		}
	}
	if _, err := dec.Token(); err != nil {
		p.broken(err, at)
		return
	}
	p.entry = 0
	if at(); len(bytes.TrimSpace(file[dec.InputOffset():])) > 0 {
		p.fault("there is more behind the object")
	}
	if len(p.rows) == 0 && len(p.faults) == 0 {
		p.fault(`there is no price in it: a file of prices is {"models": [...]}`)
	}
}

// next is where the value after offset begins.
func next(file []byte, offset int64) int64 {
	for offset < int64(len(file)) && strings.IndexByte(" \t\r\n,:", file[offset]) >= 0 {
		offset++
	}
	return offset
}

func (p *priceFile) broken(err error, at func()) {
	at()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		p.fault("the file ends in the middle")
		return
	}
	p.fault("this is no JSON: %v", err)
}

func (p *priceFile) entries(dec *json.Decoder, at func()) error {
	at()
	if t, err := dec.Token(); err != nil {
		return err
	} else if t != json.Delim('[') {
		p.fault("models is a list of prices")
		return errors.New("models is no list")
	}
	for dec.More() {
		p.entry++
		at()
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		p.add(raw)
	}
	p.entry = 0
	_, err := dec.Token()
	return err
}

// add reads one price. What it lacks is told together.
func (p *priceFile) add(raw json.RawMessage) {
	values, ok := p.values(raw)
	if !ok {
		return
	}
	before := len(p.faults)
	row := PriceRow{Kind: PriceTokens, Source: p.source}
	_, picture := values["image"]
	if _, sized := values["size"]; picture || sized {
		row.Kind = PriceImage
	}
	p.known(values, row.Kind)
	row.Model = p.text(values, "model")
	row.EffectiveAt, row.Again = p.day(values), p.yes(values, "again")
	if row.Kind == PriceImage {
		row.Size, row.Image = p.size(values), p.amount(values, "image", dearestPicture, "a picture")
	} else {
		row.Price = Price{Input: p.amount(values, "input", dearestMillion, "a million tokens"),
			Cached: p.amount(values, "cached_input", dearestMillion, "a million tokens"),
			Output: p.amount(values, "output", dearestMillion, "a million tokens")}
	}
	if len(p.faults) > before {
		return
	}
	identity := PriceRow{Model: row.Model, Kind: row.Kind, Size: row.Size, EffectiveAt: row.EffectiveAt}
	if first := p.seen[identity]; first > 0 {
		p.fault("%s has a price for that day already, in entry %d", row.Model, first)
		return
	}
	p.seen[identity] = p.entry
	p.rows = append(p.rows, row)
}

// values are the fields of one entry, each once.
func (p *priceFile) values(raw json.RawMessage) (map[string]any, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if t, _ := dec.Token(); t != json.Delim('{') {
		p.fault("a price is an object")
		return nil, false
	}
	values := map[string]any{}
	for dec.More() {
		key, _ := dec.Token() // raw is valid JSON: the file's decoder has read it
		name, _ := key.(string)
		var value any
		_ = dec.Decode(&value)
		if _, twice := values[name]; twice {
			p.fault("%q stands there twice", name)
		}
		values[name] = value
	}
	return values, true
}

var priceKeys = map[string][]string{
	PriceTokens: {"model", "input", "cached_input", "output", "effective", "again"},
	PriceImage:  {"model", "size", "image", "effective", "again"},
}

func (p *priceFile) known(values map[string]any, kind string) {
	var unknown []string
	for key := range values {
		if !slices.Contains(priceKeys[kind], key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		p.fault("unknown key %q: a price of %s has %s", key, map[string]string{PriceTokens: "tokens", PriceImage: "pictures"}[kind], strings.Join(priceKeys[kind], ", "))
	}
}

const longestName = 200 // bytes, of a model

func unprintable(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }

func (p *priceFile) text(values map[string]any, key string) string {
	text, _ := values[key].(string)
	switch {
	case values[key] == nil:
		p.fault("%s is missing", key)
	case text == "" || text != strings.TrimSpace(text):
		p.fault("%s must be a name", key)
	case len(text) > longestName || strings.ContainsFunc(text, unprintable):
		p.fault("%s must be at most %d bytes that can be printed, not %.80q", key, longestName, text)
	}
	return text
}

var (
	pictureSize   = regexp.MustCompile(`^[1-9]\d{1,4}x[1-9]\d{1,4}$`)
	decimalAmount = regexp.MustCompile(`^-?\d{1,12}(\.\d+)?$`)
)

func (p *priceFile) size(values map[string]any) string {
	size, _ := values["size"].(string)
	switch {
	case values["size"] == nil:
		p.fault("size is missing")
	case !pictureSize.MatchString(size):
		p.fault("size must be like 1024x1024")
	}
	return size
}

func (p *priceFile) day(values map[string]any) time.Time {
	text, _ := values["effective"].(string)
	if values["effective"] == nil {
		p.fault("effective is missing: from which day on does it cost that?")
		return time.Time{}
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil && at.Year() >= 2000 && at.Year() < 2200 {
			return at.UTC()
		}
	}
	p.fault("effective must be a day like 2026-01-31")
	return time.Time{}
}

// yes reads what is no unless it is said.
func (p *priceFile) yes(values map[string]any, key string) bool {
	value, said := values[key]
	yes, ok := value.(bool)
	if said && !ok {
		p.fault("%s must be true or false", key)
	}
	return yes
}

// amount reads dollars, exactly, from a text or a number.
func (p *priceFile) amount(values map[string]any, key string, most Nano, per string) Nano {
	var text string
	switch v := values[key].(type) {
	case nil:
		p.fault("%s is missing", key)
		return 0
	case string:
		text = v
	case json.Number:
		text = v.String()
	}
	if !decimalAmount.MatchString(text) {
		p.fault("%s must be an amount in dollars, like 1.25", key)
		return 0
	}
	n, err := ParseUSD(text)
	switch {
	case err != nil:
		p.fault("%s: %v", key, err)
	case n < 0:
		p.fault("%s is less than nothing", key)
	case n > most:
		p.fault("%s: %s for %s can't be meant", key, n, per)
	}
	return n
}
