package web_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"
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
