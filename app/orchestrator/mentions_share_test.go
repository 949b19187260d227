package orchestrator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
)

// TestStrangersDoNotSpendWhatOursIsWrittenFrom: looks take a part of cm's share
// and no more, however many write.
func TestStrangersDoNotSpendWhatOursIsWrittenFrom(t *testing.T) {
	t.Parallel()
	o := talking(t) // cm has $20 of $50
	o.setting("x.mentions_daily_cents", `600`)
	o.model.Script(gullible("x"))
	for day := range 4 {
		for n := range 500 {
			o.x.Say(o.stranger(day*1000+n, "Mara", ""), fmt.Sprintf("@%s when is the vote, %d?", handle, n))
		}
		_ = o.later(every)
		o.clock.Advance(o.clock.Now().Truncate(24*time.Hour).AddDate(0, 0, 1).Sub(o.clock.Now()))
	}
	if spent, err := o.store.MentionCosts(t.Context(), o.op.ID, time.Time{}); err != nil || spent > 10*app.Dollar || spent < 9*app.Dollar {
		t.Errorf("%s of cm's $20 spent, %v", spent, err)
	}
	alerts := testop.Alerts(t, o.store, "mentions_bound")
	if len(alerts) == 0 || !strings.Contains(alerts[0].Message, "50 % of cm's share") {
		t.Errorf("alerts %+v", alerts)
	}
}

// TestXShowsTheNewestOnly: what it does not show any more is not read, and the
// team is told.
func TestXShowsTheNewestOnly(t *testing.T) {
	t.Parallel()
	o := talking(t)
	o.setting("x.mentions_daily_cents", `200`)
	author := o.stranger(1, "Mara", "")
	var ids []string
	for i := range 900 {
		ids = append(ids, o.x.Say(author, fmt.Sprintf("@%s when is the vote, %d?", handle, i)))
	}
	o.before(func(r *http.Request) {
		q := r.URL.Query()
		if last := ids[len(ids)-801]; strings.HasSuffix(r.URL.Path, "/mentions") && app.CompareIDs(last, q.Get("since_id")) > 0 {
			q.Set("since_id", last)
			q.Del("start_time")
			r.URL.RawQuery = q.Encode()
		}
	})
	for range 4 {
		_ = o.later(every)
		o.clock.Advance(o.clock.Now().Truncate(24*time.Hour).AddDate(0, 0, 1).Sub(o.clock.Now()))
	}
	if n, alerts := len(o.mentions()), testop.Alerts(t, o.store, "mentions_missed"); n != 800 || len(alerts) != 1 {
		t.Errorf("%d known, alerts %+v", n, alerts)
	}
}
