package web_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"vivra/app"
)

// TestAPreReport says first what the checks come to, then each of them with its
// rule, and never takes what is not known for good.
func TestAPreReport(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	res := v.get("/candidates/4663/" + official)
	said := spoken(res.doc(t), "main")
	for _, want := range []string{"no-go by the checks", "1 check forbids a takeover: harmful functions an owner can still call (mint)", "Dodo Coin", official, "The takeover goes on now, live",
		"warns above 30 %, blocks above 50 %", "34.0 %", "It is dead by the rule", "unknown", "812", "/ 100"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if n := res.doc(t).Find("#checks").Parent().Find("li").Length(); n != 9 {
		t.Errorf("it has %d checks", n)
	}
	for _, same := range []string{strings.ToLower(official), "0x" + strings.ToUpper(official[2:])} {
		if res := v.get("/candidates/4663/" + same); res.StatusCode != http.StatusMovedPermanently || res.Header.Get("Location") != "/candidates/4663/"+official {
			t.Errorf("%s leads to %s", same, res.Header.Get("Location"))
		}
	}
	for _, none := range []string{"/candidates/4663/0x12", "/candidates/x/" + official, "/candidates/4663/" + other, "/candidates/4663/" + strings.Replace(official, "dBED", "DbED", 1), "/candidates?state=dead", "/operations/none/card.png"} {
		if res := v.get(none); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s answers %s", none, res.Status)
		}
	}
	if said := spoken(v.get("/candidates/4663/0x0100000000000000000000000000000000000000").doc(t), "main"); !strings.Contains(said, "Only the score") {
		t.Errorf("without a report it says %s", said)
	}
}

// TestPagesThatAreToBeFound: each names itself, has a picture, is kept by caches
// for a moment and is on the map.
func TestPagesThatAreToBeFound(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	var urls struct {
		At []string `xml:"url>loc"`
	}
	if err := xml.Unmarshal([]byte(v.get("/sitemap.xml").body), &urls); err != nil {
		t.Fatal(err)
	}
	at := map[string]bool{}
	for _, one := range urls.At {
		path := strings.TrimPrefix(one, "http://vivra.test")
		at[path] = true
		res := v.get(path)
		doc := res.doc(t)
		if listedOnly := strings.Contains(path, "/candidates/1/") || path != "/operations/dodo" && strings.HasPrefix(path, "/operations/"); listedOnly {
			continue
		}
		canonical, _ := doc.Find("link[rel=canonical]").Attr("href")
		picture, _ := doc.Find(`meta[property="og:image"]`).Attr("content")
		if canonical != one || res.StatusCode != http.StatusOK || !strings.Contains(res.Header.Get("Cache-Control"), "stale-while-revalidate") || res.Header.Get("ETag") == "" {
			t.Errorf("%s answers %s, names itself %s, %v", path, res.Status, canonical, res.Header)
		}
		if image := v.get(strings.TrimPrefix(picture, "http://vivra.test")); image.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%s has the picture %s: %s", path, picture, image.Status)
		}
		if again := v.with(http.MethodGet, path, "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s, asked again, answers %s", path, again.Status)
		}
	}
	for _, path := range []string{"/", "/candidates", "/operations/dodo", "/candidates/4663/" + official} {
		if !at[path] {
			t.Errorf("%s is not on the map", path)
		}
	}
	if robots := v.get("/robots.txt").body; !strings.Contains(robots, "Sitemap: http://vivra.test/sitemap.xml\n") || !strings.Contains(robots, "Disallow: /admin\n") {
		t.Errorf("robots are told %q", robots)
	}
}

// easel is a painter that counts, and fails when told to.
type easel struct {
	mu    sync.Mutex
	drawn []string
	fails bool
}

func (e *easel) Render(_ context.Context, html string, _, _ int) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drawn = append(e.drawn, html)
	if e.fails {
		return nil, errors.New("no browser")
	}
	return []byte("\x89PNG " + html), nil
}

// TestACardIsDrawnOnce for each state, however many ask, and its lack is no fault.
func TestACardIsDrawnOnce(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.op.Token.Name = hostile
	e := &easel{fails: true}
	site := x.site(t)
	site.Painter = e
	server := httptest.NewServer(site.Handler())
	t.Cleanup(server.Close)
	get := func() page { return newVisitor(t, server.URL).get("/operations/dodo/card.png") }
	if res := get(); res.StatusCode != http.StatusOK {
		t.Errorf("without a browser it answers %s", res.Status)
	} else if _, err := png.Decode(bytes.NewReader([]byte(res.body))); err != nil {
		t.Errorf("without a browser it is no picture: %v", err)
	}
	e.fails = false
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() { get() })
	}
	wg.Wait()
	if res := get(); len(e.drawn) != 2 || !strings.Contains(res.body, "day 9 of 30") || strings.Contains(res.body, "<script") {
		t.Errorf("it was drawn %d times: %s", len(e.drawn), res.body)
	}
	x.mu.Lock()
	x.op.State = app.OperationPaused
	x.mu.Unlock()
	get()
	if len(e.drawn) != 2 {
		t.Errorf("it was drawn anew within five minutes")
	}
}
