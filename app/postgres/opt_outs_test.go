package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

// asks has an author ask something, a reader take that for a kind, and returns
// what was made of it. Each author asks once in a day.
func (w *world) asks(id int, author, text, kind string) string {
	w.t.Helper()
	now := j0.Add(time.Duration(id) * 25 * time.Hour)
	m := mention(id, author, now)
	if text != "" {
		m.Text = text
	}
	w.looks(now, m)
	if kind != "" {
		w.must(w.reads(fmt.Sprint("cm.mentions.", id), now, fmt.Sprintf(`{"mentions":[{"id":"%d","kind":"%s","subject":"%s"}]}`, id, kind, map[bool]string{true: "vote", false: "none"}[kind == "question"])))
	}
	got := w.mention(id)
	return string(got.State) + " " + got.Why
}

// speaksAs has the operation speak with another account of ours.
func (w *world) speaksAs(handle string, user string) {
	w.t.Helper()
	a := account(1, j0.AddDate(1, 0, 0))
	a.Handle, a.UserID = handle, user
	w.must(w.store.SaveXAccount(w.ctx, a, j0))
	w.exec(`UPDATE operations SET x_handle = $1`, handle)
}

// TestHowFarAWishGoes: one in plain words holds for every account of ours, one
// that only a reader saw for the one it was put to, and a person takes back
// either, with a reason that is kept.
func TestHowFarAWishGoes(t *testing.T) {
	t.Parallel()
	w := noticed(t)
	w.speaksAs("Ember", "7")
	expect := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	expect(w.asks(1, "51", "@ember stop", ""), "ignored opt_out")
	expect(w.asks(2, "52", "", "opt_out"), "ignored reader")
	expect(w.asks(3, "51", "", "question"), "ignored silenced")
	expect(w.asks(4, "52", "", "question"), "ignored silenced")

	w.speaksAs("coal", "8")
	expect(w.asks(5, "51", "", "question"), "ignored silenced")
	expect(w.asks(6, "52", "", "question"), "drafted allowed")
	if w.mention(1).OptOut != app.OptOutAll || w.mention(2).OptOut != app.OptOutNone {
		t.Errorf("shown as %q and %q", w.mention(1).OptOut, w.mention(2).OptOut)
	}

	speaking := func() app.Operation {
		op, err := w.store.Operation(w.ctx, w.op.ID)
		w.must(err)
		return op
	}
	undone := func(author, reason string) error {
		return w.store.RemoveOptOut(w.ctx, speaking(), author, reason, ada, j0)
	}
	w.conflict(undone("52", "it was another account's"), "has not asked to be left alone")
	w.must(undone("51", "it was a joke"))
	w.conflict(undone("51", "again"), "Nothing was changed")
	expect(w.asks(7, "51", "", "question"), "drafted allowed")

	w.speaksAs("ember", "7")
	expect(w.asks(8, "52", "", "question"), "ignored silenced")
	w.must(w.store.SkipStep(w.ctx, w.beside("cm.mention_reply.6").ID, "of the other account", ada, j0))
	w.must(undone("52", "they only asked us to stop the music"))
	expect(w.asks(9, "52", "", "question"), "drafted allowed")
	expect(w.asks(10, "52", "@ember stop", ""), "ignored opt_out") // it counts again
	expect(w.asks(11, "52", "", "question"), "ignored silenced")

	rows, err := w.store.Audit(w.ctx, 2)
	w.must(err)
	if r := rows[0]; len(rows) != 2 || r.User != ada.Name || r.Action != "opt_out.remove" || !strings.HasSuffix(r.Subject, " 52") ||
		!strings.Contains(string(r.Before), `"post": "2"`) || !strings.Contains(string(r.After), "the music") {
		t.Errorf("the audit says %+v: %s, %s", r, r.Before, r.After)
	}
}
