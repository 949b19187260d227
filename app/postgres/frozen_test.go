package postgres_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres"
)

const picture, forged = "1111111111111111111111111111111111111111111111111111111111111111", "2222222222222222222222222222222222222222222222222222222222222222"

// ready is an operation with a connected account and one output that waits.
func ready(t testing.TB, kind app.ValidationKind, payload any) (*world, app.Validation) {
	t.Helper()
	w := newWorld(t, app.Dollar, step("cm.post", "cm", validates))
	w.connect()
	return w, w.waiting("cm.post", kind, payload)
}

func (w *world) connect() {
	w.t.Helper()
	w.must(w.store.SaveXAccount(w.ctx, postgres.XAccount{Handle: "ember", UserID: "77", AccessSealed: []byte{1}, RefreshSealed: []byte{2}, Scopes: []string{}, ExpiresAt: j0}, j0))
}

func withPicture() app.PostPayload {
	return app.PostPayload{Account: "ember", Text: "Day 3", Media: []app.Media{{SHA256: picture, MIME: "image/png", Alt: "a fire"}}}
}

// past runs SQL that a trigger would refuse.
func (w *world) past(sql string, args ...any) {
	w.t.Helper()
	w.exec(`ALTER TABLE validations DISABLE TRIGGER validations_frozen`)
	w.exec(sql, args...)
	w.exec(`ALTER TABLE validations ENABLE TRIGGER validations_frozen`)
}

// swap changes a text in a column that has a hash beside it.
func (w *world) swap(table, column, old, new string) {
	w.t.Helper()
	w.past(fmt.Sprintf(`UPDATE %s SET %s = replace(%s, $1, $2), %s_sha256 = sha256(convert_to(replace(%s, $1, $2), 'UTF8'))`, table, column, column, column, column), old, new)
}

// waits returns the one draft that waits.
func (w *world) waits() app.Validation {
	w.t.Helper()
	if n := w.count(`validations WHERE state = 'pending'`); n != 1 {
		w.t.Fatalf("%d drafts wait", n)
	}
	var id string
	w.scan([]any{&id}, `SELECT id FROM validations WHERE state = 'pending'`)
	v, err := w.store.Validation(w.ctx, id)
	w.must(err)
	return v
}

// again is a validation as it stands now.
func (w *world) again(v app.Validation) app.Validation {
	w.t.Helper()
	v, err := w.store.Validation(w.ctx, v.ID)
	w.must(err)
	return v
}

// unsent checks that nothing of v went out or will, and that all of it was told.
func (w *world) unsent(v app.Validation, alert, reason string) {
	w.t.Helper()
	for _, e := range w.effects(v) {
		for range 2 {
			if got, ok := w.attempt(e, t0.Add(time.Hour)); ok {
				w.t.Fatalf("it was let out: %s", got.Request)
			}
		}
	}
	for _, e := range w.effects(v) {
		if e.State != app.EffectVoid {
			w.t.Errorf("effect %d is %s", e.Position, e.State)
		}
	}
	if jobs, err := w.store.WakeEffects(w.ctx, t0.Add(200*time.Hour), wall, wall.Add(lease)); err != nil || len(jobs) != 0 {
		w.t.Errorf("woken all the same: %v, %v", jobs, err)
	}
	if got := w.again(v); got.State != app.ValidationVoid || !strings.Contains(got.VoidReason, reason) || got.DecidedBy != "ada" || got.DecidedAt == nil {
		w.t.Errorf("the draft is %s because %q, decided by %q", got.State, got.VoidReason, got.DecidedBy)
	}
	if got := w.alerts(alert); len(got) != 1 || got[0] != v.ID {
		w.t.Errorf("alerts %v", got)
	}
	if _, reserved, _ := w.money(); reserved != 0 {
		w.t.Errorf("%s is reserved", reserved)
	}
	lines := w.summaries("cm.post")
	if !slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "Approval withdrawn: ") && strings.Contains(l, reason)
	}) {
		w.t.Errorf("the log says %q", lines)
	}
	if problem := chainProblem(w.t, w); problem != "" {
		w.t.Error(problem)
	}
}

// replacing checks the draft that waits in the place of v, and returns it.
func (w *world) replacing(v app.Validation) app.Validation {
	w.t.Helper()
	next := w.waits()
	var marks int
	w.scan([]any{&marks}, `SELECT marks FROM validations WHERE id = $1`, next.ID)
	if next.Replaces != v.ID || next.DraftNo != v.DraftNo+1 || next.StepID != v.StepID || next.RunID != v.RunID || next.Nonce == v.Nonce {
		w.t.Errorf("draft no. %d waits for %q", next.DraftNo, next.Replaces)
	}
	if string(next.Payload) != string(w.again(v).Payload) || app.SHA256Hex(next.Payload) != next.PayloadSHA256 || app.SHA256Hex(next.Frozen) != next.FrozenSHA256 {
		w.t.Errorf("it waits with %s under %s", next.Payload, next.PayloadSHA256)
	}
	if marks == 0 || marks != next.Risk.Marks() {
		w.t.Errorf("%d marks are kept of %+v", marks, next.Risk)
	}
	if s := w.step("cm.post"); s.State != app.StepWaiting {
		w.t.Errorf("its step is %s", s.State)
	}
	return next
}

// TestWhatChangedAfterApprovalIsNeverSent changes, past every guard, each thing
// that an approval binds to.
func TestWhatChangedAfterApprovalIsNeverSent(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*world)
		says   string
		// against: nobody can approve it any more.
		against bool
	}{
		"text":            {func(w *world) { w.swap("validations", "payload", "Day 3", "Send ETH") }, `text was “Day 3”, it is now “Send ETH”`, false},
		"address in text": {func(w *world) { w.swap("validations", "payload", "Day 3", "To 0x"+strings.Repeat("ab", 20)) }, "abab", true},
		"picture":         {func(w *world) { w.swap("validations", "payload", picture, forged) }, forged, false},
		"kind":            {func(w *world) { w.past(`UPDATE validations SET kind = 'kit'`) }, "The kind of output was “post”", false},
		"handle":          {func(w *world) { w.exec(`UPDATE operations SET x_handle = 'ash'`) }, "was @ember, it is now @ash", true},
		"account":         {func(w *world) { w.exec(`UPDATE x_accounts SET user_id = '78'`) }, "number of the account on X was 77, it is now 78", false},
		"no account":      {func(w *world) { w.exec(`DELETE FROM x_accounts`) }, "number of the account on X was 77, it is now none", false},
		"token":           {func(w *world) { w.exec(`UPDATE tokens SET address = decode(repeat('cc', 20), 'hex')`) }, "it is now 0xcccc", false},
		"group":           {func(w *world) { w.exec(`UPDATE operations SET telegram_chat = -200`) }, "was -100, it is now -200", false},
		"host":            {func(w *world) { w.exec(`UPDATE operations SET site_host = 'ash.example'`) }, "it is now ash.example", false},
		"a waiting call":  {func(w *world) { w.swap("effects", "request", "Day 3", "Send ETH") }, "not among those", false},
		"a call's kind":   {func(w *world) { w.exec(`UPDATE effects SET kind = 'tg.message'`) }, "not among those", false},
		"a call's place":  {func(w *world) { w.exec(`UPDATE effects SET position = 5`) }, "not among those", false},
		"a call's bytes": {func(w *world) {
			var name string
			w.scan([]any{&name}, `SELECT conname FROM pg_constraint WHERE conrelid = 'effects'::regclass AND pg_get_constraintdef(oid) LIKE '%sha256(%'`)
			w.exec(`ALTER TABLE effects DROP CONSTRAINT ` + name)
			w.exec(`UPDATE effects SET request = replace(request, 'Day 3', 'Send ETH')`)
		}, "not among those", false},
		"the calls of another program": {func(w *world) {
			w.swap("validations", "frozen", `"poll_minutes":0`, `"poll_minutes":1`)
			w.swap("effects", "request", `"poll_minutes":0`, `"poll_minutes":1`)
		}, "Call 1, a post on X: poll_minutes was 1, it is now 0", false},
		"the record": {func(w *world) {
			w.exec(`ALTER TABLE validations DROP CONSTRAINT validations_frozen_hash`)
			w.past(`UPDATE validations SET frozen = replace(frozen, 'a fire', 'a fire!')`)
		}, "record", false},
		"a record of an older program": {func(w *world) { w.past(`UPDATE validations SET frozen = '', frozen_sha256 = sha256('')`) }, "older version", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := ready(t, app.KindPost, withPicture())
			w.approve(v, j0)
			tt.change(w)
			w.unsent(v, "payload_changed", "not what was approved")
			next := w.replacing(v)
			if !slices.ContainsFunc(next.Risk.Problems, func(p string) bool { return strings.Contains(p, tt.says) }) {
				t.Errorf("it does not say what is different: %q", next.Risk.Problems)
			}
			_, err := w.store.ApproveValidation(w.ctx, next.Choice(), bob, nil, t0)
			if tt.against {
				if !isKind(err, app.Conflict) || !strings.Contains(err.Error(), "Reject it") {
					t.Errorf("approved against the operation: %v", err)
				}
				return
			}
			w.must(err)
			at := w.apply(t0)
			if next.Kind == app.KindKit {
				return
			}
			if e, ok := w.attempt(w.effects(next)[0], at); !ok || app.SHA256Hex(e.Request) != e.RequestSHA256 {
				t.Errorf("approved as it is now, it does not go out")
			}
		})
	}
}

func TestWhatCantBeReadAnyMoreEndsWithAPerson(t *testing.T) {
	t.Parallel()
	w, v := ready(t, app.KindPost, withPicture())
	w.approve(v, j0)
	w.swap("validations", "payload", `"Day 3"`, "3")
	w.unsent(v, "payload_changed", "not what was approved")
	if s := w.step("cm.post"); s.State != app.StepFailed || w.count(`validations WHERE state = 'pending'`) != 0 {
		t.Fatalf("its step is %s", s.State)
	}
	w.must(w.store.RetryStep(w.ctx, w.step("cm.post").ID, "looked into it", ada, t0))
}

func TestNoDraftWaitsForAStepThatHasMovedOn(t *testing.T) {
	t.Parallel()
	w, v := ready(t, app.KindPost, withPicture())
	w.approve(v, j0)
	w.exec(`UPDATE operations SET site_host = 'ash.example'`)
	w.exec(`UPDATE operation_steps SET state = 'failed'`)
	w.unsent(v, "payload_changed", "not what was approved")
	if n := w.count(`validations`); n != 1 || w.step("cm.post").State != app.StepFailed {
		t.Errorf("%d drafts, the step is %s", n, w.step("cm.post").State)
	}
}

func TestAnEffectThatNobodyApprovedIsNeverSent(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"void":        `UPDATE validations SET state = 'void'`,
		"not applied": `UPDATE validations SET applied_at = NULL`,
		"pending":     `UPDATE validations SET state = 'pending', decided_at = NULL, applied_at = NULL`,
		"rejected":    `UPDATE validations SET state = 'rejected'`,
	} {
		w, v := ready(t, app.KindPost, withPicture())
		w.approve(v, j0)
		w.past(sql)
		if jobs, err := w.store.WakeEffects(w.ctx, t0, wall, wall.Add(lease)); err != nil || len(jobs) != 0 {
			t.Errorf("%s: woken: %v, %v", name, jobs, err)
		}
		if _, ok := w.attempt(w.effects(v)[0], t0); ok || w.effects(v)[0].State != app.EffectVoid || len(w.alerts("payload_changed")) != 1 {
			t.Errorf("%s: attempted %t, it is %s, alerts %v", name, ok, w.effects(v)[0].State, w.alerts("payload_changed"))
		}
		if s := w.step("cm.post"); (s.State == app.StepFailed) == (name == "pending") {
			t.Errorf("%s: its step is %s", name, s.State)
		}
	}
}

// An account that was connected since the draft was written may be any, until
// the first attempt.
func TestAnAccountConnectedSinceIsBoundByTheFirstAttempt(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 1, app.Dollar)
	w.connect()
	w.approve(v[0], j0)
	w.exec(`UPDATE x_accounts SET user_id = '78'`)
	e, ok := w.attempt(w.effects(v[0])[0], t0)
	if got := w.again(v[0]); !ok || got.AccountID != "78" {
		t.Fatalf("attempted %t, bound to %q", ok, got.AccountID)
	}
	w.refused("bound to another", `UPDATE validations SET account_id = '79'`)
	w.refused("bound to none", `UPDATE validations SET account_id = ''`)
	w.must(w.store.EffectLater(w.ctx, e, "429", t0, t0))
	w.exec(`UPDATE x_accounts SET user_id = '79'`)
	if _, ok := w.attempt(e, t0); ok || w.states(v[0]) != "void" {
		t.Errorf("another account's attempt: %t, it is %s", ok, w.states(v[0]))
	}
	if problems := w.waits().Risk.Problems; len(problems) != 1 || problems[0] != "The number of the account on X was 78, it is now 79." {
		t.Errorf("it waits again with %q", problems)
	}
}

func thread4() app.ThreadPayload {
	return app.ThreadPayload{Account: "ember", Posts: []app.PostPayload{{Text: "one"}, {Text: "two"}, {Text: "three"}, {Text: "four"}}}
}

// begun is a thread of four whose first two posts are out.
func begun(t testing.TB) (*world, app.Validation) {
	t.Helper()
	w, v := ready(t, app.KindThread, thread4())
	w.approve(v, j0)
	for i := range 2 {
		e, ok := w.attempt(w.effects(v)[i], t0)
		if !ok {
			t.Fatalf("post %d is not attempted", i)
		}
		w.must(w.store.EffectDone(w.ctx, e, sent(fmt.Sprint(100+i)), t0))
	}
	return w, v
}

func (w *world) states(v app.Validation) string {
	w.t.Helper()
	var all []string
	for _, e := range w.effects(v) {
		all = append(all, string(e.State))
	}
	return strings.Join(all, " ")
}

func TestAThreadThatIsPartlyOutDoesNotWaitAgain(t *testing.T) {
	t.Parallel()
	w, v := begun(t)
	w.exec(`UPDATE operations SET site_host = 'ash.example'`)
	for range 2 {
		if _, ok := w.attempt(w.effects(v)[2], t0); ok {
			t.Fatal("it goes on")
		}
	}
	if got := w.states(v); got != "done done void void" {
		t.Errorf("its posts are %s", got)
	}
	if s := w.step("cm.post"); s.State != app.StepFailed || w.count(`validations WHERE state = 'pending'`) != 0 || w.again(v).State != app.ValidationApproved {
		t.Errorf("its step is %s", s.State)
	}
	alerts, err := w.store.Alerts(w.ctx)
	w.must(err)
	if len(alerts) != 1 || alerts[0].Kind != "payload_changed" || !strings.Contains(alerts[0].Message, "https://x.com/ember/status/101") || !strings.Contains(alerts[0].Message, "ash.example") {
		t.Errorf("alerts %+v", alerts)
	}
	if err := w.store.RetryEffect(w.ctx, w.effects(v)[2].ID, "go on", ada, t0); !isKind(err, app.Conflict) {
		t.Errorf("the rest is tried again: %v", err)
	}
}

// What the sender finds, such as a picture with other bytes, is treated alike.
func TestWhatTheSenderFindsChangedIsNotSent(t *testing.T) {
	t.Parallel()
	w, v := ready(t, app.KindPost, withPicture())
	w.approve(v, j0)
	e, ok := w.attempt(w.effects(v)[0], t0)
	if !ok {
		t.Fatal("not attempted")
	}
	changes := []string{"The picture “a fire” holds other bytes."}
	stranger := e
	stranger.Fence++
	if err := w.store.EffectChanged(w.ctx, stranger, changes, t0); err != postgres.ErrLost {
		t.Errorf("a stranger: %v", err)
	}
	errs := together(4, func(int) error { return w.store.EffectChanged(w.ctx, e, changes, t0) })
	if n := len(slices.DeleteFunc(errs, func(err error) bool { return err == postgres.ErrLost })); n != 1 {
		t.Errorf("%d were heard: %v", n, errs)
	}
	w.unsent(v, "payload_changed", "not what was approved")
	if next := w.replacing(v); !slices.Equal(next.Risk.Problems, changes) {
		t.Errorf("problems %q", next.Risk.Problems)
	}

	w, v = begun(t)
	e, _ = w.attempt(w.effects(v)[2], t0)
	w.must(w.store.EffectChanged(w.ctx, e, changes, t0))
	if got := w.states(v); got != "done done void void" || w.step("cm.post").State != app.StepFailed {
		t.Errorf("in mid-thread: %s, the step is %s", got, w.step("cm.post").State)
	}
}

// A draft of an agent, and what a person sees of it, is frozen as it is proposed.
func TestDraftsAreFrozenWhenTheyAreProposed(t *testing.T) {
	t.Parallel()
	w, v := ready(t, app.KindPost, withPicture())
	var f app.Frozen
	w.must(json.Unmarshal(v.Frozen, &f))
	want, err := effects.Freeze(app.KindPost, v.Payload, effects.Binding{OfficialAddress: w.op.Token.Ref.Address.Hex(), Account: "ember", AccountID: "77", Chat: -100, Host: "ember-1.example"})
	w.must(err)
	if got := effects.Changes(want, f); got != nil || len(f.Calls) != 1 || !slices.Equal(f.Files, []string{picture}) || app.SHA256Hex(v.Frozen) != v.FrozenSHA256 {
		t.Errorf("frozen is %s: %q", v.Frozen, got)
	}
	w.approve(v, j0)
	if e := w.effects(v)[0]; string(e.Request) != string(f.Calls[0].Request) {
		t.Errorf("%s is to be sent, %s was shown", e.Request, f.Calls[0].Request)
	}
	w.refused("the record changed alone", `UPDATE validations SET frozen = '{}'`)
	w.refused("the record changed with its hash", `UPDATE validations SET frozen = '{}', frozen_sha256 = sha256('{}')`)
	w.refused("the record forgotten", `UPDATE validations SET frozen = '', frozen_sha256 = sha256('')`)
	w.refused("applied once more", `UPDATE validations SET applied_at = applied_at + interval '1 hour'`)
	w.refused("as if it had not been applied", `UPDATE validations SET applied_at = NULL`)
	w.exec(`ALTER TABLE validations DISABLE TRIGGER validations_frozen`)
	w.refused("a record under the hash of another", `UPDATE validations SET frozen = '{}'`)
	w.exec(`ALTER TABLE validations ENABLE TRIGGER validations_frozen`)
	w.refused("two open drafts of a step", `INSERT INTO validations (operation_id, step_id, call_id, kind, payload, payload_sha256, draft_no, risk, created_at, state, decided_at)
SELECT operation_id, step_id, 'other', kind, payload, payload_sha256, n, risk, created_at, 'approved', created_at FROM validations, (VALUES (8), (9)) more(n)`)
}

// An output that speaks of another operation is marked as soon as it is written.
func TestContradictionsAreMarked(t *testing.T) {
	t.Parallel()
	_, v := ready(t, app.KindPost, app.PostPayload{Account: "ash", Text: "Day 3"})
	if v.Risk.Marks() != 1 || !strings.Contains(v.Risk.Problems[0], "@ash") {
		t.Errorf("problems %q", v.Risk.Problems)
	}
}

// Whether an address is the token's is looked at once more when a draft waits
// again, since the token may be what has changed.
func TestAddressesAreComparedOnceMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.post", "cm", validates))
	own := w.op.Token.Ref.Address.Hex()
	c := w.start("cm.post")
	risk := app.Risk{Addresses: []app.FoundAddress{{Address: own, Matches: true}}, Problems: []string{"It is long."}, Effect: "Posts it."}
	id, err := w.store.Propose(w.ctx, c, postgres.Proposal{Kind: app.KindPost, Payload: post("CA " + own), Risk: risk}, j0)
	w.must(err)
	w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{Output: json.RawMessage(`{}`)}, j0))
	v, err := w.store.Validation(w.ctx, id)
	w.must(err)
	w.approve(v, j0)
	w.exec(`UPDATE tokens SET address = decode(repeat('cc', 20), 'hex')`)
	w.unsent(v, "payload_changed", "not what was approved")
	next := w.replacing(v)
	if next.Risk.Addresses[0].Matches || next.Risk.Problems[0] != "It is long." || len(next.Risk.Problems) != 3 || next.Risk.Effect != "Posts it." {
		t.Errorf("its risk is %+v", next.Risk)
	}
}
