package preflight

import (
	"regexp"
	"slices"
	"strings"

	"vivra/app/untrusted"
)

// HiddenLinks returns the links that a person would read in the text although
// no program makes links of them: with brackets or blanks around a dot, with
// hxxp for http, with a dot of another script, and mail addresses.
func HiddenLinks(text string) []string {
	seen := untrusted.Normalise(text)
	plain := URLs(seen)
	var found []string
	for _, link := range append(URLs(mended(seen)), mail.FindAllString(seen, -1)...) {
		if !slices.Contains(plain, link) && !slices.Contains(found, link) {
			found = append(found, link)
		}
	}
	for _, link := range otherScheme.FindAllString(seen, -1) {
		found = append(found, strings.TrimRight(link, ".,;"))
	}
	return found
}

// mended undoes the ways in which people break a link.
func mended(text string) string {
	text = strangeMarks.Replace(text)
	text = hxxp.ReplaceAllString(text, "http$1://")
	text = brokenDot.ReplaceAllString(text, ".")
	return spokenDot.ReplaceAllString(text, ".$1")
}

var (
	strangeMarks = strings.NewReplacer("。", ".", "․", ".", "⁄", "/", "∕", "/", "⧸", "/", "∶", ":", "꞉", ":")
	hxxp         = regexp.MustCompile(`(?i)\bh(?:xx|tt|\*\*)p(s?)\s*(?:\[:\]|:)\s*/\s*/\s*`)
	brokenDot    = regexp.MustCompile(`(?i)\s*[\[({<]\s*(?:\.|dot|punkt|point)\s*[\])}>]\s*|\s\.\s`)
	spokenDot    = regexp.MustCompile(`(?i)\s+dot\s+(com|org|net|io|xyz|fun|app|site|finance|me|gg|co|link|click|top|vip|live|online|dev|ai|info)\b`)
	mail         = regexp.MustCompile(`(?i)[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}`)
	otherScheme  = regexp.MustCompile(`(?i)\b(?:(?:javascript|vbscript|mailto|tel|sms|tg|tonsite|ethereum|bitcoin|solana|wc|magnet|ipfs):|data:[a-z]+/)[^\s:][^\s]*`)
)

// Commands returns what a bot would take for an order: a command with a bot's
// name behind it, and one that begins a line.
func Commands(text string) []string {
	seen := untrusted.Normalise(text)
	found := addressed.FindAllString(seen, -1)
	for _, at := range lineCommand.FindAllStringSubmatchIndex(seen, -1) {
		if end := at[3]; end == len(seen) || !strings.ContainsRune("/.-@", rune(seen[end])) { // a path, or found already
			found = append(found, seen[at[2]:end])
		}
	}
	return found
}

var (
	addressed   = regexp.MustCompile(`(?i)[/!][a-z0-9_]{1,32}\s?@[a-z0-9_]{3,32}`)
	lineCommand = regexp.MustCompile(`(?im)^[\s>*]*([/!][a-z][a-z0-9_]{1,31})`)
)

// Handles returns every @name in the text, without @, that X or Telegram would
// take for an account.
func Handles(text string) (found []string) {
	for _, m := range handle.FindAllStringSubmatch(untrusted.Normalise(text), -1) {
		if !slices.Contains(found, m[1]) {
			found = append(found, m[1])
		}
	}
	return found
}

// Tickers returns every $symbol in the text, without $: also those that are too
// long for X to make cashtags of them.
func Tickers(text string) (found []string) {
	for _, m := range ticker.FindAllStringSubmatch(untrusted.Normalise(text), -1) {
		if !slices.Contains(found, m[1]) {
			found = append(found, m[1])
		}
	}
	return found
}

var (
	handle = regexp.MustCompile(`(?:^|[^A-Za-z0-9_])@([A-Za-z0-9_]{1,32})`)
	ticker = regexp.MustCompile(`(?:^|[^\p{L}\p{N}$])\$(\p{L}[\p{L}\p{N}_]{0,30})`)
)
