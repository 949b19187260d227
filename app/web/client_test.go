package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"

	"vivra/app/internal/testbrowser"
	"vivra/static"
)

func TestSizes(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{"live.js": 6_000, "page.js": 3_000, "admin.js": 2_500} {
		content, err := static.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(content)
		_ = w.Close()
		if packed.Len() > most {
			t.Errorf("%s takes %d bytes packed, at most %d are allowed", name, packed.Len(), most)
		}
	}
	css, err := static.Files.ReadFile("vivra.css")
	if err != nil || len(css) > 30_000 {
		t.Errorf("vivra.css has %d bytes (%v), at most 30,000 are allowed", len(css), err)
	}
}

// clientSite serves one page with live.js under the product's policy.
type clientSite struct {
	*httptest.Server
	mu    sync.Mutex
	calls []string // method, path and what mattered of each request
}

// newClientSite serves the page with our client, or with the one in a file.
func newClientSite(t *testing.T, client, body string, handle func(s *clientSite, w http.ResponseWriter, r *http.Request)) *clientSite {
	t.Helper()
	s := &clientSite{}
	mux := http.NewServeMux()
	policy := "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
	if client != "" {
		policy = strings.Replace(policy, "script-src 'self'", "script-src 'self' 'unsafe-eval'", 1)
		mux.HandleFunc("GET /static/live.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, client) })
	}
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(static.Files)))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>page</title><link rel="icon" href="data:,"><script type="module" src="/static/live.js"></script><body>%s</body>`, body)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		s.note(r.Method + " " + r.URL.Path + " " + r.Header.Get("Last-Event-ID") + r.PostForm.Get("word"))
		handle(s, w, r)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// byEachClient tells what any client must do by ours, and by the official one
// where VIVRA_CLIENT_JS names its file.
func byEachClient(t *testing.T, story func(t *testing.T, client string)) {
	t.Helper()
	t.Run("ours", func(t *testing.T) {
		t.Parallel()
		story(t, "")
	})
	t.Run("official", func(t *testing.T) {
		t.Parallel()
		client := os.Getenv("VIVRA_CLIENT_JS")
		if client == "" {
			t.Skip("VIVRA_CLIENT_JS names no file: let it name Datastar's client of the v1 line, which no package registry has")
		}
		story(t, client)
	})
}

func (s *clientSite) note(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, strings.TrimSpace(call))
}

func (s *clientSite) count(call string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c == call {
			n++
		}
	}
	return n
}

// until waits for a condition of the server.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for tick, late := time.NewTicker(20*time.Millisecond), time.After(20*time.Second); ; {
		if holds() {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func openClient(t *testing.T, s *clientSite) *rod.Page {
	t.Helper()
	page := testbrowser.Page(t)
	page.MustNavigate(s.URL + "/").MustWaitLoad()
	return page
}

func sse(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprint(w, e, "\n\n")
	}
	_ = http.NewResponseController(w).Flush()
}

func patch(lines ...string) string {
	return "event: datastar-patch-elements\ndata: " + strings.Join(lines, "\ndata: ")
}

// wait blocks until the page's script says yes. A page that is being left gives
// no answer, and the one that comes is asked again.
func wait(t *testing.T, page *rod.Page, js string) {
	t.Helper()
	err := page.Wait(rod.Eval("() => !!(" + js + ")"))
	for left := (*cdp.Error)(nil); errors.As(err, &left); {
		err = page.Wait(rod.Eval("() => !!(" + js + ")"))
	}
	if err != nil {
		t.Fatalf("waited in vain for %s: %v", js, err)
	}
}

func TestPatchModes(t *testing.T) {
	t.Parallel()
	byEachClient(t, func(t *testing.T, client string) {
		s := newClientSite(t, client, `<div data-init="@get('/live')"></div>
		<div id="outer"><input id="kept" value="server"></div><div id="inner">old</div><ul id="list"><li>b</li></ul>
		<details id="fold" data-preserve-attr="open"><summary>s</summary></details>
		<p id="gone">x</p><p id="swap">x</p><b data-text="$name"></b><i id="shown" data-show="$on">i</i><u id="styled" data-class:hot="$on">u</u>`,
			func(_ *clientSite, w http.ResponseWriter, r *http.Request) {
				sse(w,
					patch(`elements <div id="outer" class="new"><input id="kept" value="server"><em>two`, `elements lines</em></div>`),
					patch("selector #inner", "mode inner", "elements <i>new</i>"),
					patch("selector #list", "mode append", "elements <li>c</li><li>d</li>"),
					patch("selector #list", "mode prepend", "elements <li>a</li>"),
					patch("selector #list", "mode before", `elements <hr id="before">`),
					patch("selector #list", "mode after", `elements <hr id="after">`),
					patch("selector #gone", "mode remove"),
					patch("selector #swap", "mode replace", `elements <p id="swapped">y</p>`),
					patch(`elements <details id="fold" data-preserve-attr="open"><summary>new</summary></details>`),
					patch(`elements <p id="nowhere">no element has this id</p>`),
					"event: datastar-patch-signals\ndata: signals {\"name\": \"Dodo <b>\", \"on\": false, \"__proto__\": {\"polluted\": true}}",
					"event: datastar-patch-signals\ndata: onlyIfMissing true\ndata: signals {\"name\": \"late\", \"on\": true}",
					"event: something-else\ndata: ignored",
					": a comment",
				)
				<-r.Context().Done()
			})
		page := openClient(t, s)
		wait(t, page, `document.querySelector("b").textContent === "Dodo <b>"`)
		got := page.MustEval(`() => [
		document.querySelector("#outer").className, document.querySelector("#outer em").textContent,
		document.querySelector("#inner").innerHTML, document.querySelector("#list").textContent,
		!!document.querySelector("#before + #list + #after"), document.querySelector("#gone"), !!document.querySelector("#swapped"),
		document.querySelector("#fold summary").textContent, document.querySelector("#nowhere"), ({}).polluted ?? null,
		document.querySelector("#shown").style.display, document.querySelector("#styled").classList.contains("hot"),
	].join("|")`).Str()
		want := "new|two\nlines|<i>new</i>|abcd|true||true|new|||none|false"
		if got != want {
			t.Errorf("the page shows\n%q, want\n%q", got, want)
		}
	})
}

// unusual are all characters that something may take for the end of a line or of
// a text, but the one that no text in the database holds.
var unusual = func() string {
	all := []rune("\u2028\u2029\ufeff\u202e\ufffd")
	for r := rune(1); r < 0xa0; r++ {
		if unicode.IsControl(r) {
			all = append(all, r)
		}
	}
	return string(all)
}()

// TestNoCharacterEndsALine of a stream, but those that do by the standard.
func TestNoCharacterEndsALine(t *testing.T) {
	t.Parallel()
	byEachClient(t, func(t *testing.T, client string) {
		s := newClientSite(t, client, `<div data-init="@get('/live')"></div><ol id="lines"></ol><b data-text="$name"></b>`, func(_ *clientSite, w http.ResponseWriter, r *http.Request) {
			n := 0
			for _, c := range unusual {
				if c != '\n' && c != '\r' {
					n++
					sse(w, patch("selector #lines", "mode append", "elements <li>"+string(c)+"whole</li>"))
				}
			}
			name, _ := json.Marshal(unusual)
			sse(w, fmt.Sprintf("event: datastar-patch-signals\ndata: signals {\"name\": %s, \"count\": %d}", name, n), patch("selector #lines", "mode after", fmt.Sprintf(`elements <p id="sent">%d</p>`, n)))
			<-r.Context().Done()
		})
		page := openClient(t, s)
		wait(t, page, `document.querySelector("#sent")`)
		if got := page.MustEval(`() => [...document.querySelectorAll("#lines li")].filter((li) => li.textContent.endsWith("whole")).length + " " + document.querySelector("b").textContent.length`).Str(); got != page.MustElement("#sent").MustText()+" "+fmt.Sprint(len([]rune(unusual))) {
			t.Errorf("%s lines and characters arrive, want %s and %d", got, page.MustElement("#sent").MustText(), len([]rune(unusual)))
		}
	})
}

func TestFoldsAndTypedTextSurviveAPatch(t *testing.T) {
	t.Parallel()
	byEachClient(t, func(t *testing.T, client string) {
		release := make(chan struct{})
		s := newClientSite(t, client, `<div data-init="@get('/live')"></div><section id="part"><details id="fold" data-preserve-attr="open"><summary>s</summary></details><input id="word"></section>`,
			func(_ *clientSite, w http.ResponseWriter, r *http.Request) {
				sse(w, ": open")
				select {
				case <-release:
				case <-r.Context().Done():
					return
				}
				sse(w, patch(`elements <section id="part"><details id="fold" data-preserve-attr="open"><summary>s</summary></details><input id="word"><b id="done"></b></section>`))
				<-r.Context().Done()
			})
		page := openClient(t, s)
		page.MustElement("#fold summary").MustClick()
		page.MustElement("#word").MustInput("half a sen")
		close(release)
		page.MustElement("#done")
		if !page.MustEval(`() => document.querySelector("#fold").open && document.querySelector("#word").value === "half a sen"`).Bool() {
			t.Error("a patch closed what the reader had opened, or took what was typed")
		}
	})
}

func TestReconnectsAfterACleanEndAndAReset(t *testing.T) {
	t.Parallel()
	shown := make(chan struct{}) // a reset may take with it what was not read yet
	s := newClientSite(t, "", `<div data-init="@get('/live')"></div><span data-connection="off"></span><ol id="lines"></ol>`,
		func(s *clientSite, w http.ResponseWriter, r *http.Request) {
			switch last := r.Header.Get("Last-Event-ID"); last {
			case "":
				sse(w, "id: 1\nevent: datastar-patch-elements\ndata: selector #lines\ndata: mode append\ndata: elements <li>1</li>")
				fmt.Fprint(w, "id: 9\nevent: datastar-patch-elements\n") // then a clean end, in mid-event: 9 was never received
			case "1":
				sse(w, "id: 2\nevent: datastar-patch-elements\ndata: selector #lines\ndata: mode append\ndata: elements <li>2</li>")
				select {
				case <-shown:
				case <-r.Context().Done():
				}
				panic(http.ErrAbortHandler) // a reset
			case "2":
				if s.count("GET /live 2") == 1 {
					http.Error(w, "busy", http.StatusServiceUnavailable)
					return
				}
				sse(w, "id: 3\nevent: datastar-patch-elements\ndata: selector #lines\ndata: mode append\ndata: elements <li>3</li>")
				<-r.Context().Done()
			}
		})
	page := openClient(t, s)
	wait(t, page, `document.querySelector("#lines").textContent === "12"`)
	close(shown)
	wait(t, page, `document.querySelector("#lines").textContent === "123"`)
	wait(t, page, `document.querySelector("[data-connection]").textContent === "live"`)
}

func TestSaysWhenItIsStale(t *testing.T) {
	t.Parallel()
	s := newClientSite(t, "", `<div data-init="@get('/live')"></div><span data-connection="off"></span>`,
		func(s *clientSite, w http.ResponseWriter, r *http.Request) {
			if s.count("GET /live") == 1 {
				sse(w, ": open")
				return
			}
			http.Error(w, "down", http.StatusServiceUnavailable)
		})
	page := openClient(t, s)
	wait(t, page, `/^stale since \d/.test(document.querySelector("[data-connection]").textContent)`)
	until(t, "several tries", func() bool { return s.count("GET /live") >= 3 })
}

func TestAHiddenTabHoldsNoStream(t *testing.T) {
	t.Parallel()
	left := make(chan struct{}, 8)
	s := newClientSite(t, "", `<div data-init="@get('/live')"></div><span data-connection="off"></span>`,
		func(_ *clientSite, w http.ResponseWriter, r *http.Request) {
			sse(w, "id: 7\nevent: datastar-patch-signals\ndata: signals {}")
			<-r.Context().Done()
			left <- struct{}{}
		})
	page := openClient(t, s)
	wait(t, page, `document.querySelector("[data-connection]").textContent === "live"`)
	visibility := func(hidden bool) {
		page.MustEval(`(hidden) => { Object.defineProperty(document, "hidden", { value: hidden, configurable: true }); document.dispatchEvent(new Event("visibilitychange")) }`, hidden)
	}
	visibility(true)
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Fatal("the stream stayed open in a hidden tab")
	}
	if n := s.count("GET /live 7"); n != 0 {
		t.Fatalf("the hidden tab connected again, %d times", n)
	}
	visibility(false)
	until(t, "the stream to resume from row 7", func() bool { return s.count("GET /live 7") == 1 })
}

func TestActions(t *testing.T) {
	t.Parallel()
	byEachClient(t, func(t *testing.T, client string) {
		s := newClientSite(t, client, `<button id="get" data-on:click="@get('/got')">g</button>
		<form id="form"><input name="word" value="yes"><button id="post" data-on:click__prevent="@post('/posted', {contentType: 'form'})">p</button></form>
		<form id="sent" data-on:submit="@post('/submitted', {contentType: 'form'})"><input name="word" value="sub"><button id="submit">s</button></form>
		<input id="key" data-on:keydown="@post('/pressed')"><input id="bound" data-bind="typed"><b id="echo" data-text="$typed"></b>
		<p id="result"></p>`,
			func(_ *clientSite, w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/got" {
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprint(w, `<p id="result">fragment</p>`)
					return
				}
				w.WriteHeader(http.StatusNoContent)
			})
		page := openClient(t, s)
		page.MustElement("#get").MustClick()
		wait(t, page, `document.querySelector("#result").textContent === "fragment"`)
		page.MustElement("#post").MustClick()
		page.MustElement("#submit").MustClick()
		page.MustElement("#key").MustInput("k")
		page.MustElement("#key").MustType('k')
		page.MustElement("#bound").MustInput("hello")
		wait(t, page, `document.querySelector("#echo").textContent === "hello"`)
		for _, call := range []string{"GET /got", "POST /posted yes", "POST /submitted sub", "POST /pressed"} {
			until(t, call, func() bool { return s.count(call) == 1 })
		}
	})
}

// refused is for a page where the policy has something to refuse: what it
// refused is told and does not fail the test.
type refused struct{ testing.TB }

func (r refused) Errorf(format string, args ...any) { r.Logf(format, args...) }

// TestHostileAttributes is a zoo of values that are code or lead elsewhere:
// none of them may run, none may be requested.
func TestHostileAttributes(t *testing.T) {
	t.Parallel()
	values := []string{
		`alert(1)`, `@get('//evil.example/x')`, `@get('https://evil.example/x')`, `@get('/a'); window.hit = 1`, `@get('/a') || (window.hit = 1)`,
		`@get('\/\/evil.example')`, `@get('/\evil.example')`, "@get('/a'\n)", `@get("/a")`, `@get(/a/)`, `@put('/a')`, `@delete('/a')`, `@get('/a', {headers: {x: window.hit = 1}})`,
		`@post('/a', {contentType: 'json'})`, `$x = window.hit = 1`, `${window.hit = 1}`, `constructor.constructor('window.hit = 1')()`, `javascript:window.hit=1`,
		`@get('/a')@post('/b')`, ` @get('/a')`, `@GET('/a')`, `@get('')`, `@get('a')`, `@get('/a b')`,
	}
	names := []string{"data-init", "data-on:click", "data-on:load", "data-on:submit", "data-on:keydown", "data-text", "data-show", "data-bind", "data-class:x",
		"data-effect", "data-signals", "data-computed:y", "data-attr:onclick", "data-style:color", "data-ref", "data-on-intersect", "data-on-interval", "data-on:click__window", "data-on:click__debounce.1ms"}
	var zoo strings.Builder
	for _, name := range names {
		for _, value := range values {
			fmt.Fprintf(&zoo, `<form class="beast"><input %s="%s"></form><button type="button" class="beast" %s="%s">b</button>`,
				name, strings.ReplaceAll(value, `"`, "&quot;"), name, strings.ReplaceAll(value, `"`, "&quot;"))
		}
	}
	zoo.WriteString(`<b data-text="$__proto__"></b><b data-text="$constructor"></b><input data-bind="__proto__"><p id="late"></p><i data-init="@get('/live')"></i><span data-connection="off"></span>`)
	s := newClientSite(t, "", zoo.String(), func(_ *clientSite, w http.ResponseWriter, r *http.Request) {
		sse(w,
			patch(`elements <p id="late"><img src="x" onerror="window.hit = 1"><script>window.hit = 1</script><a href="javascript:window.hit=1">a</a></p>`),
			patch("selector ][", "mode inner", "elements <b>bad selector</b>"),
			patch("selector #late", "mode constructor", "elements <b>bad mode</b>"),
			"event: datastar-patch-signals\ndata: signals {bad json",
			"event: datastar-execute-script\ndata: script window.hit = 1",
			patch("selector #late", "mode append", `elements <b id="end"></b>`),
		)
		<-r.Context().Done()
	})
	page := testbrowser.Page(refused{t})
	page.MustNavigate(s.URL + "/").MustWaitLoad()
	page.MustElement("#end")
	page.MustEval(`() => document.querySelectorAll(".beast, .beast *").forEach((el) => {
		for (const type of ["click", "load", "keydown", "submit"]) el.dispatchEvent(new Event(type, { bubbles: true, cancelable: true }));
	})`)
	if page.MustEval(`() => "hit" in window`).Bool() {
		t.Error("an attribute or a patch was run as code")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, call := range s.calls {
		if call != "GET /live" && call != "GET /x" {
			t.Errorf("an attribute was obeyed: %s", call)
		}
	}
}
