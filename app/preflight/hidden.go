package preflight

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vivra/app/untrusted"
)

// HiddenLinks returns the links that a person would read in the text although
// no program makes links of them: with brackets or blanks around a dot, with
// hxxp for http, with a dot of another script, in escapes or look-alikes, letter
// by letter, behind a mark, of a number for a host, and mail addresses.
func HiddenLinks(text string) []string {
	seen := untrusted.Seen(head(text, maxText))
	plain := map[string]bool{}
	for _, link := range URLs(seen) {
		plain[link] = true
	}
	var found finds
	for _, view := range views(seen) {
		list := URLs(view)
		if strings.Contains(view, "@") {
			list = append(list, mail.FindAllString(view, -1)...)
		}
		for _, link := range list {
			if !plain[link] {
				found.add(link)
			}
		}
	}
	for _, form := range otherForms {
		if !strings.Contains(seen, form.mark) {
			continue
		}
		for _, m := range form.pattern.FindAllStringSubmatch(seen, -1) {
			found.add(strings.TrimRight(m[1], ".,;"))
		}
	}
	return found.all
}

// views are the ways in which links are read into a text.
func views(seen string) []string {
	all := []string{mended(seen), marked(seen)}
	if folded := untrusted.Fold(seen); folded != seen {
		all = append(all, disguised(seen, folded))
	}
	if plain := untrusted.Seen(untrusted.Unescaped(seen)); plain != seen {
		all = append(all, plain)
	}
	if !strings.Contains(seen, " .") {
		return all
	}
	if spelled := spelledOut.ReplaceAllStringFunc(seen, func(s string) string { return strings.ReplaceAll(s, " ", "") }); spelled != seen {
		all = append(all, spelled)
	}
	return all
}

// marked is a text without the marks behind which nothing is linked, and
// without what is a link anyway.
func marked(seen string) string {
	var out strings.Builder
	from := 0
	for _, link := range Links(seen) {
		if link.start < from {
			continue
		}
		out.WriteString(seen[from:link.start] + " ")
		from = link.end
	}
	out.WriteString(seen[from:])
	if !strings.Contains(out.String(), ".") {
		return ""
	}
	return leadingMarks.ReplaceAllString(symbolWithDot.ReplaceAllString(out.String(), "$1"), "$1 $2")
}

// disguised are the words of a text that are Latin ones only once they are
// folded. A word of another script has letters that are no look-alikes.
func disguised(seen, folded string) string {
	was, is := strings.Fields(seen), strings.Fields(folded)
	if len(was) != len(is) {
		return folded
	}
	var words []string
	for i := range is {
		if is[i] != was[i] && isASCII(is[i]) && strings.Contains(is[i], ".") && foreignDot(was[i]) {
			words = append(words, is[i])
		}
	}
	return strings.Join(words, " ")
}

// foreignDot tells whether a word mixes scripts, or is in no ordinary letters
// at all: the words of one script are its own.
func foreignDot(word string) bool {
	cyrillic, greek, letters := 0, 0, 0
	for _, r := range word {
		switch {
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case unicode.Is(unicode.Greek, r):
			greek++
		}
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters == 0 || cyrillic != letters && greek != letters
}

// mended undoes the ways in which people break a link.
func mended(text string) string {
	text = strangeMarks.Replace(text)
	if strings.Contains(text, ":") {
		text = hxxp.ReplaceAllString(text, "http$1://")
		text = oneSlash.ReplaceAllString(text, "http$1://$2")
	}
	if strings.ContainsAny(text, "[({<") {
		text = brokenDot.ReplaceAllString(text, ".")
	}
	if blanksAtDot(text) {
		text = blankDot.ReplaceAllString(text, "$1.$2")
		text = blankBefore.ReplaceAllString(text, "$1.$2")
		text = blankAfter.ReplaceAllString(text, "$1.$2")
	}
	if !strings.Contains(strings.ToLower(text), "dot") {
		return text
	}
	return spokenDot.ReplaceAllStringFunc(text, func(s string) string {
		m := spokenDot.FindStringSubmatch(s)
		if article.MatchString(m[1]) {
			return s
		}
		return m[1] + "." + m[2] + m[3]
	})
}

// blanksAtDot tells whether a blank stands beside any dot.
func blanksAtDot(text string) bool {
	for i := range len(text) {
		if text[i] == '.' && (i > 0 && text[i-1] <= ' ' || i+1 < len(text) && text[i+1] <= ' ') {
			return true
		}
	}
	return false
}

const endings = `com|org|net|io|xyz|gg|cc|ru|app|fun|finance|site|co|dev|info`

var (
	strangeMarks = strings.NewReplacer("。", ".", "․", ".", "۔", ".", "‧", ".", "ꓸ", ".", "⁄", "/", "∕", "/", "⧸", "/", "∶", ":", "꞉", ":")
	hxxp         = regexp.MustCompile(`(?i)\bh(?:xx|tt|\*\*)p(s?)\s*(?:\[:\]|:)\s*/\s*/\s*`)
	oneSlash     = regexp.MustCompile(`(?i)\bhttp(s?):[/\\]?([\p{L}\p{N}])`)
	brokenDot    = regexp.MustCompile(`(?i)\s*[\[({<]\s*(?:\.|dot|punkt|point)\s*[\])}>]\s*`)
	blankDot     = regexp.MustCompile(`(?i)([\p{L}\p{N}])\s+\.\s+((?:` + endings + `)(?:[^\p{L}\p{N}\s.-]|\s+[^.\s]|\s*$))`)
	blankBefore  = regexp.MustCompile(`(?i)([\p{L}\p{N}])\s+\.((?:` + endings + `)(?:[^\p{L}\p{N}]|$))`)
	blankAfter   = regexp.MustCompile(`([\p{L}\p{N}])\.\s+((?:com|org|net|io|xyz|gg|cc|ru)(?:[^\p{L}\p{N}]|$))`)
	spokenDot    = regexp.MustCompile(`(?i)([\p{L}\p{N}_-]+)\s+dot\s+(com|org|net|io|xyz|fun|app|site|finance|gg|co|link|click|top|vip|online|dev|info|cc|ru|gift|claims|shop|eth|sol|bnb|(?:me|live|ai|to|de)(?:/|[^\p{L}\p{N}\s]|\s*$))([^\p{L}\p{N}]|$)`)
	article      = regexp.MustCompile(`(?i)^(?:the|an?|this|that|each|every|your|our|my|its|one|first|last|from|of)$`)
	spelledOut   = regexp.MustCompile(`(?:[\p{L}\p{N}:/.] ){4,}[\p{L}\p{N}/]`)
	// A symbol in capitals may hold a dot.
	symbolWithDot = regexp.MustCompile(`(^|[^\p{L}\p{N}])\$\p{Lu}[\p{Lu}\p{N}]*\.\p{Lu}[\p{Lu}\p{N}]*\b`)
	leadingMarks  = regexp.MustCompile(`(^|[^\p{L}\p{N}@#$＃_\-./:])[@#$＃_\-./:]+([\p{L}\p{N}])`)
	mail          = regexp.MustCompile(`(?i)[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}`)
)

// otherForms are links that have no ending, with a mark that they all hold.
var otherForms = []struct {
	mark    string
	pattern *regexp.Regexp
}{
	{":", otherScheme},
	{":", regexp.MustCompile(`(?i)` + number + `(?::[0-9]{2,5}(?:/[^\s<>"]*)?))`)},
	{"/", regexp.MustCompile(`(?i)` + number + `/[^\s<>"]+)`)},
	{"gg/", regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}./])(\.?gg/[a-z0-9-]{2,})`)},
	{`\`, regexp.MustCompile(`(?i)((?:https?:|[a-z0-9-]\.[a-z]{2,})[^\s<>"\\]*\\[^\s<>"]*)`)}, // a browser reads it as a slash
	{".", regexp.MustCompile(`([\p{L}\p{N}\p{So}-]*\p{So}[\p{L}\p{N}\p{So}-]*\.(?:ws|to|fm|la|st|gg|tk|ml|ga|kz))(?:[^\p{L}\p{N}]|$)`)},
}

const number = `(?:^|[^\p{L}\p{N}./:@-])((?:(?:[0-9]{1,3}\.){3}[0-9]{1,3}|localhost)`

// otherScheme is an address without two slashes. What stands behind a word that
// names a coin or a service as well must look like one.
var otherScheme = regexp.MustCompile(`(?i)\b((?:java\s{0,3}script\s?:|vbscript:|mailto:|data:[a-z]+/|data:;base64,)[^\s:][^\s]*|` +
	`(?:tel|sms|tg|tonsite|ethereum|bitcoin|solana|wc|magnet|ipfs):(?:/|\+?[0-9]|[^\s:]*[?=&/@%]|[a-z0-9]{20})[^\s]*)`)

// Commands returns what a bot would take for an order: a command with a bot's
// name behind it, and one that begins a line.
func Commands(text string) []string {
	seen := untrusted.Seen(text)
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
	seen := map[string]bool{}
	for _, m := range handle.FindAllStringSubmatch(untrusted.Seen(text), -1) {
		if !seen[m[1]] {
			seen[m[1]] = true
			found = append(found, m[1])
		}
	}
	return found
}

// Tickers returns every $symbol in the text, without $: also those that are too
// long for X to make cashtags of them, and those that begin with digits. Own ones,
// which may hold marks as well, are left out. A suffix that X counts to a symbol,
// such as .X, makes another one of it.
func Tickers(text string, own ...string) (found []string) {
	seen, known := untrusted.Seen(text), map[string]bool{}
	for _, at := range dollar.FindAllStringIndex(seen, -1) {
		before, _ := utf8.DecodeLastRuneInString(seen[:at[0]])
		if at[0] > 0 && (unicode.IsLetter(before) || unicode.IsNumber(before)) {
			continue
		}
		rest := seen[at[1]:]
		if slices.ContainsFunc(own, func(name string) bool { return begins(rest, untrusted.Seen(name)) }) {
			continue
		}
		m := ticker.FindString(rest)
		if m == "" || amount.MatchString(m) {
			continue
		}
		if !known[m] {
			known[m] = true
			found = append(found, m)
		}
	}
	return found
}

// begins tells whether text begins with the whole symbol own.
func begins(text, own string) bool {
	n := 0
	for range own {
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
	}
	if n == 0 || !strings.EqualFold(text[:n], own) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[n:])
	word := n < len(text) && (next == '_' || unicode.IsLetter(next) || unicode.IsNumber(next))
	return !word && !suffix.MatchString(text[n:])
}

var (
	handle = regexp.MustCompile(`(?:^|[^A-Za-z0-9_])@([A-Za-z0-9_]{1,32})`)
	dollar = regexp.MustCompile(`\$+`)
	ticker = regexp.MustCompile(`^(?:\p{L}[\p{L}\p{N}_]{0,40}(?:\.[A-Za-z]{1,2}\b)?|[0-9]{1,4}[A-Za-z]{3,30}\b)`)
	suffix = regexp.MustCompile(`^\.[A-Za-z]{1,2}\b`)
	amount = regexp.MustCompile(`(?i)^[0-9]+(?:usd[ct]?|eur|eth|mil|mln|bln|mio|million|billion|trillion|thousand|each|per|plus)$`)
)
