package rehearsal

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// person uses the site as one of the team does: pages, forms, a session.
type person struct {
	base string
	http *http.Client
}

func newPerson(base string) *person {
	jar, _ := cookiejar.New(nil) // without options it can't fail
	return &person{base, &http.Client{Jar: jar, Timeout: 30 * time.Second}}
}

func (p *person) get(ctx context.Context, path string) (*goquery.Document, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+path, nil)
	if err != nil {
		return nil, err
	}
	return p.read(req)
}

func (p *person) read(req *http.Request) (*goquery.Document, error) {
	res, err := p.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	doc, err := goquery.NewDocumentFromReader(io.LimitReader(res.Body, 8<<20))
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= http.StatusBadRequest {
		said := doc.Find("main [role=alert]")
		if said.Length() == 0 {
			said = doc.Find("main")
		}
		return doc, fmt.Errorf("%s %s: %s: %s", req.Method, req.URL.Path, res.Status, strings.Join(strings.Fields(said.Text()), " "))
	}
	return doc, nil
}

// submit opens a page, fills in the form that posts to action and sends it as a
// browser would. A list of values ticks those of the boxes.
func (p *person) submit(ctx context.Context, page, action string, filled url.Values) (*goquery.Document, error) {
	doc, err := p.get(ctx, page)
	if err != nil {
		return nil, err
	}
	form := doc.Find(fmt.Sprintf("form[action=%q]", action))
	if form.Length() == 0 {
		return doc, fmt.Errorf("%s has no form that posts to %s", page, action)
	}
	values := entered(form)
	maps.Copy(values, filled)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+action, strings.NewReader(values.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return p.read(req)
}

// entered is what a form holds as it came, with what it insists on ticked.
func entered(form *goquery.Selection) url.Values {
	values := url.Values{}
	form.Find("input[name], textarea[name], select[name]").Each(func(_ int, s *goquery.Selection) {
		value := s.AttrOr("value", "")
		switch kind := s.AttrOr("type", ""); {
		case goquery.NodeName(s) == "textarea":
			value = s.Text()
		case goquery.NodeName(s) == "select":
			value = s.Find("option[selected]").AttrOr("value", s.Find("option").AttrOr("value", ""))
		case (kind == "checkbox" || kind == "radio") && !s.Is("[checked], [type=checkbox][required]"):
			return
		}
		values.Add(s.AttrOr("name", ""), value)
	})
	return values
}
