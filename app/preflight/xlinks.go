package preflight

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"vivra/app/xtext"
)

// HasLink tells whether X will make a link of anything in the text. Its own
// rules decide, and ours where they see more: what is charged is never more than
// what was said before.
func HasLink(text string) bool {
	if slices.ContainsFunc(candidates(text), func(l Link) bool { return l.Counted }) || len(xtext.URLs(text)) > 0 {
		return true
	}
	composed := norm.NFC.String(text)
	return composed != text && len(xtext.URLs(composed)) > 0
}

// withXs adds the links that X makes and we don't see, or see leading elsewhere.
func withXs(text string, links []Link) []Link {
	from, next, known := 0, 0, len(links)
	for _, written := range xtext.URLs(text) {
		at := strings.Index(text[from:], written)
		if at < 0 {
			at = 0 // X put it together from two places
		}
		own := xLink(written, from+at)
		for next < known && links[next].end <= own.start {
			next++
		}
		seen := false
		for i := next; i < known && links[i].start < own.end; i++ {
			seen = seen || links[i].Host == own.Host
		}
		if !seen {
			links = append(links, own)
		}
		from = min(own.end, len(text))
	}
	slices.SortStableFunc(links, func(a, b Link) int { return a.start - b.start })
	return links
}

func xLink(written string, start int) Link {
	link := Link{Text: written, Counted: true, start: start, end: start + len(written)}
	whole := written
	if !strings.Contains(written, "://") {
		whole = "https://" + written
	}
	if parsed, err := url.Parse(whole); err == nil && parsed.User == nil {
		link.Host = asciiHost(parsed.Host)
	}
	return link
}
