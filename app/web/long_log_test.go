package web_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/web"
)

// lengthen adds n rows to the log of the house's takeover, as its agents and
// steps would, each chained to the one before.
func (h *house) lengthen(n int) {
	h.t.Helper()
	_, err := h.db.Exec(h.t.Context(), fmt.Sprintf(`DO $$
DECLARE
	o operations; l text; k text; s text; c bigint; h bytea; agents text[] := ARRAY['scanner','designer','webdev','cm','tg_bot','builder'];
	kinds text[] := ARRAY['step','model_call','tool_call','tool_call','read','publication']; keys text[];
BEGIN
	SELECT * INTO o FROM operations WHERE id = %d FOR UPDATE;
	SELECT array_agg(key ORDER BY id) INTO keys FROM operation_steps WHERE operation_id = o.id;
	FOR i IN 1..%d LOOP
		k := kinds[i %% 6 + 1]; s := keys[i / 40 %% array_length(keys, 1) + 1]; c := CASE WHEN i %% 6 IN (1, 4, 5) THEN 9400000 + i %% 1000 ELSE 0 END;
		o.seq := o.seq + 1;
		l := format('{"agent":"%%s","at":"2026-12-07T15:20:00Z","cost_nusd":%%s,"cost_source":"%%s","kind":"%%s","link":"","model":"%%s","seq":%%s,"step":"%%s","summary":"Read the market: $0.00000412 and 1,312 holders, row %%s of many","tokens_in":%%s,"tokens_out":402,"tool":"chain_token"}',
			agents[i %% 6 + 1], c, CASE c WHEN 0 THEN '' ELSE 'table' END, k, CASE k WHEN 'model_call' THEN 'gpt-5-mini' ELSE '' END, o.seq, s, i, i %% 4000);
		h := sha256(o.head_hash || convert_to(l, 'UTF8'));
		INSERT INTO events (operation_id, seq, at, step_key, kind, agent, cost_nusd, line, prev_hash, hash)
			VALUES (o.id, o.seq, '2026-12-07T15:20:00Z', s, k, agents[i %% 6 + 1], c, l, o.head_hash, h);
		o.head_hash := h;
	END LOOP;
	UPDATE operations SET seq = o.seq, head_hash = o.head_hash WHERE id = o.id;
END $$`, h.op.ID, n))
	h.must(err)
	h.op, err = h.app.Store.Operation(h.t.Context(), h.op.ID)
	h.must(err)
}

// TestALogOf100000Rows: a page of a long takeover is as small as that of a young one.
func TestALogOf100000Rows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := newVisitor(t, h.url)
	h.lengthen(400)
	at := h.address("/operations/:slug")
	young := len(v.get(at).body)
	h.lengthen(100_000)
	for _, path := range []string{at, at + "?agent=cm", at + "?kind=publication", at + "?before=50000", at + "?line=70000"} {
		res := v.get(path)
		if res.StatusCode != http.StatusOK || len(res.body) > min(300_000, young*5/4) {
			t.Errorf("%s answers %s with %d bytes; with 400 rows it has %d", path, res.Status, len(res.body), young)
		}
		if rows := res.doc(t).Find("#log-lines li").Length(); rows != 200 {
			t.Errorf("%s shows %d rows", path, rows)
		}
	}
}

// BenchmarkLongLog measures the page after each new row of a long log; beside it,
// in the same run, that of a young one.
func BenchmarkLongLog(b *testing.B) {
	var young float64
	for _, n := range []int{400, 100_000} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			h := newHouse(b)
			h.lengthen(n)
			v := newVisitor(b, h.url)
			var sum time.Duration
			for b.Loop() {
				b.StopTimer()
				h.lengthen(1)
				b.StartTimer()
				sum += v.firstByte(h.address("/operations/:slug"))
			}
			each := float64(sum.Microseconds()) / float64(b.N) / 1000
			b.ReportMetric(each, "first-byte-ms")
			if n == 400 {
				young = each
			} else if young > 0 {
				b.ReportMetric(each/young, "long/young")
			}
		})
	}
}

// torn is a store whose log can't be read behind a row.
type torn struct {
	*exhibit
	behind int64
}

func (s torn) EventsAfter(ctx context.Context, operation, after int64, limit int) ([]app.Event, error) {
	if after >= s.behind {
		return nil, errors.New("the disk is full")
	}
	return s.exhibit.EventsAfter(ctx, operation, after, min(limit, 100))
}

// TestHalfALogIsNoLog: what breaks off in the middle does not look like a whole
// one to whoever takes it, packed or not.
func TestHalfALogIsNoLog(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	for _, behind := range []int64{0, 200} {
		site := &web.Server{Store: torn{x, behind}, Sessions: newMemory(x), Hub: new(live.Hub), Now: x.now, PublicURL: "http://vivra.test", Log: slog.New(slog.DiscardHandler)}
		server := httptest.NewServer(site.Handler())
		defer server.Close()
		for _, packed := range []bool{false, true} {
			client := http.Client{Transport: &http.Transport{DisableCompression: !packed}}
			res, err := client.Get(server.URL + "/operations/dodo/log.jsonl")
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			if whole := res.StatusCode == http.StatusOK && err == nil; whole || behind == 0 && res.StatusCode != http.StatusInternalServerError {
				t.Errorf("torn behind row %d, packed: %t, it answers %s and reads %v", behind, packed, res.Status, err)
			}
		}
	}
}

// TestTheLogIsServedWhole: every row, also packed, known by its head.
func TestTheLogIsServedWhole(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.lengthen(2300)
	v := newVisitor(t, h.url)
	at := h.address("/operations/:slug/log.jsonl")
	for _, packed := range []string{"gzip", "identity"} {
		res := v.with(http.MethodGet, at, "Accept-Encoding", packed)
		var in io.Reader = strings.NewReader(res.body)
		if got := res.Header.Get("Content-Encoding"); (got == "gzip") != (packed == "gzip") {
			t.Errorf("asked for %s it comes as %q", packed, got)
		} else if got == "gzip" {
			unpacked, err := gzip.NewReader(in)
			h.must(err)
			in = unpacked
		}
		proof, err := app.VerifyLog(in, h.op.HeadHash)
		if err != nil || int64(proof.Rows) != h.op.Seq || proof.Head != h.op.HeadHash {
			t.Errorf("%s: %d rows of %d: %v", packed, proof.Rows, h.op.Seq, err)
		}
		if again := v.with(http.MethodGet, at, "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("asked again, it answers %s", again.Status)
		}
	}
	for path, want := range map[string]int{at: 200, "/operations/none/log.jsonl": 404, "/operations/none/live": 404, h.address("/operations/:slug/live"): 200, "/api/v1/operations/none/live": 404} {
		if res := v.with(http.MethodHead, path, "Accept", "*/*"); res.StatusCode != want || res.body != "" {
			t.Errorf("HEAD %s answers %s", path, res.Status)
		}
	}
}
