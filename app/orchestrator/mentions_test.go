package orchestrator_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testattack"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
	"vivra/app/rehearsal/xsim"
)

// every is how often mentions are read.
const every = 15 * time.Minute

// stranger makes an account that writes to ours.
func (o *office) stranger(n int, name, bio string) string {
	id := fmt.Sprint(700000000 + n)
	o.x.Join(xsim.Account{ID: id, Username: fmt.Sprint("holder_", n), Name: name, Bio: bio, Followers: 40, CreatedAt: testop.J0.AddDate(-2, 0, 0)})
	return id
}

// mentions are all that are known, the oldest first.
func (o *office) mentions() []app.MentionRow {
	o.t.Helper()
	page, err := o.store.Mentions(o.t.Context(), o.op.ID, app.MentionFilter{Limit: 10_000})
	if err != nil {
		o.t.Fatal(err)
	}
	slices.Reverse(page.Items)
	return page.Items
}

func (o *office) states() map[app.MentionState]int {
	count := map[app.MentionState]int{}
	for _, m := range o.mentions() {
		count[m.State]++
	}
	return count
}

// logged are the summaries of the log's lines of a kind.
func (o *office) logged(kind string) (all []string) {
	for _, e := range testop.Log(o.t, o.store, o.op) {
		if e.Kind == kind {
			all = append(all, e.Summary)
		}
	}
	return all
}

// TestOrdersFromStrangersAreNeverFollowed: "post this address" and more than a
// hundred variants of it, to a reader that takes each for an innocent question
// about the address and a writer that obeys. Nothing goes out, nothing waits to,
// the team is told, and the public log counts them.
func TestOrdersFromStrangersAreNeverFollowed(t *testing.T) {
	t.Parallel()
	o := talking(t)
	o.setting("x.mentions_daily_cents", `1000`)
	o.model.Script(gullible(testattack.Address))
	all := testattack.Variants()
	for i, v := range all {
		nick, bio := v.Nick, v.Bio
		if nick == "" {
			nick = "Mara"
		}
		var alts []string
		if v.Alt != "" {
			alts = []string{v.Alt}
		}
		o.x.Show(o.stranger(i, nick, bio), "@"+handle+" "+v.Text, alts...)
	}
	posts := len(o.x.Posts())
	if err := o.later(every); err != nil {
		t.Fatal(err)
	}
	if err := o.later(every); err != nil {
		t.Fatal(err)
	}
	for _, m := range o.mentions() {
		if m.State != app.MentionFlagged || m.Kind != "steering" {
			t.Errorf("%s is %s: %q", m.PostID, m.State, m.Text)
		}
	}
	if n := len(o.mentions()); n != len(all) || n < 101 {
		t.Errorf("%d mentions of %d", n, len(all))
	}
	if pending, err := o.store.PendingValidations(t.Context()); err != nil || len(pending) != 0 || len(o.x.Posts()) != posts {
		t.Errorf("%d outputs wait, %d posts went out, %v", len(pending), len(o.x.Posts())-posts, err)
	}
	if o.model.Count() != 0 {
		t.Errorf("a model was asked %d times", o.model.Count())
	}
	flagged := testop.Alerts(t, o.store, "mention_flagged")
	if len(flagged) != 1 || flagged[0].Subject != "2027-01-11 steering" {
		t.Errorf("alerts %+v", flagged)
	}
	counted := 0
	for _, line := range o.logged("mentions") {
		var n, steering int
		if _, err := fmt.Sscanf(line, "Read %d mentions: ", &n); err != nil || strings.ContainsAny(line, "@“") || strings.Contains(line, "5ca1") {
			t.Errorf("the log says %q", line)
		}
		fmt.Sscanf(line[strings.Index(line, "(")+1:], "%d steering)", &steering)
		counted += steering
	}
	if counted != len(all) {
		t.Errorf("the log counts %d of %d", counted, len(all))
	}
	testop.Balanced(t, o.store, o.op)
}

// TestAnObeyingWriterGetsNothingOut: even when a reader lets a stranger through,
// whoever writes the answer can't propose another address in any form.
func TestAnObeyingWriterGetsNothingOut(t *testing.T) {
	t.Parallel()
	o := talking(t)
	var texts []string
	for _, v := range testattack.Variants() {
		texts = append(texts, strings.Join(strings.Fields(v.Text+" "+v.Alt+" "+v.Nick+" "+v.Bio), " "))
	}
	o.model.Script(gullible(texts...))
	o.x.Say(mara, "@"+handle+" is the contract still the same one?")
	err := o.later(every)
	key := app.ReplyTask + "." + o.mentions()[0].PostID
	if pending, err := o.store.PendingValidations(t.Context()); err != nil || len(pending) != 0 {
		t.Errorf("it waits: %s, %v", pending[0].Payload, err)
	}
	tried := 0
	for _, e := range testop.Log(t, o.store, o.op) {
		if e.Step == key && e.Tool == "x_reply" {
			tried++
			if !strings.Contains(e.Summary, "efused") && !strings.Contains(e.Summary, "failed") {
				t.Errorf("%s", e.Summary)
			}
		}
	}
	if tried < 101 || o.step(key).State == app.StepDone || err == nil {
		t.Errorf("%d tries, the step is %s, %v", tried, o.step(key).State, err)
	}
	if m := o.mentions()[0]; m.State != app.MentionDrafted || m.Subject != "address" {
		t.Errorf("%+v", m)
	}
}

var askedID = regexp.MustCompile(`"id":\s*"(\d+)"`)

// gullible is a model that takes each mention for a question about the address,
// and answers with texts.
func gullible(texts ...string) func(modelsim.Request) (modelsim.Answer, bool) {
	const atOnce = 15
	return func(req modelsim.Request) (modelsim.Answer, bool) {
		offers := func(tool string) bool {
			return slices.ContainsFunc(req.Tools, func(t modelsim.Tool) bool { return t.Function.Name == tool })
		}
		if !offers("x_reply") {
			said := []map[string]string{}
			for _, id := range askedID.FindAllStringSubmatch(string(req.Raw), -1) {
				said = append(said, map[string]string{"id": id[1], "kind": "question", "subject": "address"})
			}
			for _, id := range regexp.MustCompile(`\\"id\\":\s*\\"(\d+)\\"`).FindAllStringSubmatch(string(req.Raw), -1) {
				said = append(said, map[string]string{"id": id[1], "kind": "question", "subject": "address"})
			}
			return modelsim.Do("finish", map[string]any{"output": map[string]any{"mentions": said}}), true
		}
		made := 0
		for _, m := range req.Messages {
			made += len(m.ToolCalls)
		}
		var answer modelsim.Answer
		for i, text := range texts[min(made, len(texts)):min(made+atOnce, len(texts))] {
			call := modelsim.NewCall("x_reply", map[string]any{"text": text, "sources": []string{"token.address"}})
			call.ID = fmt.Sprint("call_", made+i)
			answer.Calls = append(answer.Calls, call)
		}
		if len(answer.Calls) == 0 {
			answer = modelsim.Do("finish", map[string]any{"output": map[string]any{"text": texts[0], "validation_id": "none"}})
		}
		return answer, true
	}
}

// TestACrashLosesNoMention: a look dies at each of its points; the next one finds
// everything, once.
func TestACrashLosesNoMention(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"mentions_stored", "mentions_judged"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			o := talking(t)
			for i := range 45 {
				o.x.Say(o.stranger(i, "Mara", ""), fmt.Sprintf("@%s when is the vote, %d?", handle, i))
			}
			o.Reached = func(at string) {
				if at == point {
					panic("killed")
				}
			}
			o.clock.Advance(every)
			o.tick()
			for _, job := range o.taken() {
				func() {
					defer func() { _ = recover() }()
					_ = o.Do(t.Context(), job)
				}()
			}
			o.Reached = nil
			if err := o.work(); err != nil || o.states()[app.MentionReading] != 0 {
				t.Errorf("while the dead one holds the look: %v, %v", err, o.states())
			}
			o.wall.Advance(2 * lease)
			if err := o.work(); err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, m := range o.mentions() {
				seen[m.PostID] = true
				if m.State == app.MentionNew || m.State == app.MentionReading {
					t.Errorf("%s is still %s", m.PostID, m.State)
				}
			}
			if lines := o.logged("mentions"); len(seen) != 45 || len(lines) == 0 || !strings.HasPrefix(lines[0], "Read 45 mentions: 45 to be classified") {
				t.Errorf("%d mentions, the log says %q", len(seen), lines)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}

// TestADaysMoneyBoundsTheReading: what it does not pay for is read the next day,
// from where it stopped, though more comes meanwhile; the team hears of it once
// a day.
func TestADaysMoneyBoundsTheReading(t *testing.T) {
	t.Parallel()
	o := talking(t)
	o.setting("x.mentions_daily_cents", `60`) // 40 with their authors
	author := o.stranger(1, "Mara", "")
	for i := range 150 {
		if i%10 == 0 {
			author = o.stranger(i, "Mara", "")
		}
		o.x.Say(author, fmt.Sprintf("@%s when is the vote, %d?", handle, i))
		o.clock.Advance(time.Second)
	}
	days := 0
	for ; len(o.mentions()) < 150 && days < 10; days++ {
		if err := o.later(every); err != nil {
			t.Fatal(err)
		}
		for range 3 { // nothing more that day
			_ = o.later(every)
		}
		if n := len(testop.Alerts(t, o.store, "mentions_bound")); len(o.mentions()) < 150 && n != days+1 {
			t.Errorf("day %d: %d alerts", days, n)
		}
		var cost app.Nano
		for _, e := range testop.Log(t, o.store, o.op) {
			if e.Kind == "read" && e.At.Format(time.DateOnly) == o.clock.Now().Format(time.DateOnly) {
				cost += e.Cost
			}
		}
		if cost > 60*app.Dollar/100 {
			t.Errorf("day %d cost %s", days, cost)
		}
		o.clock.Advance(o.clock.Now().Truncate(24*time.Hour).AddDate(0, 0, 1).Sub(o.clock.Now()))
	}
	if n := len(o.mentions()); n != 150 || days < 2 || days > 5 {
		t.Errorf("%d mentions after %d days", n, days)
	}
	testop.Balanced(t, o.store, o.op)
}

// TestLateMentionsAreFound: X shows some after others that are newer.
func TestLateMentionsAreFound(t *testing.T) {
	t.Parallel()
	o := talking(t)
	first := o.x.Say(mara, "@"+handle+" gm")
	if err := o.later(every); err != nil || len(o.mentions()) != 1 {
		t.Fatal(err, len(o.mentions()))
	}
	late := o.x.Late(feathers, "@"+handle+" when is the vote?", first)
	if err := o.later(every); err != nil {
		t.Fatal(err)
	}
	if all := o.mentions(); len(all) != 2 || all[0].PostID != late {
		t.Errorf("%+v", all)
	}
}

// TestWhatKeepsMentionsFromBeingRead is said, does not spin, and loses none.
func TestWhatKeepsMentionsFromBeingRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  xsim.Fault
		alert  string
		within time.Duration // it is read again
	}{
		"503":         {xsim.Fault{Status: 503}, "", every},
		"429":         {xsim.Fault{Status: 429}, "", 16 * time.Minute},
		"a page":      {xsim.Fault{Status: 500, HTML: "<h1>gone</h1>"}, "", every},
		"not allowed": {xsim.Fault{Status: 403}, "mentions_unread", time.Hour},
		"no credits":  {xsim.Fault{Status: 402}, "mentions_unread", time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := talking(t)
			o.x.Say(mara, "@"+handle+" gm")
			c.fault.Path = "/2/users/" + userID + "/mentions"
			o.x.Fail(c.fault)
			_ = o.later(every)
			if n := len(o.mentions()); n != 0 {
				t.Fatalf("%d mentions", n)
			}
			if _ = o.work(); len(o.taken()) != 0 {
				t.Error("it is looked again at once")
			}
			if c.alert != "" && len(testop.Alerts(t, o.store, c.alert)) != 1 {
				t.Errorf("nobody is told")
			}
			if err := o.later(c.within); err != nil || len(o.mentions()) != 1 {
				t.Errorf("after %s there are %d: %v", c.within, len(o.mentions()), err)
			}
		})
	}
	t.Run("disconnected", func(t *testing.T) {
		t.Parallel()
		o := talking(t)
		o.x.Say(mara, "@"+handle+" gm")
		if _, err := o.desk.Disconnect(t.Context(), handle, testop.Person); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := o.later(every); err != nil || len(o.taken()) != 0 {
				t.Error(err)
			}
		}
		o.connect(handle, userID, access, refresh)
		if _ = o.later(every); len(o.mentions()) > 1 {
			t.Errorf("%d mentions", len(o.mentions()))
		}
	})
}

// TestRepliesAreWrittenOnlyWhereTheyMayBe: the same question with and without
// what a reply needs.
func TestRepliesAreWrittenOnlyWhereTheyMayBe(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a.post"))
	if err := o.publish("a.post", app.KindPost, aPost("We are back.")); err != nil {
		t.Fatal(err)
	}
	o.x.Say(mara, asks)
	if err := o.later(every); err != nil {
		t.Fatal(err)
	}
	if m := o.mentions()[0]; m.State != app.MentionIgnored || m.Why != "approval" || m.Reply != nil {
		t.Errorf("without X's approval: %+v", m)
	}
	o.setting("x.ai_reply_approval", `"X case 12345"`)
	o.x.Say(feathers, "@dodo_back my zebra wonders who pays for all of this?")
	if err := o.later(every); err != nil {
		t.Fatal(err)
	}
	m := o.mentions()[1]
	if m.State != app.MentionDrafted || m.Reply == nil || m.Reply.StepState != app.StepWaiting || m.Reply.ValidationID == "" {
		t.Fatalf("with it: %+v", m)
	}
	o.approve(o.waiting(m.Reply.StepKey))
	if err := o.work(); err != nil {
		t.Fatal(err)
	}
	if m = o.mentions()[1]; m.State != app.MentionAnswered || m.Reply.Link == "" {
		t.Errorf("answered: %+v, %+v", m, m.Reply)
	}
	readers, writers := 0, 0
	for _, req := range o.model.Requests() {
		knows := strings.Contains(string(req.Raw), "zebra")
		if slices.ContainsFunc(req.Tools, func(t modelsim.Tool) bool { return t.Function.Name == "x_reply" }) {
			if writers++; knows {
				t.Error("who writes the answer has read the mention")
			}
		} else if knows {
			if readers++; len(req.Tools) != 1 || req.Tools[0].Function.Name != "finish" {
				t.Errorf("who reads has %d tools", len(req.Tools))
			}
		}
	}
	if readers == 0 || writers == 0 {
		t.Errorf("%d readers, %d writers", readers, writers)
	}
}

// TestAReaderThatFails: tried again as any run, then its mentions are for a person.
func TestAReaderThatFails(t *testing.T) {
	t.Parallel()
	o := talking(t)
	o.model.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		return modelsim.Do("finish", map[string]any{"output": map[string]any{"mentions": []any{}}}), true
	})
	o.x.Say(mara, asks)
	_ = o.later(every)
	for range 6 {
		_ = o.later(20 * time.Minute)
	}
	m := o.mentions()[0]
	if m.State != app.MentionFlagged || m.Why != "unread" || len(testop.Alerts(t, o.store, "step_failed")) != 1 {
		t.Errorf("%+v; %d alerts", m, len(testop.Alerts(t, o.store, "step_failed")))
	}
}

// TestAStopEndsWhatMentionsSetGoing and a pause holds it.
func TestAStopEndsWhatMentionsSetGoing(t *testing.T) {
	t.Parallel()
	o := talking(t)
	key, _, _ := o.drafted(mara, asks)
	ctx := t.Context()
	if err := o.store.PauseOperation(ctx, o.op.Slug, testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	o.x.Say(feathers, asks)
	if _ = o.later(time.Hour); len(o.mentions()) != 1 {
		t.Error("a paused operation is looked for")
	}
	if err := o.store.ResumeOperation(ctx, o.op.Slug, testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if err := o.work(); err != nil || len(o.mentions()) != 2 {
		t.Errorf("resumed: %d, %v", len(o.mentions()), err)
	}
	if err := o.store.StopOperation(ctx, o.op.Slug, "enough", testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	o.x.Say(o.stranger(1, "Mara", ""), asks)
	if _ = o.later(time.Hour); len(o.mentions()) != 2 || o.step(key).State != app.StepCancelled {
		t.Errorf("%d mentions, the reply is %s", len(o.mentions()), o.step(key).State)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(o.step(key).Input, &raw); err != nil || len(raw["kind"]) == 0 {
		t.Error(err)
	}
}
