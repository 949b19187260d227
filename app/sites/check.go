package sites

import (
	"encoding/hex"
	"fmt"
	"html"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"vivra/app"
	"vivra/app/untrusted"
)

// The budgets in bytes: of all that is not an image, and of everything.
const (
	Budget      = 60_000
	BudgetTotal = 4_000_000
)

// CheckInput says what a site may hold.
type CheckInput struct {
	OfficialAddress string   // EIP-55
	AllowedHosts    []string // host, or host:port, that links may lead to; the site's own among them
}

// Report is what a check found. A site with any problem is not published.
type Report struct {
	Links     int       `json:"links"`
	Addresses int       `json:"addresses"`
	Problems  []Problem `json:"problems"`
	Weight    int64     `json:"weight"` // bytes without images
}

// Problem is one broken rule. Rule is address, address-missing, link, alt,
// weight or markup.
type Problem struct {
	Rule   string `json:"rule"`
	Detail string `json:"detail"`
	Path   string `json:"path"`
}

// Passed tells whether nothing was found.
func (r Report) Passed() bool { return len(r.Problems) == 0 }

func (r *Report) add(rule, path, format string, args ...any) {
	p := Problem{rule, fmt.Sprintf(format, args...), path}
	if !slices.Contains(r.Problems, p) {
		r.Problems = append(r.Problems, p)
	}
}

// Check holds every file of b against the rules: the official address and no
// other, links to allowed hosts and to files that exist, images that say what
// they show, weight.
func Check(b Bundle, in CheckInput) Report {
	report := Report{Problems: []Problem{}}
	official, err := app.ParseAddress(in.OfficialAddress)
	if err != nil {
		report.add("address", "", "The official address is unknown: %v", err)
		return report
	}
	c := checker{Report: &report, bundle: b, official: strings.TrimPrefix(official.Hex(), "0x"), hosts: in.AllowedHosts}
	for _, name := range slices.Sorted(maps.Keys(b.Files)) {
		c.file(name, b.Files[name])
	}
	if !strings.Contains(string(b.Files["/index.html"]), in.OfficialAddress) {
		report.add("address-missing", "/index.html", "The page does not show the official address %s.", in.OfficialAddress)
	}
	if report.Weight > Budget {
		report.add("weight", "", "Everything but images is %d bytes, the most is %d.", report.Weight, Budget)
	}
	if b.Bytes > BudgetTotal {
		report.add("weight", "", "The site is %d bytes, the most is %d.", b.Bytes, BudgetTotal)
	}
	return report
}

type checker struct {
	*Report
	bundle   Bundle
	official string // 40 lower-case digits
	hosts    []string
}

func (c *checker) file(name string, content []byte) {
	if isImage(name) {
		c.compare(name, string(content))
		return
	}
	c.addresses(name, string(content))
	c.Weight += int64(len(content))
	switch path.Ext(name) {
	case ".html":
		c.markup(name, content)
	case ".css":
		c.links(name, cssLinks(content))
	}
	c.plainLinks(name, string(content))
}

func isImage(name string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg", ".webp", ".ico", ".gif"}, path.Ext(name))
}

// run is 0x and at least forty hex digits: an address, a hash, or a longer
// thing that starts like one.
var run = regexp.MustCompile(`(?i)0x([0-9a-f]{40,})`)

// addresses looks at the text as it is, and as a reader sees it: entities
// decoded, percent escapes decoded, compatibility forms folded, what can't be
// seen removed.
func (c *checker) addresses(name, text string) {
	c.compare(name, visible(percent.ReplaceAllStringFunc(html.UnescapeString(text), func(s string) string {
		b, _ := hex.DecodeString(s[1:]) // the pattern matched two digits
		return string(b)
	})))
}

var percent = regexp.MustCompile(`%[0-9a-fA-F]{2}`)

// compare holds every address in text against the official one.
func (c *checker) compare(name, text string) {
	for _, m := range run.FindAllStringSubmatch(text, -1) {
		c.Addresses++
		digits := strings.ToLower(m[1])
		// 64 digits are the hash of a transaction or the id of a pool.
		if digits != c.official && len(digits) != 64 {
			c.add("address", name, "0x%s is not the official address.", m[1])
		}
	}
}

// visible is the text without what can't be seen, look-alikes of the hex
// digits folded.
func visible(text string) string { return lookalikes.Replace(untrusted.Normalise(text)) }

// lookalikes are letters of other alphabets that pass for hex digits or the x.
var lookalikes = strings.NewReplacer("а", "a", "А", "A", "Α", "A", "В", "B", "Β", "B", "Ь", "b", "с", "c", "С", "C", "ԁ", "d",
	"е", "e", "Е", "E", "Ε", "E", "х", "x", "Х", "X", "χ", "x", "Χ", "X", "О", "0", "о", "0", "Ο", "0", "ο", "0", "O", "0", "o", "0", "l", "1", "I", "1", "І", "1", "і", "1")

var webAddress = regexp.MustCompile("(?i)\\b(?:https?|wss?|ftp)://[^\\s\"'<>`()\\\\;]+")

// plainLinks finds web addresses wherever they stand, in scripts and styles too.
func (c *checker) plainLinks(name, text string) {
	text = strings.ReplaceAll(html.UnescapeString(text), `\/`, "/") // as scripts may write it
	for _, raw := range webAddress.FindAllString(text, -1) {
		c.external(name, raw)
	}
}

func (c *checker) external(name, raw string) {
	u, err := url.Parse(raw)
	if err != nil || u.User != nil || !slices.Contains(c.hosts, strings.ToLower(u.Host)) {
		c.add("link", name, "%s leads to a host that is not allowed.", raw)
	}
}

// links checks references that were taken out of a file.
func (c *checker) links(name string, links []string) {
	for _, l := range links {
		c.link(name, l)
	}
}

var cssURL = regexp.MustCompile(`(?i)url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)`)

func cssLinks(css []byte) []string {
	var links []string
	for _, m := range cssURL.FindAllSubmatch(css, -1) {
		links = append(links, string(m[1])+string(m[2]))
	}
	return links
}

// link checks one reference: inside the bundle it must exist, outside it must
// be allowed.
func (c *checker) link(name, raw string) {
	c.Links++
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil:
		c.add("link", name, "%q is not an address.", raw)
	case u.Scheme == "http" || u.Scheme == "https":
		c.external(name, u.String())
	case u.Scheme != "" || u.Host != "":
		c.add("link", name, "%q is neither a path of the site nor a web address.", raw)
	case u.Path != "" && !c.exists(name, u.Path):
		c.add("link", name, "%q is not a file of the site.", raw)
	}
}

func (c *checker) exists(from, target string) bool {
	if !strings.HasPrefix(target, "/") {
		target = path.Join(path.Dir(from), target)
	}
	_, file := c.bundle.Files[path.Clean(target)]
	_, index := c.bundle.Files[path.Join(target, "index.html")]
	return file || index
}
