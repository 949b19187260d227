package imagesim

import (
	"encoding/json"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := New(Options{Now: func() time.Time { return time.Unix(0, 0) }, Key: "k"})
	const good = `{"model":"m","prompt":"p","n":1,"size":"1024x1024","response_format":"b64_json"}`
	for _, c := range []struct {
		name, method, path, auth, body string
		status                         int
		code                           string
	}{
		{"good", "POST", "/v1/images/generations", "Bearer k", good, 200, ""},
		{"wrong key", "POST", "/v1/images/generations", "Bearer x", good, 401, "invalid_api_key"},
		{"no key", "POST", "/v1/images/generations", "", good, 401, "invalid_api_key"},
		{"GET", "GET", "/v1/images/generations", "Bearer k", "", 405, "method_not_supported"},
		{"other path", "POST", "/v1/images", "Bearer k", good, 404, ""},
		{"unknown field", "POST", "/v1/images/generations", "Bearer k", strings.Replace(good, `"n"`, `"seed"`, 1), 400, "unknown_parameter"},
		{"no prompt", "POST", "/v1/images/generations", "Bearer k", strings.Replace(good, `"p"`, `""`, 1), 400, "missing_required_parameter"},
		{"odd size", "POST", "/v1/images/generations", "Bearer k", strings.Replace(good, "1024x1024", "10x10", 1), 400, "invalid_value"},
		{"too many", "POST", "/v1/images/generations", "Bearer k", strings.Replace(good, `"n":1`, `"n":11`, 1), 400, "invalid_value"},
		{"by URL", "POST", "/v1/images/generations", "Bearer k", strings.Replace(good, "b64_json", "url", 1), 400, "invalid_value"},
		{"not JSON", "POST", "/v1/images/generations", "Bearer k", "n=1", 400, "invalid_json"},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		r.Header.Set("Content-Type", "application/json")
		if c.auth != "" {
			r.Header.Set("Authorization", c.auth)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		var e struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
			t.Fatal(c.name, err)
		}
		if w.Code != c.status || e.Error.Code != c.code {
			t.Errorf("%s: %d %+v", c.name, w.Code, e)
		}
	}
}

// TestMarksDiffer compares the marks of many seeds, reduced to 16×16 cells.
func TestMarksDiffer(t *testing.T) {
	t.Parallel()
	const n = 24
	var marks [n]*image.RGBA
	for i := range marks {
		marks[i] = Draw(fmt.Sprint("mark ", i), nil)
		if share := painted(marks[i]); share < .15 || share > .95 {
			t.Errorf("mark %d covers %.0f %% of its square", i, 100*share)
		}
		if _, _, _, a := marks[i].At(0, 0).RGBA(); a != 0 {
			t.Errorf("mark %d has no transparent corner", i)
		}
		for j := range i {
			if d := distance(marks[i], marks[j]); d < 10 {
				t.Errorf("marks %d and %d look alike: %.1f", i, j, d)
			}
		}
	}
}

// painted is the share of pixels that are not transparent.
func painted(img *image.RGBA) float64 {
	n := 0
	for i := 3; i < len(img.Pix); i += 4 {
		if img.Pix[i] > 0 {
			n++
		}
	}
	return float64(n) / (side * side)
}

func distance(a, b *image.RGBA) float64 {
	sum := 0.0
	for y := 32; y < side; y += 64 {
		for x := 32; x < side; x += 64 {
			p, q := a.RGBAAt(x, y), b.RGBAAt(x, y)
			for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B), int(p.A) - int(q.A)} {
				sum += float64(max(d, -d))
			}
		}
	}
	return sum / (16 * 16 * 4)
}

func TestCloseFault(t *testing.T) {
	t.Parallel()
	s := New(Options{Now: func() time.Time { return time.Unix(0, 0) }})
	srv := httptest.NewServer(s)
	defer srv.Close()
	s.Fail(Fault{})
	r, _ := http.NewRequest("POST", srv.URL+"/v1/images/generations", strings.NewReader("{}"))
	r.Header.Set("Authorization", "Bearer k")
	if res, err := srv.Client().Do(r); err == nil {
		res.Body.Close()
		t.Error("the connection stayed open")
	}
}
