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
	text = head(text, maxText)
	links := candidates(text)
	next, known := 0, len(links)
	for _, at := range explicit.FindAllStringIndex(text, -1) {
		for next < known && links[next].end <= at[0] {
			next++
		}
		if next == known || links[next].start >= at[1] {
			links = append(links, explicitLink(text, at[0], at[1]))
		}
	}
	slices.SortFunc(links, func(a, b Link) int { return a.start - b.start })
	return withXs(text, links)
}

// URLs returns every address in the text as it stands there, as Links does.
func URLs(text string) []string {
	var urls []string
	for _, link := range Links(text) {
		urls = append(urls, link.Text)
	}
	return urls
}

func explicitLink(text string, start, end int) Link {
	written := strings.TrimRight(text[start:end], ".,;:!?)]}'")
	link := Link{Text: written, start: start, end: start + len(written)}
	if parsed, err := url.Parse(written); err == nil && parsed.User == nil {
		link.Host = asciiHost(parsed.Host)
	}
	return link
}

// candidates are the links that X makes, and those that it would make if they
// were shorter.
func candidates(text string) []Link {
	if !strings.Contains(text, ".") {
		return nil
	}
	var links []Link
	s := scanner{text: text, at: -1, end: -1}
	for from := 0; from < len(text); {
		at := candidate.FindStringSubmatchIndex(text[from:])
		if at == nil {
			break
		}
		start, end := from+at[0], from+at[1]
		hostStart := start
		if at[2] >= 0 {
			hostStart = from + at[3]
		} else {
			// Chinese and its neighbours set no blanks around a link.
			hostStart += afterBlankless(text[start:end])
			start = hostStart
		}
		link, ok := s.linkAt(start, hostStart, end)
		if ok {
			links, end = append(links, link), link.end
		}
		from = end
	}
	return links
}

// afterBlankless is where the first label of a name goes on in Latin letters
// after those of a script without blanks.
func afterBlankless(name string) int {
	label, _, _ := strings.Cut(name, ".")
	at := strings.LastIndexFunc(label, func(r rune) bool { return unicode.In(r, blankless...) })
	if at < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(label[at:])
	if at+size == len(label) {
		return 0
	}
	return at + size
}

var blankless = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// scanner goes through a text once. It knows where the next @ stands and where
// the authority ends that it looked at last.
type scanner struct {
	text    string
	at, end int
}

// user tells whether an @ stands in what a browser reads a host from: in
// everything from start up to a slash or a blank.
func (s *scanner) user(start int) bool {
	if s.end < start {
		s.end = len(s.text)
		if n := strings.IndexFunc(s.text[start:], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/?#\\", r) }); n >= 0 {
			s.end = start + n
		}
	}
	if s.at < start {
		s.at = len(s.text)
		if n := strings.IndexByte(s.text[start:], '@'); n >= 0 {
			s.at = start + n
		}
	}
	return s.at < s.end
}

func (s *scanner) linkAt(start, hostStart, hostEnd int) (Link, bool) {
	text, bare := s.text, start == hostStart
	// What stands before an @ is a user's name, not the place the address leads to.
	if !mayPrecede(text[:start]) || s.user(hostStart) {
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
	return Link{text[start:end], asciiHost(host) + port, end-start <= maxLink, start, end}, true
}

// The longest name that DNS has, in bytes and in labels.
const (
	maxHost   = 253
	maxLabels = 127
)

// knownHost returns the longest part of the dotted name, from its start, that
// is a domain: labels of 1 to 63 bytes and an ending that exists.
func knownHost(name string, bare bool) string {
	if len(name) > 4*maxHost { // in bytes: its ASCII form may be shorter
		name = strings.ToValidUTF8(name[:4*maxHost], "")
	}
	labels := strings.SplitN(name, ".", maxLabels+1)
	if len(labels) > maxLabels {
		labels = labels[:maxLabels]
	}
	valid := 0
	for valid < len(labels) && validLabel(labels[valid], bare) {
		valid++
	}
	for n := min(valid+1, len(labels)); n >= 2; n-- {
		last := labels[n-1]
		if !knownEnding(last) { // a word in another script may follow at once
			last = asciiStart(last)
		}
		if (n <= valid || validLabel(last, bare)) && knownEnding(last) {
			host := strings.Join(labels[:n-1], ".") + "." + last
			if len(asciiHost(host)) <= maxHost {
				return host
			}
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

func validLabel(label string, bare bool) bool {
	if len(label) > 4*63 || strings.HasSuffix(label, "-") || strings.HasSuffix(label, "_") {
		return false
	}
	lower := strings.ToLower(label)
	if isASCII(lower) && !strings.HasPrefix(lower, "xn--") {
		return lower != "" && len(lower) <= 63
	}
	ascii, err := idna.ToASCII(lower)
	if err != nil || ascii == "" || len(ascii) > 63 {
		return false
	}
	return !bare || ascii == lower // without a scheme X links ASCII names only
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

func knownEnding(label string) bool {
	if len(label) > 4*63 {
		return false
	}
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
	return size == 0 || unicode.In(r, blankless...) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@＠$#＃_-./", r)
}

// trimmedTail leaves out the punctuation of the sentence around a link, and a
// closing bracket that was opened before it.
func trimmedTail(tail string) int {
	open, closed := strings.Count(tail, "("), strings.Count(tail, ")")
	for tail != "" {
		r, size := utf8.DecodeLastRuneInString(tail)
		if r == ')' && open >= closed {
			break
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("=_#/+-", r) {
			break
		}
		switch r {
		case '(':
			open--
		case ')':
			closed--
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
