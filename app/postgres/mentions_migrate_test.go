package postgres_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

// crowded is a world with a mention, and a reply, at each stage.
func crowded(t *testing.T) *world {
	t.Helper()
	w := noticed(t)
	now := j0.Add(time.Minute)
	stop := mention(6, "56", now)
	stop.Text = "@ember stop"
	w.looks(now, mention(1, "51", now), mention(2, "52", now), mention(3, "53", now), mention(4, "54", now), mention(5, "55", now), stop)
	w.must(w.reads("cm.mentions.5", now, `{"mentions":[{"id":"1","kind":"question","subject":"vote"},{"id":"2","kind":"question","subject":"vote"},
{"id":"3","kind":"question","subject":"vote"},{"id":"4","kind":"legal","subject":"none"},{"id":"5","kind":"opt_out","subject":"none"}]}`))
	for id, author := range map[int]string{1: "51", 2: "52"} { // one goes out, one waits
		v := w.reply(fmt.Sprint("cm.mention_reply.", id), author, fmt.Sprint(id), now)
		if id == 1 {
			at := w.approve(v, now)
			e, ok := w.attempt(w.effects(v)[0], at)
			if !ok {
				t.Fatal("the reply was not attempted")
			}
			w.must(w.store.EffectDone(w.ctx, e, postgres.Sent{Receipt: map[string]string{}, ProviderID: "77", Summary: "Replied"}, at))
		}
	}
	w.looks(now.Add(time.Hour), mention(7, "57", now.Add(time.Hour)))
	return w
}

// TestMigrationsWithMentionsGoDownAndUp: from each version, with mentions and
// replies at every stage. No older program is left a step beside the calendar
// that waits; what went out goes out no second time, though all is read again.
func TestMigrationsWithMentionsGoDownAndUp(t *testing.T) {
	t.Parallel()
	for _, version := range []int64{0, 20261130000001, 20261130000002, 20261130000003, 20261130000004, 20261130000005, 20261130000006, 20261130000007, 20261130000008,
		20261130000009, 20261130000010, 20261130000011, 20261130000012, 20261130000013, 20261130000014, 20261201000015} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			w := crowded(t)
			w.down(version)
			if version >= 20261130000004 {
				if n := w.count("operation_steps WHERE task LIKE 'cm.mention%' AND state IN ('pending', 'waiting_validation')"); n != 0 {
					t.Errorf("%d steps wait", n)
				}
				if n := w.count("effects WHERE state = 'done'"); n != 2 {
					t.Errorf("%d posts are out", n)
				}
			}
			w.must(w.store.Migrate(w.ctx))
			if version == 20261130000010 {
				w.readAgain()
			}
		})
	}
}

// readAgain reads all mentions once more, as a program does that has forgotten
// them: those that a reply was begun for get no other.
func (w *world) readAgain() {
	w.t.Helper()
	now := j0.Add(2 * time.Hour)
	if steps, err := w.store.Steps(w.ctx, w.op.ID); err != nil || len(steps) != 1 {
		w.t.Errorf("the calendar has %d steps, %v", len(steps), err)
	}
	w.looks(now, mention(1, "51", now), mention(3, "53", now), mention(5, "55", now))
	w.must(w.reads("cm.mentions.5-2", now.Add(24*time.Hour), `{"mentions":[{"id":"1","kind":"question","subject":"vote"},{"id":"3","kind":"question","subject":"vote"},{"id":"5","kind":"question","subject":"vote"}]}`))
	for id, want := range map[int]string{1: "ignored answered", 3: "ignored answered", 5: "drafted allowed"} {
		if m := w.mention(id); string(m.State)+" "+m.Why != want {
			w.t.Errorf("%d is %s %s, want %s", id, m.State, m.Why, want)
		}
	}
	if n := w.count("effects WHERE state = 'done'"); n != 2 {
		w.t.Errorf("%d posts are out", n)
	}
}

// reply has the answer to a mention proposed.
func (w *world) reply(key, author, post string, now time.Time) app.Validation {
	w.t.Helper()
	_, err := w.store.AdvanceSteps(w.ctx, w.op.ID, now, wall.Add(lease))
	w.must(err)
	c := claimOf(w.beside(key))
	id, err := w.store.Propose(w.ctx, c, postgres.Proposal{Kind: app.KindPost, Payload: app.PostPayload{Account: "ember", Text: "On day 3.",
		Answers: &app.Answered{PostID: post, AuthorID: author}}}, now)
	w.must(err)
	w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{Output: json.RawMessage(`{"draft":true}`), Summary: "Finished"}, now))
	v, err := w.store.Validation(w.ctx, id)
	w.must(err)
	return v
}
