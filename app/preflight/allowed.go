package preflight

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"vivra/app/untrusted"
)

// AllowedLink tells whether the link leads to one of the allowed hosts, to the
// letter or with www. before it, or to one of the allowed pages or below, and
// carries no link to another place: many pages lead on to what they are given.
func AllowedLink(link Link, allowed []string) bool {
	return link.Host != "" && slices.ContainsFunc(allowed, func(place string) bool {
		host, page, _ := strings.Cut(place, "/")
		own := asciiHost(host)
		return (own == link.Host || "www."+own == link.Host) && under(page, link.path()) && !anybodys(own, page, link.path())
	}) && !leadsOn(link.Text, allowed)
}

// anybodys tells whether a page below an account on X is a post: X shows the post
// of that number, whoever wrote it, and makes nothing of the name before it.
func anybodys(host, page, path string) bool {
	below := strings.TrimPrefix(strings.ToLower(strings.Trim(path, "/")), strings.ToLower(strings.Trim(page, "/")))
	return (host == "x.com" || host == "twitter.com") && (strings.Contains(below+"/", "status/") || strings.Contains(below+"/", "statuses/"))
}

// leadsOn tells whether an address holds another one that is not allowed.
func leadsOn(text string, allowed []string) bool {
	if strings.Contains(text, `\`) {
		return true // browsers read it as a slash
	}
	if _, rest, found := strings.Cut(text, "://"); found {
		text = rest
	}
	at := strings.IndexAny(text, "?#")
	page, query := text, ""
	if at >= 0 {
		page, query = text[:at], untrusted.Unescaped(text[at+1:])
	}
	if strings.Contains(untrusted.Unescaped(page), ":/") {
		return true
	}
	for _, inner := range Links(parts.ReplaceAllString(query, " ")) {
		if !AllowedLink(inner, allowed) {
			return true
		}
	}
	return false
}

// parts are the marks between the parts of a query, and what stands before the
// host of a link within it.
var parts = regexp.MustCompile(`[?&=#;,|@]+/*|^/+`)

// under tells whether path is page or below it; an empty page is everything.
func under(page, path string) bool {
	page = strings.ToLower(strings.Trim(page, "/"))
	path = strings.ToLower(strings.Trim(path, "/"))
	if page == "" || path == page {
		return true
	}
	return strings.HasPrefix(path, page+"/") && !slices.Contains(strings.Split(path, "/"), "..")
}

func (l Link) path() string {
	text := l.Text
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	parsed, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return parsed.Path
}
