package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

func TestSettingsKeepHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	for i, seconds := range []string{"600", "7200"} {
		w.must(w.store.SetSetting(w.ctx, "x.post_spacing_s", json.RawMessage(seconds), []string{"ada", "bob"}[i], j0.Add(time.Duration(i)*time.Hour)))
	}
	w.must(w.store.SetSetting(w.ctx, "budget.share_percent.cm", json.RawMessage(`25`), "ada", j0))
	got, err := w.store.Settings(w.ctx)
	if err != nil || got.PostSpacing != 2*time.Hour || got.Share("cm", 1000) != 250 || got.Share("scanner", 1000) != 400 || got.Share("designer", 1000) != 500 || got.MaxTurns != 25 {
		t.Errorf("%+v, %v", got, err)
	}
	if n := w.count("settings WHERE key = 'x.post_spacing_s'"); n != 2 {
		t.Errorf("%d values are kept", n)
	}
	audit, err := w.store.Audit(w.ctx, 2)
	if err != nil || audit[1].User != "bob" || audit[1].Subject != "x.post_spacing_s" || string(audit[1].After) != "7200" {
		t.Errorf("the audit says %+v, %v", audit, err)
	}
	rows, audited := w.count("settings"), w.count("admin_audit")
	for key, value := range map[string]string{"x.post_spacing": "600", "": "1", "x.post_spacing_s": `"soon"`, "links.allowlist": `7`, "llm.prices.gpt-5": `{}`, "llm.model.cm": `5`, "budget.share_percent.cm": `101`, "budget.share_percent.": `1`, "run.retries": `-1`, "nothing": `null`, "step.retries_s": `{}`} {
		if err := w.store.SetSetting(w.ctx, key, json.RawMessage(value), "ada", j0); !isKind(err, app.Invalid) || !strings.HasPrefix(err.Error(), key+" can't be set to") {
			t.Errorf("%q = %s: %v", key, value, err)
		}
	}
	if w.count("settings") != rows || w.count("admin_audit") != audited {
		t.Error("a refused setting left something behind")
	}
}

func TestAlertsAreRaisedAndAcknowledgedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	for _, err := range together(8, func(int) error { return w.store.RaiseAlert(w.ctx, w.op.ID, "raid", "chat", "Look.", j0) }) {
		w.must(err)
	}
	w.must(w.store.RaiseAlert(w.ctx, w.op.ID, "raid", "another chat", "Look.", j0))
	if got := w.alerts("raid"); len(got) != 2 {
		t.Fatalf("alerts %v", got)
	}
	all, err := w.store.Alerts(w.ctx)
	w.must(err)
	won := 0
	for _, err := range together(8, func(int) error { return w.store.AcknowledgeAlert(w.ctx, all[0].ID, ada, j0) }) {
		if err == nil {
			won++
		} else if !isKind(err, app.Conflict) {
			t.Error(err)
		}
	}
	if won != 1 || len(w.alerts("raid")) != 1 || w.count("admin_audit WHERE action = 'alert.acknowledge'") != 1 {
		t.Errorf("acknowledged %d times", won)
	}
}
