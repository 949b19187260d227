package rehearsal_test

import (
	"testing"

	"vivra/app"
	"vivra/app/rehearsal"
)

// TestRepliesAreDraftedApprovedAndSentOnce: with X's approval on file honest
// questions are answered, each once, for the price of a reply; those who try to
// steer get none. What arrived is what was approved, as rehearse holds.
func TestRepliesAreDraftedApprovedAndSentOnce(t *testing.T) {
	t.Parallel()
	e := rehearse(t, rehearsal.Plan{Seed: 7, Days: 5, Script: script(t, "usual"), ReplyApproval: "X case 12345"})
	replies, answered := 0, map[string]bool{}
	own := map[string]bool{}
	for _, p := range e.world.X.Posts() {
		own[p.ID] = true
	}
	for _, p := range e.world.X.Posts() {
		if p.ReplyTo == "" || own[p.ReplyTo] {
			continue
		}
		replies++
		if answered[p.ReplyTo] || p.Charged != app.Dollar/100 || len(p.Media) > 0 {
			t.Errorf("%q answers %s for %s", p.Text, p.ReplyTo, p.Charged)
		}
		answered[p.ReplyTo] = true
	}
	if replies < 2 {
		t.Errorf("%d replies in five days", replies)
	}
	page, err := e.store.Mentions(t.Context(), e.op.ID, app.MentionFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range page.Items {
		if m.Kind != "question" && answered[m.PostID] || (m.State == app.MentionAnswered) != answered[m.PostID] {
			t.Errorf("%s is %s, %s: %s", m.PostID, m.State, m.Kind, m.Text)
		}
	}
	t.Logf("%d mentions: %v, look %+v", len(page.Items), page.Counts, page.Look)
	if page.Counts[app.MentionFlagged] == 0 {
		t.Error("nobody tried to steer")
	}
}
