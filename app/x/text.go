package x

import (
	"html"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

type urlEntity struct {
	URL         string `json:"url"` // the t.co form that stands in the text
	ExpandedURL string `json:"expanded_url"`
	DisplayURL  string `json:"display_url"`
	MediaKey    string `json:"media_key"`
}

// expand undoes what X did to a text: HTML escapes, t.co links, and the link
// it appends for media.
func expand(text string, urls []urlEntity) string {
	for _, u := range urls {
		replacement := u.ExpandedURL
		if u.MediaKey != "" || strings.HasPrefix(u.DisplayURL, "pic.x.com/") || strings.HasPrefix(u.DisplayURL, "pic.twitter.com/") {
			replacement = ""
		}
		text = strings.Replace(text, u.URL, replacement, 1)
	}
	return strings.TrimSpace(html.UnescapeString(text))
}

var scheme = regexp.MustCompile(`(?i)\bhttps?://`)

// SameText tells whether read, as Timeline returned it, is the text that was
// sent: X normalises Unicode and white space and completes bare domains.
func SameText(sent, read string) bool { return comparableText(sent) == comparableText(read) }

// namesBefore are the names that X puts before a reply.
var namesBefore = regexp.MustCompile(`^(?:@[A-Za-z0-9_]{1,20}\s+)+`)

// WithoutNames is a reply, as Timeline returned it, without the names of those
// that it speaks to.
func WithoutNames(read string) string { return namesBefore.ReplaceAllString(read, "") }

func comparableText(text string) string {
	words := strings.Fields(scheme.ReplaceAllString(norm.NFC.String(text), ""))
	for i, word := range words {
		words[i] = strings.TrimRight(word, "/")
	}
	return strings.Join(words, " ")
}
