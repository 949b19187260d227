package rehearsal_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/paths"
	"vivra/app/postgres"
	"vivra/app/rehearsal"
	"vivra/app/scoring"
	"vivra/app/web"
	"vivra/prompts"
)

// TestNothingPrivateIsPublic plays a takeover among people who write in all that
// others can write in, with a team that rejects, edits and withdraws. Again and
// again whatever anybody can open is held against what is nobody's: drafts, words
// of models, prompts, texts from outside and secrets.
func TestNothingPrivateIsPublic(t *testing.T) {
	t.Parallel()
	l := &looker{t: t, found: map[string]int{}}
	e := rehearse(t, rehearsal.Plan{Seed: 13, Poison: true, Script: script(t, "usual"), Progress: l.progress,
		Prepare: func(c *boot.Config) { l.base, l.dsn, l.secrets = c.PublicURL, c.DatabaseURL, secretsOf(*c) },
		Finished: func(ctx context.Context, _ *boot.App, op app.Operation, _ string) error {
			l.look(ctx)
			return nil
		}})
	if e.State != app.OperationCompleted {
		t.Errorf("it is %s", e.State)
	}
	if l.found["drafts"] == 0 || l.found["published"] == 0 {
		t.Errorf("looked for too little to mean anything: %v", l.found)
	}
	t.Logf("%d looks: %v", l.looks, l.found)
}

// looker opens what anybody can open, and knows what is nobody's.
type looker struct {
	t         *testing.T
	base, dsn string
	secrets   []string
	ended     int
	looks     int
	found     map[string]int // pieces that were looked for, and published ones that were seen
}

func (l *looker) progress(time.Time, app.Step) {
	if l.ended++; l.ended%9 == 4 {
		l.look(l.t.Context())
	}
}

// look fetches first: what is a draft after that was one while it was fetched.
func (l *looker) look(ctx context.Context) {
	l.t.Helper()
	l.looks++
	conn, err := pgx.Connect(ctx, l.dsn)
	if err != nil {
		l.t.Error(err)
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	pages := map[string]string{}
	for _, at := range l.addresses(ctx, conn) {
		pages[at] = l.fetch(ctx, at)
		l.whole(at, pages[at])
	}
	public := windowsOf(l.published(ctx))
	for _, text := range l.published(ctx) {
		addWindows(public, bare(text)) // a page shows its lines one behind the other
	}
	private := map[string]map[string]bool{
		"drafts":          windowsOf(l.texts(ctx, conn, `SELECT payload::text FROM validations`)),
		"words of models": windowsOf(l.texts(ctx, conn, `SELECT item::text FROM run_items`)),
		"token files":     windowsOf(l.texts(ctx, conn, `SELECT content::text FROM token_files`)),
		"prompts":         windowsOf(promptLines(l.t)),
		"strangers":       windowsOf(rehearsal.PoisonTexts()),
	}
	checked := l.checked(ctx, conn)
	for at, page := range pages {
		page = bare(html.UnescapeString(page))
		if strings.HasPrefix(at, "/candidates/") {
			page = checked.Replace(page)
		}
		l.compare(at, page, private, public)
	}
	for whose, pieces := range private {
		maps.DeleteFunc(pieces, func(piece string, _ bool) bool { return public[piece] })
		l.found[whose] = max(l.found[whose], len(pieces))
	}
}

// whole holds a page against what must not stand in it as it is.
func (l *looker) whole(at, page string) {
	l.t.Helper()
	if page == "" {
		l.t.Errorf("%s is empty", at)
	}
	for _, secret := range l.secrets {
		if strings.Contains(page, secret) {
			l.t.Errorf("%s tells a secret that ends in %q", at, secret[len(secret)-4:])
		}
	}
}

// checked takes the checks' own words out of a report's page: code wrote them, and
// agents are told them too.
func (l *looker) checked(ctx context.Context, conn *pgx.Conn) *strings.Replacer {
	l.t.Helper()
	var words []string
	for _, text := range l.rows(ctx, conn, `SELECT report::text FROM candidates WHERE report IS NOT NULL`) {
		var r scoring.Report
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			l.t.Fatal(err)
		}
		for _, p := range r.Parts {
			if words = append(words, bare(p.Label), "\n"); len(bare(p.Value)) >= 8 { // a shorter one is in much
				words = append(words, bare(p.Value), "\n")
			}
		}
		for _, c := range r.Checks {
			words = append(words, bare(c.Label+c.Value), "\n", bare(c.Label), "\n")
		}
	}
	return strings.NewReplacer(words...)
}

// compare holds a page without its marks and spaces against what is nobody's.
func (l *looker) compare(at, page string, private map[string]map[string]bool, public map[string]bool) {
	l.t.Helper()
	for from := 0; from+window <= len(page); from++ {
		piece := page[from : from+window]
		if public[piece] {
			l.found["published"]++
			continue
		}
		for whose, pieces := range private {
			if pieces[piece] {
				l.t.Errorf("%s holds %q, which is of the %s", at, piece, whose)
				from += 2 * window // the same once more
			}
		}
	}
}

// published are the texts of what is out, as it went out.
func (l *looker) published(ctx context.Context) (all []string) {
	l.t.Helper()
	store, err := postgres.Open(ctx, l.dsn)
	if err != nil {
		l.t.Fatal(err)
	}
	defer store.Close()
	pubs, err := store.Publications(ctx, 1)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, p := range pubs {
		all = append(all, leaves(l.t, string(p.Payload))...)
	}
	return all
}

// texts are the strings in the JSON that a query returns.
func (l *looker) texts(ctx context.Context, conn *pgx.Conn, query string) (all []string) {
	l.t.Helper()
	for _, text := range l.rows(ctx, conn, query) {
		all = append(all, leaves(l.t, text)...)
	}
	return all
}

// rows are the texts that a query returns.
func (l *looker) rows(ctx context.Context, conn *pgx.Conn, query string) []string {
	l.t.Helper()
	rows, err := conn.Query(ctx, query)
	if err != nil {
		l.t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		l.t.Fatal(err)
	}
	return found
}

// leaves are the strings in JSON, and those in JSON that stands in a string.
func leaves(t *testing.T, text string) (all []string) {
	t.Helper()
	var value any
	if text == "" || json.Unmarshal([]byte(text), &value) != nil {
		return []string{text}
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
				all = append(all, leaves(t, v)...)
			} else {
				all = append(all, v)
			}
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(value)
	return all
}

// window is how many letters and digits in a row are no chance.
const window = 32

var (
	hexOnly = regexp.MustCompile(`[0-9a-fx]{20}`)
	address = regexp.MustCompile(`https?://[^\s"\\]+`)
	// between are what pages put elsewhere than JSON does.
	between = regexp.MustCompile(`[\\"{}\n]+`)
)

// bare leaves of a text what no spelling of it for a page, a stream or a file changes.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// windowsOf are pieces of texts, so that a quote from the middle is found as well.
// Hashes and addresses are public.
func windowsOf(texts []string) map[string]bool {
	all := map[string]bool{}
	for _, text := range texts {
		for _, part := range between.Split(address.ReplaceAllString(text, "\n"), -1) {
			addWindows(all, bare(part))
		}
	}
	return all
}

func addWindows(all map[string]bool, text string) {
	for from := 0; from+window <= len(text); from++ {
		if piece := text[from : from+window]; !hexOnly.MatchString(piece) {
			all[piece] = true
		}
	}
}

func promptLines(t *testing.T) (all []string) {
	t.Helper()
	files, err := fs.Glob(prompts.FS, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := prompts.FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Split(string(text), "\n")...)
	}
	return all
}

// secretsOf are the config's keys and tokens.
func secretsOf(c boot.Config) (all []string) {
	all = []string{string(c.SecretKey), hex.EncodeToString(c.SecretKey), base64.StdEncoding.EncodeToString(c.SecretKey)}
	services := reflect.ValueOf(c.Services)
	for i := range services.NumField() {
		name, value := services.Type().Field(i).Name, services.Field(i).String()
		if strings.HasSuffix(name, "Key") || strings.HasSuffix(name, "Secret") || strings.HasSuffix(name, "Token") {
			all = append(all, value)
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < 6 })
}

// addresses are all that anybody can open: each public route, filled in.
func (l *looker) addresses(ctx context.Context, conn *pgx.Conn) (all []string) {
	l.t.Helper()
	var slug, chain, address string
	err := conn.QueryRow(ctx, `SELECT o.slug, t.chain_id::text, '0x' || encode(t.address, 'hex') FROM operations o JOIN tokens t ON t.id = o.token_id`).Scan(&slug, &chain, &address)
	if err != nil {
		l.t.Fatal(err)
	}
	fill := strings.NewReplacer(":slug", slug, ":chain", chain, ":address", address)
	for _, r := range new(web.Server).Routes() {
		at := fill.Replace(r.Path)
		if r.Access != web.Everyone || r.Method != http.MethodGet || strings.Contains(at, "/:") {
			continue
		}
		all = append(all, at)
		if strings.HasSuffix(at, "/live") {
			all = append(all, at+"?after=0")
		}
	}
	for _, f := range []paths.Log{{Agent: "scanner"}, {Kind: "tool_call"}, {Before: 20}} {
		all = append(all, paths.OperationLog(slug, f))
	}
	return all
}

// fetch reads an answer; of a stream what it begins with.
func (l *looker) fetch(ctx context.Context, at string) string {
	l.t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.base+at, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "image/png") {
		return "a picture"
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		stop := time.AfterFunc(300*time.Millisecond, cancel) // whatever has come by then
		defer stop.Stop()
		text, _ := io.ReadAll(res.Body)
		return string(text)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Error(err)
	}
	return string(text)
}
