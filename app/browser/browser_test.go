package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vivra/app"
)

var shared *Browser

func TestMain(m *testing.M) {
	shared = New(Config{})
	code := m.Run()
	shared.Close()
	os.Exit(code)
}

func draw(t *testing.T, b *Browser, html string, w, h int) image.Image {
	t.Helper()
	raw, err := b.Render(t.Context(), html, w, h)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestRenderIsExact(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{1500, 500}, {1200, 630}, {400, 400}, {64, 64}, {1600, 1200}} {
		img := draw(t, shared, `<body style="margin:0;background:#102030"><i style="position:fixed;right:0;bottom:0;width:10px;height:10px;background:#fff"></i>`, size.X, size.Y)
		if img.Bounds().Size() != size {
			t.Errorf("size %v, want %v", img.Bounds().Size(), size)
		}
		if got := fmt.Sprint(img.At(0, 0)); got != "{16 32 48 255}" {
			t.Errorf("corner is %s", got)
		}
		if r, _, _, _ := img.At(size.X-1, size.Y-1).RGBA(); r != 0xffff {
			t.Errorf("last pixel of %v is not white", size)
		}
	}
}

func TestRenderIsTransparentWhereNothingIsPainted(t *testing.T) {
	t.Parallel()
	if _, _, _, a := draw(t, shared, `<p>x</p>`, 100, 100).At(99, 99).RGBA(); a != 0 {
		t.Errorf("alpha %d, want 0", a)
	}
}

func TestRenderSameBytes(t *testing.T) {
	t.Parallel()
	const html = `<body style="background:#eee;font:700 40px sans-serif">Vivra 你好 🦊`
	a, err := shared.Render(t.Context(), html, 400, 200)
	if err != nil {
		t.Fatal(err)
	}
	b, err := shared.Render(t.Context(), html, 400, 200)
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("two renders differ (%v)", err)
	}
}

func TestPageReachesNoNetwork(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer srv.Close()
	out, err := shared.Run(t.Context(), `<link rel=stylesheet href="`+srv.URL+`/c"><iframe src="`+srv.URL+`/i"></iframe>`,
		fmt.Sprintf(`Promise.allSettled([fetch(%q), fetch(%q, {mode:"no-cors"}), new Promise((ok, no) => {
			const s = new WebSocket(%q); s.onopen = ok; s.onerror = no })]).then(r => r.map(x => x.status).join())`,
			srv.URL, "http://169.254.169.254/", strings.Replace(srv.URL, "http", "ws", 1)))
	if err != nil || string(out) != `"rejected,rejected,rejected"` {
		t.Errorf("Run = %s, %v", out, err)
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the page reached the network %d times", n)
	}
}

func TestPageRefuses(t *testing.T) {
	t.Parallel()
	_, err := shared.Render(t.Context(), `<html data-refused="name is too long.">`, 10, 10)
	if app.KindOf(err) != app.Invalid || err.Error() != "name is too long." {
		t.Errorf("Render = %v", err)
	}
}

func TestRunKeepsNothingOfTheLastPage(t *testing.T) {
	t.Parallel()
	b := New(Config{MaxPages: 1})
	defer b.Close()
	if _, err := b.Run(t.Context(), `<p>`, `window.left = 1`); err != nil {
		t.Fatal(err)
	}
	out, err := b.Run(t.Context(), `<p>`, `typeof window.left`)
	if err != nil || string(out) != `"undefined"` {
		t.Errorf("Run = %s, %v", out, err)
	}
}

func TestRunReportsFaults(t *testing.T) {
	t.Parallel()
	if _, err := shared.Run(t.Context(), `<p>`, `Promise.reject(new Error("quiz is empty"))`); err == nil || !strings.Contains(err.Error(), "quiz is empty") {
		t.Errorf("Run = %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := shared.Run(ctx, `<p>`, `(() => { for (;;); })()`); err == nil {
		t.Error("an endless script ended")
	}
	draw(t, shared, `<p>still here`, 50, 50)
}

func TestChromiumDiesInTheMiddle(t *testing.T) {
	t.Parallel()
	b := New(Config{})
	defer b.Close()
	draw(t, b, `<p>before`, 50, 50)
	b.mu.Lock()
	first := b.engine.launcher.PID()
	b.engine.launcher.Kill()
	b.mu.Unlock()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() { draw(t, b, `<p>after`, 50, 50) })
	}
	wg.Wait()
	if b.engine.launcher.PID() == first {
		t.Error("the old Chromium is still in use")
	}
}

func TestClosedAndMissing(t *testing.T) {
	t.Parallel()
	b := New(Config{})
	b.Close()
	if _, err := b.Render(t.Context(), "", 1, 1); app.KindOf(err) != app.Unavailable {
		t.Errorf("closed: %v", err)
	}
	if _, err := New(Config{Bin: "/nowhere/chromium"}).Render(t.Context(), "", 1, 1); app.KindOf(err) != app.Unavailable {
		t.Errorf("missing: %v", err)
	}
}

func BenchmarkRender(b *testing.B) {
	for _, size := range []image.Point{{400, 400}, {1080, 1080}, {1500, 500}, {1600, 1200}} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				if _, err := shared.Render(b.Context(), `<body style="background:#123;color:#fff;font:700 90px sans-serif">Flat design`, size.X, size.Y); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
