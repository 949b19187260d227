package preflight

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Link is an address in a text.
type Link struct {
	Text string // as it stands there
	Host string // lower case, ASCII, with the port if one is written
	// Counted tells whether X makes a link of it: it then counts 23 characters
	// and multiplies the price. A local address is written out instead.
	Counted bool

	start, end int // bytes
}

var (
	// candidate is a host with an optional scheme; which part of it is a link is decided by its labels.
	candidate = regexp.MustCompile(`(?i)(https?://)?[\p{L}\p{N}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_][\p{L}\p{N}_-]*)+`)
	rest      = regexp.MustCompile(`^(?::[0-9]+)?(?:/[\p{Latin}\p{Cyrillic}0-9!*';:=+,.$/%#\[\]\-–_~@&|()]*)?(?:\?[A-Za-z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]*)?`)
	explicit  = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"]+`)
)

// maxLink is the longest address X makes a link of.
const maxLink = 4096

// Links returns every address in the text, in order: those X makes links of,
// bare domains with a known ending included, and any other that names its scheme.
func Links(text string) []Link {
	links := counted(text)
	for _, at := range explicit.FindAllStringIndex(text, -1) {
		if !slices.ContainsFunc(links, func(l Link) bool { return at[0] < l.end && l.start < at[1] }) {
			links = append(links, explicitLink(text, at[0], at[1]))
		}
	}
	slices.SortFunc(links, func(a, b Link) int { return a.start - b.start })
	return links
}

// URLs returns every address in the text as it stands there, as Links does.
func URLs(text string) []string {
	var urls []string
	for _, link := range Links(text) {
		urls = append(urls, link.Text)
	}
	return urls
}

// HasLink tells whether X will make a link of anything in the text.
func HasLink(text string) bool { return len(counted(text)) > 0 }

func explicitLink(text string, start, end int) Link {
	written := strings.TrimRight(text[start:end], ".,;:!?)]}'")
	link := Link{Text: written, start: start, end: start + len(written)}
	if parsed, err := url.Parse(written); err == nil && parsed.User == nil {
		link.Host = asciiHost(parsed.Host)
	}
	return link
}

// counted returns what X makes links of, in order.
func counted(text string) []Link {
	var links []Link
	for from := 0; from < len(text); {
		at := candidate.FindStringSubmatchIndex(text[from:])
		if at == nil {
			break
		}
		start, end := from+at[0], from+at[1]
		hostStart := start
		if at[2] >= 0 {
			hostStart = from + at[3]
		}
		link, ok := linkAt(text, start, hostStart, end)
		if ok {
			links, end = append(links, link), link.end
		}
		from = end
	}
	return links
}

func linkAt(text string, start, hostStart, hostEnd int) (Link, bool) {
	bare := start == hostStart
	// What stands before an @ is a user's name, not the place the address leads to.
	if !mayPrecede(text[:start]) || strings.Contains(authority(text[hostStart:]), "@") {
		return Link{}, false
	}
	host := knownHost(text[hostStart:hostEnd], bare)
	if host == "" {
		return Link{}, false
	}
	end := hostStart + len(host)
	port := ""
	if end == hostEnd {
		tail := rest.FindString(text[end:])
		end += trimmedTail(tail)
		port = portOf(tail)
	}
	if end-start > maxLink {
		return Link{}, false
	}
	return Link{text[start:end], asciiHost(host) + port, true, start, end}, true
}

// authority is what a browser reads a host from: everything up to a slash.
func authority(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/?#\\", r) }); end >= 0 {
		return text[:end]
	}
	return text
}

// knownHost returns the longest part of the dotted name, from its start, that
// is a domain: labels of 1 to 63 bytes and an ending that exists.
func knownHost(name string, bare bool) string {
	labels := strings.Split(name, ".")
	for n := len(labels); n >= 2; n-- {
		if !knownEnding(labels[n-1]) { // a word in another script may follow at once
			labels[n-1] = asciiStart(labels[n-1])
		}
		host := strings.Join(labels[:n], ".")
		if validLabels(labels[:n], bare) && knownEnding(labels[n-1]) {
			return host
		}
	}
	return ""
}

func asciiStart(label string) string {
	if end := strings.IndexFunc(label, func(r rune) bool { return r >= utf8.RuneSelf }); end >= 0 {
		return label[:end]
	}
	return label
}

func validLabels(labels []string, bare bool) bool {
	for _, label := range labels {
		ascii, err := idna.ToASCII(strings.ToLower(label))
		if err != nil || ascii == "" || len(ascii) > 63 || strings.HasSuffix(label, "-") || strings.HasSuffix(label, "_") {
			return false
		}
		if bare && ascii != strings.ToLower(label) {
			return false // without a scheme X links ASCII names only
		}
	}
	return true
}

func knownEnding(label string) bool {
	ascii, err := idna.ToASCII(strings.ToLower(label))
	if err != nil {
		return false
	}
	_, known := publicsuffix.PublicSuffix("x." + ascii)
	return known
}

// mayPrecede tells whether a link can begin after this text.
func mayPrecede(before string) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	return size == 0 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@＠$#＃_-./", r)
}

// trimmedTail leaves out the punctuation of the sentence around a link, and a
// closing bracket that was opened before it.
func trimmedTail(tail string) int {
	for tail != "" {
		r, size := utf8.DecodeLastRuneInString(tail)
		if r == ')' && strings.Count(tail, "(") >= strings.Count(tail, ")") {
			break
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("=_#/+-", r) {
			break
		}
		tail = tail[:len(tail)-size]
	}
	return len(tail)
}

func portOf(tail string) string {
	end := strings.IndexFunc(tail, func(r rune) bool { return r != ':' && (r < '0' || r > '9') })
	switch {
	case !strings.HasPrefix(tail, ":"):
		return ""
	case end < 0:
		end = len(tail)
	}
	return strings.TrimSuffix(tail[:end], ":")
}

func asciiHost(host string) string {
	lower := strings.ToLower(host)
	if ascii, err := idna.ToASCII(lower); err == nil {
		return ascii
	}
	return lower
}
