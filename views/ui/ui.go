// Package ui holds the pieces every page is made of.
package ui

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/crypto/sha3"

	"vivra/app"
)

// Get is the action that opens a stream, as live.js understands it.
func Get(path string) string { return "@get('" + path + "')" }

// Checksum returns the EIP-55 spelling of an address.
func Checksum(a app.Address) string {
	text := []byte(hex.EncodeToString(a[:]))
	keccak := sha3.NewLegacyKeccak256()
	keccak.Write(text)
	for i, nibble := range hex.EncodeToString(keccak.Sum(nil))[:40] {
		if nibble >= '8' && text[i] >= 'a' {
			text[i] -= 'a' - 'A'
		}
	}
	return "0x" + string(text)
}

// ShortHash shows the ends of a hash.
func ShortHash(s string) string {
	if len(s) <= 12 {
		return s
	}
	return s[:4] + "…" + s[len(s)-4:]
}

// Count shows n with thousands separated, followed by its noun.
func Count(n int, one, many string) string { return app.Count(n, one, many) }

// Integer shows n with its thousands separated: 1,312.
func Integer(n int64) string { return app.Integer(n) }

// USD shows a market figure: whole dollars from 1,000 on, and under a cent as
// many digits as it needs to be true.
func USD(v float64) string {
	switch {
	case v == 0 || math.IsNaN(v) || math.IsInf(v, 0):
		return "$0"
	case math.Abs(v) >= 1000:
		return "$" + Integer(int64(math.Round(v)))
	case math.Abs(v) >= 0.1:
		return "$" + strconv.FormatFloat(v, 'f', 2, 64)
	}
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return "$" + strconv.FormatFloat(v, 'f', decimals, 64)
}

// Whole shows a figure without fractions.
func Whole(v float64) string { return Integer(int64(v)) }

// Change shows how far now is from base: "+38 %". It is empty without a base.
func Change(base, now float64) string {
	if base == 0 {
		return ""
	}
	return fmt.Sprintf("%+.0f %%", 100*(now-base)/base)
}

// Rising and falling figures have a colour besides their sign.
func changeClass(base, now float64) string {
	switch {
	case base == 0 || now == base:
		return "dim"
	case now > base:
		return "up"
	}
	return "down"
}

// The formats of an instant; static/page.js writes the same in the reader's zone.
const (
	Day    = "day"
	Hour   = "hour"
	Clock  = "clock"
	Minute = "minute"
	Full   = "full"
)

func utc(t time.Time, format string) string {
	switch format {
	case Day:
		return t.UTC().Format("2 Jan")
	case Hour:
		return t.UTC().Format("15:04")
	case Clock:
		return t.UTC().Format("15:04:05")
	case Minute:
		return t.UTC().Format("2 Jan, 15:04") + " UTC"
	}
	return t.UTC().Format("2 Jan 2006, 15:04") + " UTC"
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Now are the attributes that tell the page's scripts the server's clock:
// relative times are counted from it, not from the reader's.
func Now(now time.Time) templ.Attributes {
	return templ.Attributes{"data-now": now.UTC().Format("2006-01-02T15:04:05.000Z07:00")}
}

// How a span of time is told.
const (
	Ago    = "ago"    // 14 min ago, in 38 min
	Length = "length" // 14 min
)

// Span tells how far t is from now, as static/page.js does.
func Span(t, now time.Time, style string) string {
	d := t.Sub(now)
	text := length(d.Abs())
	switch {
	case style == Length && text == "":
		return "less than a minute"
	case style == Length:
		return text
	case text == "":
		return "now"
	case d > 0:
		return "in " + text
	}
	return text + " ago"
}

func length(d time.Duration) string {
	switch {
	case d < time.Minute:
		return ""
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// Duration shows how long something took.
func Duration(d time.Duration) string {
	if text := length(d); text != "" {
		return text
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
}

// bar returns the two lengths of a spend bar, in thousandths of its width.
func bar(spent, reserved, limit app.Nano) (filled, held int64) {
	if limit <= 0 {
		return 0, 0
	}
	share := func(n app.Nano) int64 { return int64(math.Round(1000 * float64(n) / float64(limit))) }
	filled = min(share(spent), 1000)
	return filled, min(share(reserved), 1000-filled)
}

// left is what a limit still allows, or by how much it was passed.
func left(spent, reserved, limit app.Nano) app.Nano {
	return max(limit-spent-reserved, spent+reserved-limit)
}

func leftWord(spent, reserved, limit app.Nano) string {
	if spent+reserved > limit {
		return "Over"
	}
	return "Left"
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
