package preflight

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"vivra/app/untrusted"
)

// What a token is called when its own words can't be shown.
const (
	unnamed   = "Unnamed token"
	symbolOf  = "TOKEN"
	maxName   = 40
	maxSymbol = 16
)

var (
	plainName   = regexp.MustCompile(`^[\p{L}\p{N}\p{M}\p{So}\x{1F3FB}-\x{1F3FF} '’‘“”„«»&(),.:!?+#/|%_*=~-]+$`)
	plainSymbol = regexp.MustCompile(`^[\p{L}\p{N}\p{So}\x{1F3FB}-\x{1F3FF}]+$`)
	aroundIt    = strings.NewReplacer("$", "", ".", "", "-", "", "_", "", "+", "", "!", "", "'", "", "’", "")
)

// TokenWords returns the name and the symbol by which a token may be shown in
// public: its own when they are plain words, else others. Its deployer chose
// them, and code puts them on pages and pictures. asWritten tells whether both
// are its own.
func TokenWords(name, symbol string) (shownName, shownSymbol string, asWritten bool) {
	shownSymbol, own := tokenSymbol(symbol)
	if shownName = strings.Join(strings.Fields(untrusted.Normalise(name)), " "); PlainWords(shownName, maxName) {
		return shownName, shownSymbol, own
	}
	if own {
		return shownSymbol, shownSymbol, false
	}
	return unnamed, shownSymbol, false
}

func tokenSymbol(symbol string) (shown string, own bool) {
	symbol = aroundIt.Replace(strings.TrimSpace(untrusted.Normalise(symbol)))
	if n := utf8.RuneCountInString(symbol); n <= maxSymbol && plainSymbol.MatchString(symbol) && len(untrusted.Encoded(symbol)) == 0 {
		return symbol, true
	}
	return symbolOf, false
}

// PlainWords tells whether a name that somebody outside chose is a name and no
// more: at most most characters, nothing that leads or points anywhere, names
// an account or commands.
func PlainWords(name string, most int) bool {
	return name != "" && utf8.RuneCountInString(name) <= most && plainName.MatchString(name) &&
		len(Addresses(name))+len(Links(name))+len(HiddenLinks(name))+len(Handles(name))+len(Tickers(name))+len(Commands(name)) == 0 &&
		!untrusted.Unseen(name) && len(untrusted.Encoded(name)) == 0 && len(untrusted.Suspicions(name)) == 0
}
