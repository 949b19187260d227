package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

func (w *world) raise(kind string, n int, at time.Time) {
	w.t.Helper()
	for i := range n {
		w.must(w.store.RaiseAlert(w.ctx, w.op.ID, kind, fmt.Sprint(kind, i), "Look.", at.Add(time.Duration(i/2)*time.Second)))
	}
}

func TestAlertPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.raise("unsafe_output", 23, j0)
	w.raise("step_failed", 2, j0.Add(time.Hour))
	var got []string
	f := app.AlertFilter{Operation: w.op.Slug, Kind: "unsafe_output", Limit: 5}
	for pages := 1; ; pages++ {
		page, err := w.store.AlertPage(w.ctx, f)
		w.must(err)
		for _, a := range page.Items {
			got = append(got, a.Subject)
		}
		if f.Before = page.Items[len(page.Items)-1].ID; !page.More {
			if pages != 5 {
				t.Errorf("%d pages", pages)
			}
			break
		}
	}
	if len(got) != 23 || got[0] != "unsafe_output22" || got[22] != "unsafe_output0" {
		t.Errorf("read: %v", got)
	}
	if page, err := w.store.AlertPage(w.ctx, app.AlertFilter{Operation: "another", Limit: 5}); err != nil || len(page.Items) != 0 {
		t.Errorf("of another operation: %+v, %v", page, err)
	}
	groups, err := w.store.AlertGroups(w.ctx)
	w.must(err)
	if len(groups) != 2 || groups[0].Kind != "step_failed" || groups[1].Count != 23 || !groups[1].At.Equal(j0.Add(11*time.Second)) {
		t.Errorf("groups: %+v", groups)
	}
}

func TestAcknowledgingAllThatWereSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.raise("unsafe_output", 7, j0)
	w.raise("rejected", 1, j0)
	groups, err := w.store.AlertGroups(w.ctx)
	w.must(err)
	seen := groups[0]
	if seen.Kind != "unsafe_output" {
		seen = groups[1]
	}
	w.must(w.store.RaiseAlert(w.ctx, w.op.ID, "unsafe_output", "later", "Look.", j0.Add(time.Minute)))
	errs := together(8, func(int) error {
		_, err := w.store.AcknowledgeAlerts(w.ctx, w.op.Slug, "unsafe_output", seen.Newest, ada, j0.Add(time.Hour))
		return err
	})
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !isKind(err, app.Conflict):
			t.Error(err)
		}
	}
	if open := w.alerts("unsafe_output"); won != 1 || len(open) != 1 || open[0] != "later" || len(w.alerts("rejected")) != 1 {
		t.Errorf("%d won, open: %v", won, open)
	}
	var after string
	w.scan([]any{&after}, `SELECT after FROM admin_audit WHERE action = 'alert.acknowledge_all'`)
	if after != `{"acknowledged": 7}` || w.count("admin_audit WHERE action = 'alert.acknowledge_all'") != 1 {
		t.Errorf("audited: %s", after)
	}
	page, err := w.store.AlertPage(w.ctx, app.AlertFilter{Acknowledged: true, Limit: 10})
	if err != nil || len(page.Items) != 7 || page.Items[0].AcknowledgedBy != "ada" || !page.Items[0].AcknowledgedAt.Equal(j0.Add(time.Hour)) {
		t.Errorf("acknowledged: %+v, %v", page, err)
	}
	one := page.Items[0].ID
	if err := w.store.AcknowledgeAlert(w.ctx, one, bob, j0); !isKind(err, app.Conflict) || !strings.Contains(err.Error(), "ada acknowledged this alert on 10 Mar 2027 at 10:17 UTC") {
		t.Errorf("once more: %v", err)
	}
	if err := w.store.AcknowledgeAlert(w.ctx, 999_999, bob, j0); !isKind(err, app.NotFound) {
		t.Errorf("one that is not there: %v", err)
	}
}

// TestAnOutputIsOverdueOnceAtTwoHours, and brought to each channel once.
func TestAnOutputIsOverdueOnceAtTwoHours(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a", "cm", validates))
	w.store.AlertChannels = []string{app.AlertTelegram, app.AlertWebhook}
	v := w.waiting("a", app.KindPost, app.PostPayload{Account: "ember", Text: "gm"})
	after := app.DefaultSettings().OverdueAfter
	for _, c := range []struct {
		waited time.Duration
		alerts int
	}{{2*time.Hour - time.Second, 0}, {2 * time.Hour, 1}, {2*time.Hour + time.Minute, 1}, {50 * time.Hour, 1}} {
		now := j0.Add(c.waited)
		for _, err := range together(4, func(int) error { return w.store.RaiseOverdue(w.ctx, now.Add(-after), now) }) {
			w.must(err)
		}
		if got := w.alerts("validation_overdue"); len(got) != c.alerts || w.count("alert_deliveries") != 2*c.alerts {
			t.Errorf("after %s: %v, %d deliveries", c.waited, got, w.count("alert_deliveries"))
		}
	}
	if got := w.alerts("validation_overdue"); len(got) != 1 || got[0] != v.ID {
		t.Errorf("it is about %v", got)
	}
}

// TestAnAlertThatWasNotRaisedIsNotBrought: its deliveries are of its transaction.
func TestAnAlertThatWasNotRaisedIsNotBrought(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.store.AlertChannels = []string{app.AlertWebhook}
	w.raise("rejected", 1, j0)
	w.raise("rejected", 1, j0.Add(time.Hour)) // the same again
	if n := w.count("alert_deliveries"); n != 1 {
		t.Errorf("%d deliveries of one alert", n)
	}
	w.exec(`ALTER TABLE alert_deliveries ADD CONSTRAINT broken CHECK (channel <> 'webhook') NOT VALID`)
	if err := w.store.RaiseAlert(w.ctx, w.op.ID, "rejected", "another", "Look.", j0); err == nil || w.count("alerts") != 1 {
		t.Errorf("raised without its delivery: %v, %d alerts", err, w.count("alerts"))
	}
}

// TestADecisionEndsTheAlertOfItsWait: what was overdue needs nobody any more.
func TestADecisionEndsTheAlertOfItsWait(t *testing.T) {
	t.Parallel()
	for name, decide := range map[string]func(*world, app.Validation, time.Time) time.Time{
		"approved": (*world).approve,
		"rejected": func(w *world, v app.Validation, now time.Time) time.Time { return w.reject(v, "no", now) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := ready(t, app.KindPost, post("gm"))
			w.must(w.store.RaiseAlert(w.ctx, w.op.ID, "validation_overdue", v.ID, "It waits.", j0))
			w.must(w.store.RaiseAlert(w.ctx, w.op.ID, "validation_overdue", "another", "It waits.", j0))
			decide(w, v, j0)
			if open := w.count(`alerts WHERE acknowledged_at IS NULL`); open != 1 {
				t.Errorf("%d alerts are open", open)
			}
			if by := w.count(`alerts WHERE subject = '` + v.ID + `' AND acknowledged_by <> ''`); by != 1 {
				t.Error("nobody has ended it")
			}
		})
	}
}
