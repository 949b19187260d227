package rehearsal_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/paths"
	"vivra/app/rehearsal"
	"vivra/app/rehearsal/xsim"
)

// TestWholeTakeover plays all thirty days. What the rehearsal itself proves
// (every output approved before it left and seen once, the money, the log) is
// held by rehearse.
func TestWholeTakeover(t *testing.T) {
	t.Parallel()
	var exported []byte
	e := rehearse(t, rehearsal.Plan{Seed: 7, Script: script(t, "usual"), Finished: func(ctx context.Context, a *boot.App, op app.Operation, base string) (err error) {
		if exported, err = fetch(ctx, base+paths.OperationLogJSONL(op.Slug)); err != nil {
			return err
		}
		return verified(ctx, a.Config, op, base)
	}})
	if e.State != app.OperationCompleted || e.Total != 82 || !maps.Equal(e.Steps, map[string]int{"done": 82}) {
		t.Errorf("it is %s with %d steps: %v", e.State, e.Total, e.Steps)
	}
	if !e.Buyback || e.Verdict == "" {
		t.Errorf("buyback requested: %t, verdict %q", e.Buyback, e.Verdict)
	}
	if e.Validations["approved"] == 0 || e.Validations["rejected"] != 1 || e.Validations["void"] != 1 || len(e.Validations) != 3 {
		t.Errorf("outputs: %v", e.Validations)
	}
	e.playedAsUsual(t)
	for _, kind := range []string{"x.post", "tg.message", "tg.poll", "deployment"} {
		if e.Published[kind] == 0 {
			t.Errorf("no %s was seen by its local server", kind)
		}
	}
	lines, cost, head := verify(t, exported)
	if lines != e.LogEntries || cost != e.Spent || head != e.HeadHash {
		t.Errorf("the exported log has %d lines that sum to %s and end in %s; the operation has %d, %s, %s", lines, cost, head, e.LogEntries, e.Spent, e.HeadHash)
	}
	if deployed := e.Matched["site.deploy"] + e.Matched["utility.deploy"]; e.Matched["x.post"] != e.Published["x.post"] || e.Matched["tg.message"] != e.Published["tg.message"] ||
		e.Matched["tg.poll"] != e.Published["tg.poll"] || deployed != e.Published["deployment"] || e.Matched["x.profile"]*e.Matched["tg.title"]*e.Matched["tg.description"]*e.Matched["tg.pin"] == 0 {
		t.Errorf("as they were approved arrived %v of %v", e.Matched, e.Published)
	}
	// The rehearsal itself has held each publication's price against what X charged.
	charged, booked := e.world.X.Charges(), e.X.Posts+e.X.Reads
	if e.X.Shown != charged.Posts+charged.AltTexts || e.X.Shown == 0 || charged.AltTexts == 0 || e.X.Reads == 0 || e.X.Wasted+app.Nano(e.X.Lost) != 0 {
		t.Errorf("X charged %+v, shown and booked is %+v", charged, e.X)
	}
	if days := bytes.Count(exported, []byte(`"kind":"head"`)); days != 30 {
		t.Errorf("the log says on %d days where it stands", days)
	}
	if logged := e.costOf("", "x"); logged != booked {
		t.Errorf("the log says %s of X, %s is booked", logged, booked)
	}
	if e.world.Model.Count() != e.ModelCalls || e.ModelCalls < 82 {
		t.Errorf("%d model calls", e.ModelCalls)
	}
}

// playedAsUsual checks that the team did one of each thing it can do, and what
// came of it.
func (e ending) playedAsUsual(t *testing.T) {
	t.Helper()
	approved := e.Validations["approved"] + 1 // the one that was taken back
	if !maps.Equal(e.Decisions, map[string]int{"approved": approved, "rejected": 1, "withdrawn": 1, "edited": 1}) {
		t.Errorf("people decided %v, with %d outputs approved", e.Decisions, e.Validations["approved"])
	}
	if step := e.steps["cm.daily_post.d03"]; step.Rejections != 1 {
		t.Errorf("%s was rejected %d times", step.Key, step.Rejections)
	}
	edited := slices.ContainsFunc(e.world.X.Posts(), func(p xsim.Published) bool { return strings.HasSuffix(p.Text, " Vote once, for 24 hours.") })
	if !edited {
		t.Error("what a person wrote did not go out")
	}
	one, other := e.steps["cm.utility_post"].FinishedAt, e.steps["cm.verdict_post"].FinishedAt
	if one == nil || other == nil || one.Sub(*other).Abs() != app.DefaultSettings().PostSpacing {
		t.Errorf("what was approved together was published at %v and %v", one, other)
	}
}

// costOf is what an agent has paid to a model or platform, "" for all agents.
func (e ending) costOf(agent, model string) (sum app.Nano) {
	for _, c := range e.Cost {
		if (c.Agent == agent || agent == "") && c.Model == model {
			sum += c.Cost
		}
	}
	return sum
}

func fetch(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}

// verified has the program itself look at the log, as it is served and as it is
// stored: it holds, and it says each day where it stands.
func verified(ctx context.Context, cfg boot.Config, op app.Operation, base string) error {
	served, err := boot.VerifyAddress(ctx, base+paths.Operation(op.Slug), op.HeadHash)
	if err != nil {
		return err
	}
	stored, err := boot.VerifyOperation(ctx, cfg, slog.New(slog.DiscardHandler), op.Slug, op.HeadHash)
	if err == nil && (stored.Head != served.Head || stored.Known[op.HeadHash] != stored.Rows) {
		err = fmt.Errorf("served is %+v, stored is %+v", served, stored)
	}
	if _, wrong := boot.VerifyAddress(ctx, base+paths.Operation(op.Slug), strings.Repeat("0", 64)); err == nil && wrong == nil {
		err = errors.New("a hash that no row has is found")
	}
	return err
}

// verify checks an exported log with nothing but SHA-256, as a stranger would.
func verify(t *testing.T, jsonl []byte) (lines int64, cost app.Nano, head string) {
	t.Helper()
	prev := make([]byte, sha256.Size)
	scan := bufio.NewScanner(bytes.NewReader(jsonl))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var row struct {
			Line     json.RawMessage `json:"line"`
			PrevHash string          `json:"prev_hash"`
			Hash     string          `json:"hash"`
		}
		var line struct {
			Seq  int64    `json:"seq"`
			Kind string   `json:"kind"`
			Cost app.Nano `json:"cost_nusd"`
		}
		if err := json.Unmarshal(scan.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(row.Line, &line); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(app.EventKinds(), line.Kind) {
			t.Errorf("row %d is of the kind %q, which no filter offers", line.Seq, line.Kind)
		}
		lines++
		sum := sha256.Sum256(append(prev, row.Line...))
		if line.Seq != lines || row.PrevHash != hex.EncodeToString(prev) || row.Hash != hex.EncodeToString(sum[:]) {
			t.Fatalf("the exported log is broken at line %d", lines)
		}
		prev, cost = sum[:], cost+line.Cost
	}
	return lines, cost, hex.EncodeToString(prev)
}

// TestSameSeedSameTakeover: a seed fixes every word and every cost. Steps that
// fall due together run side by side, so the order of their log lines, and with
// it the last hash, is not fixed.
func TestSameSeedSameTakeover(t *testing.T) {
	t.Parallel()
	plan := rehearsal.Plan{Seed: 3, Days: 2}
	a, b := rehearse(t, plan), rehearse(t, plan)
	for _, s := range []*rehearsal.Summary{&a.Summary, &b.Summary} {
		s.WallMS, s.OutsideMS, s.HeadHash = 0, 0, ""
	}
	first, second := encode(t, a.Summary), encode(t, b.Summary)
	if !bytes.Equal(first, second) {
		t.Errorf("two rehearsals of one seed differ:\n%s\n%s", first, second)
	}
	if a.words() != b.words() || a.words() == "" {
		t.Errorf("they say:\n%s\nand:\n%s", a.words(), b.words())
	}
	other := rehearse(t, rehearsal.Plan{Seed: 4, Days: 1, Script: script(t, "none")})
	if bytes.Equal(other.steps["scanner.full_report"].Output, a.steps["scanner.full_report"].Output) {
		t.Error("another seed gives the same report")
	}
}

var localSite = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// words are what was posted, without the port that this machine happened to give.
func (e ending) words() string {
	var all []string
	for _, p := range e.world.X.Posts() {
		all = append(all, p.Text)
	}
	for _, m := range e.world.Telegram.Published() {
		all = append(all, m.Text)
	}
	slices.Sort(all)
	return localSite.ReplaceAllString(strings.Join(all, "\n"), "here")
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
