package orchestrator_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/desk"
	"vivra/app/effects"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/internal/testprocess"
	"vivra/app/postgres"
	"vivra/app/rehearsal/xsim"
	"vivra/app/seal"
	"vivra/app/x"
)

// spacing is the least time between two publications of one account.
const spacing = 30 * time.Minute

// TestManyEffectsInTwoProcesses: two processes carry out what was approved for
// many accounts, on a platform that loses some answers: each once, each account
// at its pace. VIVRA_EFFECTS sets how many; make bench takes 10,000.
func TestManyEffectsInTwoProcesses(t *testing.T) {
	t.Parallel()
	count := 1000
	if n, err := strconv.Atoi(os.Getenv("VIVRA_EFFECTS")); err == nil {
		count = n
	}
	if testing.Short() {
		count = 200
	}
	newCrowd(t, count).publish()
}

// BenchmarkTenThousandEffects tells how many are carried out in a second.
func BenchmarkTenThousandEffects(b *testing.B) {
	for b.Loop() {
		c := newCrowd(b, 10_000)
		took := c.publish()
		b.ReportMetric(float64(c.count)/took.Seconds(), "effects/s")
	}
}

// crowd is many accounts, each of an operation with many approved posts.
type crowd struct {
	tb    testing.TB
	place place
	store *postgres.Store
	db    *pgx.Conn
	x     *xsim.Server
	clock *clockwork.FakeClock
	count int
	ops   []app.Operation
	lost  atomic.Int64 // answers that the platform did not give
}

// each is how many posts an account has.
const each = 20

func newCrowd(tb testing.TB, count int) *crowd {
	tb.Helper()
	c := &crowd{tb: tb, clock: clockwork.NewFakeClockAt(testop.J0), count: count}
	c.place = place{Database: testdb.URL(tb), Blobs: "mem://", Publishing: true}
	var err error
	if c.store, err = postgres.Open(tb.Context(), c.place.Database); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.store.Close)
	if c.db, err = pgx.Connect(tb.Context(), c.place.Database); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.db.Close(context.WithoutCancel(tb.Context())) })
	accounts := make([]xsim.Account, (count+each-1)/each)
	for i := range accounts {
		accounts[i] = xsim.Account{ID: fmt.Sprint(900_000_000 + i), Username: fmt.Sprintf("holder_%d", i), AccessToken: fmt.Sprintf("access-%d", i), RefreshToken: fmt.Sprintf("refresh-%d", i)}
	}
	c.x = xsim.New(xsim.Options{Now: c.clock.Now, ClientID: "us", ClientSecret: "s3", Accounts: accounts})
	web := httptest.NewServer(c.losing(c.x))
	tb.Cleanup(web.Close)
	c.place.X, c.place.Telegram, c.place.Pages = web.URL, web.URL, web.URL
	for i, a := range accounts {
		c.found(i, a)
	}
	c.approve()
	return c
}

// losing closes the connection of some posts, before or after they are accepted.
func (c *crowd) losing(next http.Handler) http.Handler {
	var n atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/2/tweets" || r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		switch at := n.Add(1); {
		case at%97 == 0:
			c.lost.Add(1)
			next.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		case at%89 == 0:
			c.lost.Add(1)
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

// found starts the operation of an account, whose steps all wait for a person.
func (c *crowd) found(i int, a xsim.Account) {
	c.tb.Helper()
	token := testop.Token(1)
	binary.BigEndian.PutUint32(token.Ref.Address[8:], uint32(i+1))
	var steps []app.Step
	for n := i * each; n < min((i+1)*each, c.count); n++ {
		steps = append(steps, person(fmt.Sprintf("post.%d", n)))
	}
	c.ops = append(c.ops, testop.Of(c.tb, c.store, app.NewOperation{Token: token, Slug: fmt.Sprintf("holder-%d", i), J0: testop.J0,
		Cap: 50 * app.Dollar, XHandle: a.Username}, steps...))
	sealer, err := seal.New(key)
	if err == nil {
		d := desk.Desk{Store: c.store, Seal: sealer, Clock: c.clock}
		err = d.ConnectX(c.tb.Context(), a.Username, a.ID, x.Token{AccessToken: a.AccessToken, RefreshToken: a.RefreshToken, Scopes: []string{"tweet.write"}, ExpiresAt: testop.J0.Add(2 * time.Hour)})
	}
	if err != nil {
		c.tb.Fatal(err)
	}
}

// approve writes the drafts of all steps as approved, with what follows from
// that still to come: the store's own way would be most of the test.
func (c *crowd) approve() {
	c.tb.Helper()
	ctx := c.tb.Context()
	if _, err := c.db.Exec(ctx, `UPDATE operation_steps SET state = 'waiting_validation'`); err != nil {
		c.tb.Fatal(err)
	}
	rows, err := c.db.Query(ctx, `SELECT s.id, s.operation_id, s.key, o.x_handle, o.site_host, encode(t.address, 'hex'), a.user_id
FROM operation_steps s JOIN operations o ON o.id = s.operation_id JOIN tokens t ON t.id = o.token_id JOIN x_accounts a ON a.handle = o.x_handle ORDER BY s.id`)
	if err != nil {
		c.tb.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[waitingStep])
	if err == nil {
		_, err = c.db.CopyFrom(ctx, pgx.Identifier{"validations"}, draftColumns, pgx.CopyFromSlice(len(all), func(i int) ([]any, error) { return all[i].draft() }))
	}
	if err != nil {
		c.tb.Fatal(err)
	}
	if _, err := c.db.Exec(ctx, `ANALYZE`); err != nil {
		c.tb.Fatal(err)
	}
	c.clock.Advance(app.DefaultSettings().Undo)
}

// waitingStep is a step that waits for a decision, with what that binds to.
type waitingStep struct {
	Step, Operation                        int64
	Key, Account, Host, Address, AccountID string
}

var draftColumns = []string{"operation_id", "step_id", "call_id", "kind", "payload", "payload_sha256", "draft_no", "risk",
	"state", "decided_by", "decided_at", "created_at", "frozen", "frozen_sha256", "applies_at"}

// output is a post, or a thread in every tenth step.
func (w waitingStep) output() (app.ValidationKind, any) {
	text := "This is " + w.Key + " of @" + w.Account
	if !strings.HasSuffix(w.Key, "3") {
		return app.KindPost, app.PostPayload{Account: w.Account, Text: text, Media: []app.Media{}}
	}
	thread := app.ThreadPayload{Account: w.Account}
	for i := range inThread {
		thread.Posts = append(thread.Posts, app.PostPayload{Account: w.Account, Text: fmt.Sprintf("%s, part %d", text, i+1), Media: []app.Media{}})
	}
	return app.KindThread, thread
}

// inThread is how many posts a thread has.
const inThread = 4

// draft is the row of the step's approved draft.
func (w waitingStep) draft() ([]any, error) {
	kind, is := w.output()
	payload, err := app.CanonicalJSON(is)
	if err != nil {
		return nil, err
	}
	f, err := effects.Freeze(kind, payload, effects.Binding{OfficialAddress: "0x" + w.Address, Account: w.Account, AccountID: w.AccountID, Host: w.Host})
	if err != nil {
		return nil, err
	}
	frozen, err := app.CanonicalJSON(f)
	return []any{w.Operation, w.Step, "load", string(kind), string(payload), sum(payload), 1, json.RawMessage(`{}`),
		"approved", "ada", testop.J0, testop.J0, string(frozen), sum(frozen), testop.J0.Add(app.DefaultSettings().Undo)}, err
}

func sum(b []byte) []byte {
	raw, _ := hex.DecodeString(app.SHA256Hex(b))
	return raw
}

// publish has two processes carry everything out, turning the clock whenever
// nothing is left to do at an instant, and tells how long they took.
func (c *crowd) publish() (took time.Duration) {
	c.tb.Helper()
	var all []*testprocess.Process
	for range 2 {
		all = append(all, testprocess.Start(c.tb, posterArg, poster{Place: c.place, Product: c.clock.Now(), Workers: 4}))
	}
	begun, turns := time.Now(), 0
	c.quiet()
	applied := time.Since(begun)
	for next := c.next(); next != nil; next = c.next() {
		c.clock.Advance(next.Sub(c.clock.Now()))
		turns++
		for _, p := range all {
			p.Tell(next.Format(time.RFC3339Nano))
		}
		c.quiet()
	}
	took = time.Since(begun)
	for _, p := range all {
		if p.Killed(c.tb) {
			c.tb.Error("a process was killed")
		}
	}
	c.check()
	c.tb.Logf("%d effects in two processes took %s, %.0f a second; of it %s until the decisions were applied and the first posts out; %d answers were lost, the clock was turned %d times to %s",
		c.count, took.Round(time.Millisecond), float64(c.count)/took.Seconds(), applied.Round(time.Millisecond), c.lost.Load(), turns, c.clock.Now().Sub(testop.J0))
	return took
}

// quiet waits until nothing is left to do at this instant.
func (c *crowd) quiet() {
	c.tb.Helper()
	for {
		busy, err := c.store.Busy(c.tb.Context(), c.clock.Now())
		if err != nil {
			c.tb.Fatal(err)
		}
		if !busy {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// next is when the next effect is due, nil when none is: a post behind another of
// its thread is due with that.
func (c *crowd) next() (at *time.Time) {
	c.tb.Helper()
	if err := c.db.QueryRow(c.tb.Context(), `SELECT min(not_before) FROM effects WHERE state IN ('intent', 'unknown') AND not_before > $1`, c.clock.Now()).Scan(&at); err != nil {
		c.tb.Fatal(err)
	}
	return at
}

func (c *crowd) check() {
	c.tb.Helper()
	posts := c.x.Posts()
	said, whole, last := map[string]int{}, map[string]int{}, map[string]xsim.Published{}
	slices.SortStableFunc(posts, func(a, b xsim.Published) int { return a.At.Compare(b.At) })
	for _, p := range posts {
		name, _, _ := strings.Cut(p.Text, ",")
		whole[name]++
		if said[p.Text]++; said[p.Text] > 1 {
			c.tb.Errorf("%q went out %d times", p.Text, said[p.Text])
		}
		if before, ok := last[p.Account]; ok && p.At.Sub(before.At) < spacing && !strings.HasPrefix(before.Text, name+",") {
			c.tb.Errorf("account %s posted %q %s after %q", p.Account, p.Text, p.At.Sub(before.At), before.Text)
		}
		last[p.Account] = p
	}
	if len(whole) != c.count {
		c.tb.Errorf("%d of %d went out", len(whole), c.count)
	}
	for name, n := range whole {
		if n != 1 && n != inThread {
			c.tb.Errorf("%d posts of %s went out", n, name)
		}
	}
	for _, op := range c.ops {
		all, err := c.store.Effects(c.tb.Context(), op.ID)
		if err != nil {
			c.tb.Fatal(err)
		}
		for _, e := range all {
			if e.State != app.EffectDone {
				c.tb.Errorf("%s is %s: %s", e.StepKey, e.State, e.Error)
			}
		}
	}
	testop.Balanced(c.tb, c.store, c.ops[0])
	c.jobs()
}

// jobs logs how much work was made for the workers.
func (c *crowd) jobs() {
	c.tb.Helper()
	var made int
	if err := c.db.QueryRow(c.tb.Context(), `SELECT count(*) FROM river_job`).Scan(&made); err != nil {
		c.tb.Fatal(err)
	}
	c.tb.Logf("%d jobs were made for %d effects", made, c.count)
	if made > 3*c.count {
		c.tb.Errorf("%d jobs were made for %d effects", made, c.count)
	}
}
