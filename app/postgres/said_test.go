package postgres_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vivra/app"
)

// said is what the account has said, as far as one step is to know, each with
// how it stands.
func (w *world) said(account, step string, now time.Time) (all []string) {
	w.t.Helper()
	list, err := w.store.Said(w.ctx, account, w.step(step).ID, now)
	w.must(err)
	for _, s := range list {
		how := "posted"
		if s.Waiting {
			how = "waits"
		}
		if s.Reply {
			how += " as a reply"
		}
		all = append(all, fmt.Sprintf("%s %s %s", s.Text, how, s.At.Format("2 15:04:05")))
	}
	return all
}

// What waits in the queue, what was approved, what may be out and what is out
// counts; what was refused, and a step's own draft, does not.
func TestSaid(t *testing.T) {
	t.Parallel()
	w, vs := posts(t, 6, app.Dollar)
	w.must(w.store.SetSetting(w.ctx, "x.post_spacing_s", []byte("0"), "ada", j0))
	for _, v := range vs[:3] {
		w.approve(v, j0)
	}
	w.reject(vs[3], "too proud", j0)
	_, err := w.store.ApproveValidation(w.ctx, vs[4].Choice(), ada, nil, t0) // not applied yet
	w.must(err)
	out, ok := w.attempt(w.effects(vs[0])[0], t0)
	if !ok {
		t.Fatal("the first did not go out")
	}
	w.must(w.store.EffectDone(w.ctx, out, sent("1"), t0.Add(time.Second)))
	maybe, ok := w.attempt(w.effects(vs[1])[0], t0.Add(time.Hour))
	if !ok {
		t.Fatal("the second did not go out")
	}
	w.must(w.store.EffectUnknown(w.ctx, maybe, "timed out", t0.Add(2*time.Hour), t0.Add(time.Hour)))

	got := w.said("Ember", "cm.post_5", t0.Add(time.Hour))
	slices.Sort(got)
	if want := []string{"post 0 posted 10 09:17:11", "post 1 posted 10 10:17:10", "post 2 waits 10 09:17:10", "post 4 waits 10 09:17:00"}; !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	if got := w.said("ember", "cm.post_0", t0.Add(time.Hour)); slices.ContainsFunc(got, func(s string) bool { return s[:6] == "post 0" }) || len(got) != 4 {
		t.Errorf("to the first step %q", got)
	}
	if got := w.said("another", "cm.post_5", t0); len(got) > 0 {
		t.Errorf("another account said %q", got)
	}
	late := t0.AddDate(0, 0, 41)
	if got := w.said("ember", "cm.post_5", late); slices.ContainsFunc(got, func(s string) bool { return s[:6] == "post 0" }) {
		t.Errorf("after 41 days %q", got)
	}
}

// A thread is its posts, a poll its boards and its question; an account is the
// same one in another takeover.
func TestSaidOfThreadsAndPolls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.thread", "cm", validates), step("cm.next", "cm", validates))
	w.waiting("cm.thread", app.KindThread, app.ThreadPayload{Account: "ember", Posts: []app.PostPayload{post("one"), post("two")}})
	other := w.operation(2, app.Dollar, step("designer.poll", "designer", validates))
	w.waitingIn(other.ID, "designer.poll", app.KindPoll, app.PollPayload{Account: "ember", Intro: post("boards"), Question: "which?", Options: []string{"a", "b", "c"}, DurationMinutes: 60, Channels: []string{"x"}}, j0)
	got := w.said("ember", "cm.next", j0)
	slices.Sort(got)
	if want := []string{"boards waits 10 09:17:00", "one waits 10 09:17:00", "two waits 10 09:17:00", "which? waits 10 09:17:00"}; !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}
