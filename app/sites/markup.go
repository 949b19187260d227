package sites

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// carriers are the attributes that hold a reference.
var carriers = []string{"href", "src", "action", "formaction", "poster", "data", "srcset", "data-market", "ping", "background"}

// markup walks a page: its references, its images, and its text with all tags
// taken out, where an address may hide between them.
func (c *checker) markup(name string, content []byte) {
	root, err := html.Parse(bytes.NewReader(content))
	if err != nil {
		c.add("markup", name, "The page can't be read: %v", err)
		return
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			c.element(name, n)
		}
	}
	c.splitAddresses(name, root)
}

func (c *checker) element(name string, n *html.Node) {
	alt := false
	for _, a := range n.Attr {
		key := strings.ToLower(a.Key)
		switch {
		case slices.Contains(carriers, key):
			for _, ref := range refs(key, a.Val) {
				c.link(name, ref)
			}
		case key == "alt" && strings.TrimSpace(a.Val) != "":
			alt = true
		case strings.HasPrefix(key, "on"), key == "style", key == "srcdoc":
			c.add("markup", name, "<%s> has the attribute %s, which the site's own policy forbids.", n.Data, key)
		}
	}
	if n.Data == "img" && !alt {
		c.add("alt", name, "An image has no alternative text.")
	}
}

// refs splits a srcset into its addresses.
func refs(key, val string) []string {
	if key != "srcset" {
		return []string{val}
	}
	var out []string
	for _, part := range strings.Split(val, ",") {
		if f := strings.Fields(part); len(f) > 0 {
			out = append(out, f[0])
		}
	}
	return out
}

// splitAddresses joins the text of each block and looks for addresses that
// inline tags cut into pieces. A button or a link beside an address is not part
// of it, so a match that begins with the official digits is that address.
func (c *checker) splitAddresses(name string, root *html.Node) {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || !slices.Contains(blocks, n.Data) {
			continue
		}
		for _, m := range run.FindAllStringSubmatch(visible(text(n)), -1) {
			if digits := strings.ToLower(m[1]); !strings.HasPrefix(digits, c.official) && len(digits) != 64 {
				c.add("address", name, "0x%s, put together from the page's text, is not the official address.", m[1][:40])
			}
		}
	}
}

var blocks = []string{"p", "li", "dd", "dt", "h1", "h2", "h3", "td", "th", "figcaption", "blockquote", "pre", "title", "footer", "header"}

func text(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && (d.Parent == nil || d.Parent.Data != "script" && d.Parent.Data != "style") {
			out.WriteString(d.Data)
		}
	}
	return out.String()
}
