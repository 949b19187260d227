package modelsim

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	plainName   = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} '&-]{0,29}$`)
	plainSymbol = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,11}$`)
	cashtag     = regexp.MustCompile(`^[A-Za-z]{1,6}$`)
)

// name is what the token may be called in public: its own name when that is a
// plain one.
func (t *talk) name() string {
	switch name, symbol := t.token("name"), t.token("symbol"); {
	case plainName.MatchString(name):
		return name
	case plainSymbol.MatchString(symbol):
		return symbol
	}
	return "the token"
}

// tag is the token's cashtag when X would make one of it, else its name. A draft
// that was refused does without.
func (t *talk) tag() string {
	if symbol := t.token("symbol"); cashtag.MatchString(symbol) && t.try == 0 {
		return "$" + strings.ToUpper(symbol)
	}
	return t.name()
}

// address is the official address as we were given it.
func (t *talk) address() string {
	return t.input("official_address").or(t.operation("official_address").or(t.token("address")))
}

// report is a text of the scanner's report.
func (t *talk) report(field string) string {
	return t.file("scan", "scanner.full_report", field).or("Trading stopped, and nobody said why.")
}

// site is the URL of the relaunched site, empty when there is none.
func (t *talk) site() string {
	host := t.file("site", "host").or(t.operation("site_host").or(t.input("site_host").str()))
	if host == "" {
		return ""
	}
	return "https://" + host
}

var livePageLine = regexp.MustCompile(`(https?://[^\s,;]+)`)

// live is the URL of the live page; the system prompt names it as well.
func (t *talk) live() string {
	if url := t.input("live_page").or(t.operation("live_page").str()); url != "" {
		return url
	}
	for _, m := range t.req.Messages {
		if m.Role == "system" && m.Content != nil {
			return strings.TrimRight(livePageLine.FindString(*m.Content), ".")
		}
	}
	return ""
}

// usd writes an amount as people do: $1,234, $0.42, $0.00000042.
func usd(v float64) string {
	switch {
	case v >= 100:
		return "$" + thousands(int64(math.Round(v)))
	case v >= 0.01 || v == 0:
		return fmt.Sprintf("$%.2f", v)
	}
	return "$" + strconv.FormatFloat(v, 'f', min(int(math.Ceil(-math.Log10(v)))+1, 18), 64)
}

func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var out []string
	for len(digits) > 3 {
		out = append(out, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	out = append(out, digits)
	slices.Reverse(out)
	return strings.Join(out, ",")
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// change says how a figure moved, in per cent.
func change(before, now float64) string {
	if before <= 0 {
		return "no comparison yet"
	}
	return fmt.Sprintf("%+.1f %%", 100*(now-before)/before)
}

// date is the day of an instant as a tool gave it, empty when it gave none.
func date(at value) string {
	if s := at.str(); len(s) >= 10 {
		return s[:10]
	}
	return ""
}

// fit joins parts into one post of at most most characters: the first always,
// the others as long as there is room.
func fit(most int, parts ...string) string {
	text := parts[0]
	for _, part := range parts[1:] {
		if joined := text + "\n\n" + part; part != "" && len([]rune(joined)) <= most {
			text = joined
		}
	}
	return text
}

// clip cuts text at a word, to at most most characters.
func clip(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len([]rune(text)) <= most {
		return text
	}
	cut := string([]rune(text)[:most])
	if space := strings.LastIndex(cut, " "); space > 0 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,;:") // the sentence may be cut, the words are not
}

// pick takes n of a list, in an order that follows from the run.
func pick[T any](t *talk, list []T, n int) []T {
	out := make([]T, 0, n)
	for _, i := range t.rng.Perm(len(list))[:n] {
		out = append(out, list[i])
	}
	return out
}
