package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vivra/app"
)

// done fails unless the store was told exactly that.
func (x *exhibit) was(t *testing.T, want ...string) {
	t.Helper()
	if got := x.said(); got != strings.Join(want, "\n") {
		t.Errorf("what was done:\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestOperationControls(t *testing.T) {
	t.Parallel()
	x, v := team(t, "admin")
	show := func() page { return v.get("/admin/operations/dodo") }

	v.submit(show(), "form[action$='/pause']", nil)
	if res := v.submit(show(), "form[action$='/stop']", url.Values{"reason": {"The deployer is back."}, "confirm": {"dodod"}}); res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a mistyped confirmation answers %s", res.Status)
	}
	v.submit(show(), "form[action$='/stop']", url.Values{"reason": {"The deployer is back."}, "confirm": {"dodo"}})
	v.submit(show(), "form[action$='/effects/4/retry']", url.Values{"reason": {"The account is back."}})
	x.op.State = app.OperationPaused
	v.submit(show(), "form[action$='/resumption']", nil)

	x.was(t, "pause dodo by admin", "stop dodo by admin: The deployer is back.", "retry effect 4 by admin: The account is back.", "resume dodo by admin")
}

func TestTheCapIsRaisedOnly(t *testing.T) {
	t.Parallel()
	x, v := team(t, "admin")
	opened := v.get("/admin/operations/dodo")
	raise := func(to, reason string) page {
		return v.submit(opened, "form[action$='/cap']", url.Values{"cap": {to}, "reason": {reason}})
	}
	for name, c := range map[string]struct {
		to, reason string
		status     int
	}{
		"lower":      {"24.999999999", "x", http.StatusUnprocessableEntity},
		"the same":   {"25", "x", http.StatusUnprocessableEntity},
		"no amount":  {"much", "x", http.StatusUnprocessableEntity},
		"no reason":  {"30", " ", http.StatusUnprocessableEntity},
		"a fraction": {"25.0000000001", "x", http.StatusUnprocessableEntity},
	} {
		if res := raise(c.to, c.reason); res.StatusCode != c.status {
			t.Errorf("%s answers %s", name, res.Status)
		}
	}
	if res := raise("30.000000001", "The poll cost more."); res.StatusCode != http.StatusSeeOther {
		t.Errorf("raising it answers %s: %s", res.Status, squeeze(res.body))
	}
	x.op.Cap = 40 * app.Dollar
	if res := raise("50", "x"); res.StatusCode != http.StatusConflict || !strings.Contains(res.body, "The cap is $40.00 by now") {
		t.Errorf("on an old page it answers %s: %s", res.Status, squeeze(res.body))
	}
	x.was(t, "raise dodo from $25.00 to $30.000000001 by admin: The poll cost more.")
}

// TestAStepMayHaveMoved: what was meant for the step as it stood on the page is
// not done to what it has become.
func TestAStepMayHaveMoved(t *testing.T) {
	t.Parallel()
	x, v := team(t, "admin")
	opened := v.get("/admin/operations/dodo")
	steer := func(key string) page {
		form := opened.doc(t).Find("#step-" + strings.ReplaceAll(key, ".", "-") + " form").First()
		values := url.Values{"csrf": {v.csrf()}, "reason": {"Because."}, "state": {form.Find("[name=state]").AttrOr("value", "")}}
		return v.post(form.Find("button").First().AttrOr("formaction", ""), values)
	}
	if res := steer("cm.daily_post.d08"); res.StatusCode != http.StatusSeeOther {
		t.Errorf("a failed step answers %s", res.Status)
	}
	x.setStep("cm.daily_post.d08", app.StepRunning)
	if res := steer("cm.daily_post.d08"); res.StatusCode != http.StatusConflict || !strings.Contains(res.body, "This step is running by now: it was failed when you opened the page") {
		t.Errorf("one that runs by now answers %s: %s", res.Status, squeeze(res.body))
	}
	if n := strings.Count(x.said(), "retry"); n != 1 {
		t.Errorf("done %d times:\n%s", n, x.said())
	}
}

// TestEveryStepSaysWhatMayBeDone: each state has its buttons, and where one is
// missing its reason.
func TestEveryStepSaysWhatMayBeDone(t *testing.T) {
	t.Parallel()
	x, v := team(t, "admin")
	step := func(key string) string {
		return squeeze(v.get("/admin/operations/dodo").doc(t).Find("#step-" + strings.ReplaceAll(key, ".", "-")).Text())
	}
	for key, want := range map[string][]string{
		"cm.daily_post.d08":         {"Run it again", "Skip it", "begins from its start"},
		"scanner.daily_metrics.d09": {"Start it over", "Skip it", "Its run is broken off"},
		"cm.daily_post.d09":         {"Have it written anew", "Skip it", "The draft is withdrawn"},
		"cm.daily_post.d10":         {"Skip it"},
	} {
		got := step(key)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s does not say %q: %s", key, w, got)
			}
		}
	}
	if got := step("cm.daily_post.d10"); strings.Contains(got, "anew") || strings.Contains(got, "again") {
		t.Errorf("a planned step can be retried: %s", got)
	}
	x.mu.Lock()
	x.effects[2].State = app.EffectAttempting
	x.mu.Unlock()
	if got := step("cm.daily_post.d09"); strings.Contains(got, "Skip it") || !strings.Contains(got, "on its way or in doubt") {
		t.Errorf("one that is being published: %s", got)
	}
	x.mu.Lock()
	x.effects[2].State = app.EffectFailed
	x.effects = append(x.effects, x.effects[2])
	x.effects[len(x.effects)-1].State = app.EffectDone
	x.mu.Unlock()
	if got := step("cm.daily_post.d09"); strings.Contains(got, "written anew") || !strings.Contains(got, "Skip it") || !strings.Contains(got, "would publish that part twice") {
		t.Errorf("one that is partly out: %s", got)
	}
}

// TestPublicationsTellAll: state, when, attempts, why not, and the receipt.
func TestPublicationsTellAll(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("viewer")
	doc := v.get("/admin/operations/dodo").doc(t)
	for id, want := range map[string]string{
		"effect-v-thread-0": "Comeback thread a post on X, part 1, 1 attempt receipt",
		"effect-v-d09-0":    "not before 7 Dec, 15:24 UTC Daily post, day 9",
		"effect-v-d06-0":    "X answered 403 Forbidden",
		"effect-v-tg-2":     "a message to the group, part 3 the payload was changed",
		"effect-v-d07-1":    "Look on X, as @dodo_back for what came after 7 Dec 2026, 13:20 UTC and says: Day 7. <b>1,262</b> holders never sold.",
	} {
		if got := spoken(doc, "#"+id); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want …%s…", id, got, want)
		}
	}
	if link := doc.Find("#effect-v-thread-0 a").AttrOr("href", ""); link != "https://x.com/dodo_back/status/1" {
		t.Errorf("the receipt is %s", link)
	}
	if doc.Find("#effect-v-d06-0 form, #effect-v-d07-1 button").Length() > 0 {
		t.Error("a viewer may retry or settle")
	}
}
