package web_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/web"
)

const token = "/api/v1/tokens/4663/" + official + "/"

func (p page) json(t *testing.T) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.body), &v); err != nil {
		t.Fatalf("%v: %.200s", err, p.body)
	}
	return v
}

func (v *visitor) with(method, path, header, value string) page {
	v.t.Helper()
	req, err := http.NewRequest(method, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set(header, value)
	return v.do(req)
}

// TestWhatSitesAskOfAToken: figures with their age and source, for any site, once
// while they stay the same.
func TestWhatSitesAskOfAToken(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	for name, want := range map[string]map[string]any{
		"market":  {"source": "dexscreener", "holders": 1361.0, "age_seconds": 112800.0, "at": "2026-12-06T08:00:00Z", "liquidity_usd": 2940.0},
		"holders": {"source": "chain", "count": 1361.0, "never_sold": 812.0, "top10_share": 0.22, "block": 91.0},
		"burned":  {"source": "chain", "burned": 41e6, "supply": 1e9, "share": 0.041, "block": 91.0},
		"chart":   {"source": "daily metrics", "at": "2026-12-06T08:00:00Z"},
	} {
		res := v.get(token + name)
		got := res.json(t)
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s says that %s is %v, want %v", name, key, got[key], value)
			}
		}
		if res.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(res.Header.Get("Cache-Control"), "public") || strings.Contains(res.body, "script") {
			t.Errorf("%s answers %v %s", name, res.Header, res.body)
		}
		if again := v.with(http.MethodGet, token+name, "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified || again.body != "" {
			t.Errorf("%s, asked again with the tag, answers %s", name, again.Status)
		}
		if asked := v.with(http.MethodOptions, token+name, "Access-Control-Request-Headers", "if-none-match"); asked.StatusCode != http.StatusNoContent || !strings.Contains(asked.Header.Get("Access-Control-Allow-Headers"), "If-None-Match") {
			t.Errorf("a browser that asks before it asks %s is answered %s", name, asked.Status)
		}
	}
	if points := v.get(token + "chart?days=3").json(t)["points"].([]any); len(points) != 2 || points[1].(map[string]any)["holders"] != 1361.0 {
		t.Errorf("three days are %v", points)
	}
	if points := v.get(token + "chart").json(t)["points"].([]any); len(points) != 12 {
		t.Errorf("all days are %d", len(points))
	}
}

// TestWhatSitesCantAsk: each with a sentence, in JSON that any site can read.
func TestWhatSitesCantAsk(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	wrong := strings.Replace(official, "dBED", "DbED", 1)
	for bad, want := range map[string]int{
		"/api/v1/tokens/x/" + official + "/market": 422, "/api/v1/tokens/0/" + official + "/market": 422, "/api/v1/tokens/4663/0x12/market": 422, "/api/v1/tokens/4663/" + wrong + "/burned": 422,
		"/api/v1/tokens/4663/" + other + "/holders": 404, "/api/v1/tokens/4663/" + other + "/chart": 404, "/api/v1/nothing": 404,
		"/api/v1/operations/none/log": 404, "/api/v1/operations/dodo/log?after=-1": 422, "/api/v1/operations/dodo/log?limit=501": 422, "/api/v1/operations/dodo/log?limit=": 200, token + "chart?days=0": 422, token + "chart?days=366": 422, token + "chart?days=x": 422, "/api/v1/operations/none": 404,
	} {
		if res := v.get(bad); res.StatusCode != want || want != 200 && res.json(t)["error"] == "" || res.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s answers %s %s", bad, res.Status, res.body)
		}
	}
	for _, same := range []string{strings.ToLower(official), "0x" + strings.ToUpper(official[2:])} {
		if res := v.get("/api/v1/tokens/4663/" + same + "/market"); res.StatusCode != http.StatusOK {
			t.Errorf("%s answers %s", same, res.Status)
		}
	}
}

// TestWhoAsksTooMuch is told so, alone, and may go on a little later.
func TestWhoAsksTooMuch(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	v := c.visitor("203.0.113.7")
	var last page
	for range 61 {
		last = v.get("/api/v1/openapi.json")
	}
	if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" || last.json(t)["error"] == "" || last.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("the last of 61 answers %s %s", last.Status, last.body)
	}
	for path, want := range map[string]int{"/api/v1/operations/none": 429, "/api/v1/operations/none/live": 404, "/": 200} {
		if res := v.get(path); res.StatusCode != want {
			t.Errorf("%s then answers %s", path, res.Status)
		}
	}
	if res := c.visitor("203.0.113.8").get("/api/v1/openapi.json"); res.StatusCode != http.StatusOK {
		t.Errorf("another address is held up: %s", res.Status)
	}
	c.later(time.Second)
	if res := v.get("/api/v1/openapi.json"); res.StatusCode != http.StatusOK {
		t.Errorf("a second later: %s", res.Status)
	}
}

// TestTheAPIIsAsItsDocumentSays: each route is in the document, and what it
// answers is what its schema says, no more and no less.
func TestTheAPIIsAsItsDocumentSays(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	document := v.get("/api/v1/openapi.json").json(t)
	described := document["paths"].(map[string]any)
	for _, r := range routes(func(r web.Route) bool { return strings.HasPrefix(r.Path, "/api/") }) {
		parts := strings.Split(r.Path, "/")
		for i, p := range parts {
			if strings.HasPrefix(p, ":") {
				parts[i] = "{" + p[1:] + "}"
			}
		}
		at := strings.Join(parts, "/")
		entry, ok := described[at].(map[string]any)
		if !ok {
			t.Errorf("%s is not in the document", at)
			continue
		}
		delete(described, at)
		content := dig(entry, "get", "responses", "200", "content")
		if strings.HasSuffix(at, "/live") {
			continue
		}
		schema := dig(content, "application/json", "schema")
		fits(t, document, at, schema, v.get(exhibited(r.Path)).json(t))
	}
	for at := range described {
		t.Errorf("%s is described and is not there", at)
	}
}

func dig(v map[string]any, path ...string) map[string]any {
	for _, key := range path {
		v, _ = v[key].(map[string]any)
	}
	return v
}

func fits(t *testing.T, document map[string]any, at string, schema map[string]any, value any) {
	t.Helper()
	if ref, ok := schema["$ref"].(string); ok {
		schema = dig(document, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	types, _ := schema["type"].([]any)
	if one, ok := schema["type"].(string); ok {
		types = []any{one}
	}
	is := map[reflect.Kind]string{reflect.String: "string", reflect.Float64: "number", reflect.Map: "object", reflect.Slice: "array", reflect.Invalid: "null"}[reflect.ValueOf(value).Kind()]
	if n, whole := value.(float64); whole && n == float64(int64(n)) && slices.Contains(types, any("integer")) {
		is = "integer"
	}
	if !slices.Contains(types, any(is)) {
		t.Errorf("%s is %s, the document says %v", at, is, types)
	}
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			fits(t, document, at+"[]", dig(schema, "items"), one)
		}
	case map[string]any:
		properties := dig(schema, "properties")
		for key, one := range v {
			if properties == nil {
				break
			}
			if properties[key] == nil {
				t.Errorf("%s has %s, of which the document says nothing", at, key)
				continue
			}
			fits(t, document, at+"."+key, dig(properties, key), one)
		}
		required, _ := schema["required"].([]any)
		for _, key := range required {
			if _, ok := v[key.(string)]; !ok {
				t.Errorf("%s lacks %s", at, key)
			}
		}
	}
}

// TestReadingsOfATokenAreKept: what the scanner reads anyway is what sites are
// told, the newest of it.
func TestReadingsOfATokenAreKept(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := newVisitor(t, h.url)
	at := "/api/v1/tokens/4663/" + official + "/"
	for _, name := range []string{"market", "holders", "burned", "chart"} {
		if res := v.get(at + name); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s of what nobody has read answers %s", name, res.Status)
		}
	}
	keep := func(kind app.ReadingKind, reading any, when time.Time) {
		h.must(h.app.Store.KeepTokenReading(t.Context(), h.op.Token.ID, kind, reading, when))
	}
	keep(app.ReadingMarket, app.Market{PriceUSD: 2, Source: "geckoterminal"}, h.now)
	if got := v.get(at + "market").json(t); got["price_usd"] != 2.0 || got["holders"] != nil {
		t.Errorf("without a count of holders it says %v", got)
	}
	keep(app.ReadingHolders, app.Holders{Count: 7}, h.now)
	keep(app.ReadingHolders, app.Holders{Count: 5}, h.now.Add(-time.Hour))
	if got := v.get(at + "holders").json(t); got["count"] != 7.0 {
		t.Errorf("what came late took the newer one's place: %v", got)
	}
	keep(app.ReadingFacts, app.TokenFacts{}, h.now)
	if got := v.get(at + "burned").json(t); got["share"] != nil {
		t.Errorf("a share of nothing is %v", got["share"])
	}
}

// TestTheLogForPrograms: page after page, every row once and in order, and the
// rows are what the export has.
func TestTheLogForPrograms(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	var rows []string
	pages := 0
	for at := "/api/v1/operations/dodo/log?limit=90"; at != ""; pages++ {
		var got struct {
			Rows []json.RawMessage
			Next string
		}
		res := v.get(at)
		if err := json.Unmarshal([]byte(res.body), &got); err != nil || res.Header.Get("ETag") == "" {
			t.Fatal(err, res.Header)
		}
		for _, r := range got.Rows {
			rows = append(rows, string(r))
		}
		at = strings.TrimPrefix(got.Next, "http://vivra.test")
	}
	exported := strings.Split(strings.TrimSpace(v.get("/operations/dodo/log.jsonl").body), "\n")
	if pages != (len(x.events)+89)/90 || !slices.Equal(rows, exported) {
		t.Errorf("%d pages have %d rows, the export has %d", pages, len(rows), len(exported))
	}
}
