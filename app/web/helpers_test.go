package web_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func number(id int64) string { return strconv.FormatInt(id, 10) }

// listen has a server answer until the test is over; what it streams ends first.
func listen(t testing.TB, server *httptest.Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	server.Start()
	t.Cleanup(func() { cancel(); server.Close() })
}

// visitor is a browser without scripts: it keeps cookies and shows where a
// form leads without going there.
type visitor struct {
	t    testing.TB
	base string
	http *http.Client
}

func newVisitor(t testing.TB, base string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, base, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// page is one answer.
type page struct {
	*http.Response
	body string
}

func (p page) doc(t testing.TB) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func (v *visitor) do(req *http.Request) page {
	v.t.Helper()
	res, err := v.http.Do(req.WithContext(v.t.Context()))
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return page{res, string(body)}
}

func (v *visitor) get(path string) page {
	v.t.Helper()
	req, err := http.NewRequest(http.MethodGet, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	return v.do(req)
}

func (v *visitor) post(path string, form url.Values) page {
	v.t.Helper()
	req, err := http.NewRequest(http.MethodPost, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return v.do(req)
}

// submit sends the form that the selector finds on a page, with its hidden
// fields and what is filled in.
func (v *visitor) submit(on page, selector string, filled url.Values) page {
	v.t.Helper()
	form := on.doc(v.t).Find(selector).First()
	if form.Length() == 0 {
		v.t.Fatalf("there is no form %s on the page:\n%s", selector, on.body)
	}
	values := url.Values{}
	form.Find("input[name]").Each(func(_ int, in *goquery.Selection) {
		if kind, _ := in.Attr("type"); kind != "checkbox" {
			values.Set(in.AttrOr("name", ""), in.AttrOr("value", ""))
		}
	})
	form.Find("textarea[name]").Each(func(_ int, in *goquery.Selection) { values.Set(in.AttrOr("name", ""), in.Text()) })
	for name := range filled {
		values.Set(name, filled.Get(name))
	}
	return v.post(form.AttrOr("action", ""), values)
}

// signIn opens a session of the account.
func (v *visitor) signIn(name string) {
	v.t.Helper()
	res := v.submit(v.get("/admin/sign-in"), "main form", url.Values{"name": {name}, "password": {"correct horse battery"}})
	if res.StatusCode != http.StatusSeeOther {
		v.t.Fatalf("sign in as %s: %s\n%s", name, res.Status, res.body)
	}
}

// csrf is the token of the session's forms.
func (v *visitor) csrf() string {
	v.t.Helper()
	return v.get("/admin").doc(v.t).Find("input[name=csrf]").First().AttrOr("value", "")
}

// spoken is the text of what the selector finds, a space between elements as a
// reader hears them.
func spoken(doc *goquery.Document, selector string) string {
	var words []string
	var read func(int, *goquery.Selection)
	read = func(_ int, n *goquery.Selection) {
		if goquery.NodeName(n) == "#text" {
			words = append(words, n.Text())
		}
		n.Contents().Each(read)
	}
	doc.Find(selector).Each(read)
	return strings.ReplaceAll(squeeze(strings.Join(words, " ")), " ,", ",")
}
