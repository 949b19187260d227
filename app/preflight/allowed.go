package preflight

import (
	"net/url"
	"slices"
	"strings"
)

// AllowedLink tells whether the link leads to one of the allowed hosts, to the
// letter, or to one of the allowed pages or below.
func AllowedLink(link Link, allowed []string) bool {
	return link.Host != "" && slices.ContainsFunc(allowed, func(place string) bool {
		host, page, _ := strings.Cut(place, "/")
		return asciiHost(host) == link.Host && under(page, link.path())
	})
}

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
