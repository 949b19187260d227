package images_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/images"
	"vivra/app/rehearsal/imagesim"
)

const key = "sk-very-secret"

func serve(t *testing.T, h http.Handler) *images.Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return images.New(images.Config{BaseURL: srv.URL + "/v1/", Key: key, Model: "mark-1", MaxSide: 512})
}

func sim(t *testing.T) (*imagesim.Server, *images.Client) {
	t.Helper()
	s := imagesim.New(imagesim.Options{Now: func() time.Time { return time.Unix(1_800_000_000, 0) }, Seed: 7, Key: key, Models: []string{"mark-1"}})
	return s, serve(t, s)
}

var request = images.Request{Prompt: "a fox in #aa3311 and #ffeedd", Size: "1024x1024", N: 2, Seed: "a"}

func TestGenerate(t *testing.T) {
	t.Parallel()
	server, client := sim(t)
	pictures, model, err := client.Generate(t.Context(), request)
	if err != nil || model != "mark-1" || len(pictures) != 2 {
		t.Fatalf("Generate = %d pictures, %q, %v", len(pictures), model, err)
	}
	for _, p := range pictures {
		img, err := png.Decode(bytes.NewReader(p))
		if err != nil || img.Bounds().Dx() != 512 || img.Bounds().Dy() != 512 {
			t.Fatalf("picture: %v, %v", img.Bounds(), err)
		}
	}
	if bytes.Equal(pictures[0], pictures[1]) {
		t.Error("two pictures of one request are the same")
	}
	again, _, err := client.Generate(t.Context(), request)
	if err != nil || !bytes.Equal(again[0], pictures[0]) {
		t.Errorf("the same request gave another picture (%v)", err)
	}
	if got := server.Requests(); len(got) != 2 || !strings.HasSuffix(got[0].Prompt, "Variation: a") {
		t.Errorf("server saw %+v", got)
	}
}

func TestGenerateNamesTheFault(t *testing.T) {
	t.Parallel()
	server, client := sim(t)
	for _, c := range []struct {
		fault imagesim.Fault
		want  string
	}{
		{imagesim.Fault{Status: 429}, "429: Rate limit"},
		{imagesim.Fault{Status: 502, HTML: "<h1>Bad gateway</h1>"}, "502: a page of HTML"},
		{imagesim.Fault{Status: 200, HTML: "<p>Welcome"}, "200 with a page of HTML"},
		{imagesim.Fault{Status: 500}, "500: The server had an error"},
		{imagesim.Fault{}, "call the image service"},
	} {
		server.Fail(c.fault)
		if _, _, err := client.Generate(t.Context(), request); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.fault, err)
		}
	}
	if len(server.Requests()) != 0 {
		t.Error("a failed request was counted")
	}
}

func TestGenerateRefusesWhatIsNoPicture(t *testing.T) {
	t.Parallel()
	for name, b64 := range map[string]string{"text": "aGVsbG8=", "half a PNG": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAA="} {
		client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"data":[{"b64_json":"` + b64 + `"},{"b64_json":"` + b64 + `"}]}`))
		}))
		if _, _, err := client.Generate(t.Context(), request); app.KindOf(err) != app.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeyStaysOutOfErrors(t *testing.T) {
	t.Parallel()
	client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		w.Write([]byte(`{"error":{"message":"Incorrect API key provided: ` + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + `"}}`))
	}))
	if _, _, err := client.Generate(t.Context(), request); err == nil || strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "401") {
		t.Errorf("error %v", err)
	}
}

// TestFieldsByModel: what a service would refuse is not sent to it, and the
// quality, which decides the price, is never left to the service.
func TestFieldsByModel(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]map[string]any{
		"gpt-image-1": {"quality": "medium", "output_format": "png"},
		"dall-e-2":    {"response_format": "b64_json"},
	} {
		sim := imagesim.New(imagesim.Options{Now: func() time.Time { return time.Unix(1_800_000_000, 0) }, Models: []string{model}, Key: key})
		sent := map[string]any{}
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil || json.Unmarshal(body, &sent) != nil {
				t.Errorf("%s: %s: %v", model, body, err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			sim.ServeHTTP(w, r)
		}))
		defer web.Close()
		client := images.New(images.Config{BaseURL: web.URL + "/v1", Key: key, Model: model})
		if _, _, err := client.Generate(t.Context(), images.Request{Prompt: "a mark", Size: "1024x1024", N: 1}); err != nil {
			t.Errorf("%s: %v", model, err)
		}
		for _, field := range []string{"quality", "output_format", "response_format"} {
			if sent[field] != want[field] {
				t.Errorf("%s: %s is %v, want %v", model, field, sent[field], want[field])
			}
		}
	}
}
