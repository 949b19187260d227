package orchestrator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/xsim"
)

const (
	mara     = "800000001"
	feathers = "800000002"
	asks     = "@dodo_back who pays for all of this?"
)

// talking is an office whose account has posted and may answer.
func talking(t *testing.T) *office {
	t.Helper()
	o := newOffice(t, person("a.post"))
	o.setting("x.ai_reply_approval", `"X case 12345"`)
	if err := o.publish("a.post", app.KindPost, aPost("We are back.")); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *office) setting(key, value string) {
	o.t.Helper()
	if err := o.store.SetSetting(o.t.Context(), key, []byte(value), "ada", o.clock.Now()); err != nil {
		o.t.Fatal(err)
	}
}

// drafted has somebody write to the account and returns the key of the step that
// answers them, with its draft.
func (o *office) drafted(author, text string) (key, postID string, v app.Validation) {
	o.t.Helper()
	postID = o.x.Say(author, text)
	if err := o.later(15 * time.Minute); err != nil {
		o.t.Fatal(err)
	}
	key = app.ReplyTask + "." + postID
	return key, postID, o.waiting(key)
}

// replies are what the account has answered to others.
func (o *office) replies() (all []xsim.Published) {
	for _, p := range o.x.Posts() {
		if p.ReplyTo != "" {
			all = append(all, p)
		}
	}
	return all
}

// TestAMentionIsAnsweredOnce: read by one who can do nothing, answered by one who
// has not read it, approved by a person although the policy would, posted as a
// reply to that very post for the price of one, and never again.
func TestAMentionIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	o := talking(t)
	o.setting("validation_required.cm", `false`)
	key, postID, v := o.drafted(mara, asks)
	to := v.Answers()
	if v.State != app.ValidationPending || to == nil || *to != (app.Answered{PostID: postID, AuthorID: mara}) || strings.Contains(string(v.Frozen), "who pays") {
		t.Fatalf("%s %s, frozen %s", v.State, v.Payload, v.Frozen)
	}
	if v.Risk.PublishPrice != app.Dollar/100 {
		t.Errorf("it would cost %s", v.Risk.PublishPrice)
	}
	o.approve(v)
	if err := o.work(); err != nil {
		t.Fatal(err)
	}
	sent := o.replies()
	if len(sent) != 1 || sent[0].ReplyTo != postID || sent[0].Charged != app.Dollar/100 || o.step(key).State != app.StepDone {
		t.Fatalf("%+v; the step is %s: %s", sent, o.step(key).State, o.step(key).Error)
	}
	effects := o.effects()
	if e := effects[len(effects)-1]; e.State != app.EffectDone || e.Cost != app.Dollar/100 {
		t.Errorf("%s cost %s", e.State, e.Cost)
	}
	_ = o.later(time.Hour)
	if n := len(o.replies()); n != 1 {
		t.Errorf("%d replies", n)
	}
	testop.Balanced(t, o.store, o.op)
}

// TestARejectedReplyIsWrittenAnew for the same post.
func TestARejectedReplyIsWrittenAnew(t *testing.T) {
	t.Parallel()
	o := talking(t)
	key, postID, v := o.drafted(mara, asks)
	o.reject(v, "Say it shorter.")
	if err := o.work(); err != nil {
		t.Fatal(err)
	}
	if again := o.waiting(key); again.ID == v.ID || again.Answers() == nil || again.Answers().PostID != postID {
		t.Errorf("%s answers %+v", again.ID, again.Answers())
	}
}

// TestAHeldReplySaysWhy: what was approved waits while X's approval is taken away,
// while the account has made its ten replies, and for an author's next day.
func TestAHeldReplySaysWhy(t *testing.T) {
	t.Parallel()
	t.Run("without the platform's approval", func(t *testing.T) {
		t.Parallel()
		o := talking(t)
		key, _, v := o.drafted(mara, asks)
		o.approve(v)
		o.setting("x.ai_reply_approval", `""`)
		_ = o.work()
		o.held(key, "x.ai_reply_approval")
		o.setting("x.ai_reply_approval", `"X case 12345"`)
		if _ = o.later(15 * time.Minute); len(o.replies()) != 1 {
			t.Errorf("%d replies once it stands again", len(o.replies()))
		}
	})
	t.Run("ten an hour", func(t *testing.T) {
		t.Parallel()
		o := answering(t, 11)
		if n := len(o.replies()); n != 10 {
			t.Fatalf("%d replies at once", n)
		}
		o.held(o.late(), "at most ten replies")
		if _ = o.later(59 * time.Minute); len(o.replies()) != 10 {
			t.Errorf("%d replies within the hour", len(o.replies()))
		}
		if _ = o.later(2 * time.Minute); len(o.replies()) != 11 {
			t.Errorf("%d replies after it", len(o.replies()))
		}
	})
	t.Run("one a day to an author", func(t *testing.T) {
		t.Parallel()
		o := newOffice(t, person("reply.0"), person("reply.1"))
		o.setting("x.ai_reply_approval", `"X case 12345"`)
		for _, key := range []string{"reply.0", "reply.1"} {
			o.approve(o.await(key, app.KindPost, o.reply(mara, "Answer to "+key+".")))
		}
		_ = o.work()
		o.held("reply.1", "its author got a reply today")
		o.clock.Advance(testop.J0.Truncate(24*time.Hour).AddDate(0, 0, 1).Sub(o.clock.Now()))
		if _ = o.work(); len(o.replies()) != 2 {
			t.Errorf("%d replies on the next day", len(o.replies()))
		}
	})
}

// TestWhoAskedToBeLeftAloneGetsNoReply although it was approved before.
func TestWhoAskedToBeLeftAloneGetsNoReply(t *testing.T) {
	t.Parallel()
	o := talking(t)
	key, _, v := o.drafted(mara, asks)
	db, err := pgx.Connect(t.Context(), o.place.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if _, err := db.Exec(t.Context(), "INSERT INTO mention_opt_outs (author_id, operation_id, post_id, at) VALUES ($1, $2, '7', $3)", mara, o.op.ID, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	o.approve(v)
	_ = o.work()
	if st := o.step(key); len(o.replies()) > 0 || st.State != app.StepFailed || !strings.Contains(st.Error, "asked to be left alone") {
		t.Errorf("%d replies, the step is %s: %s", len(o.replies()), st.State, st.Error)
	}
	testop.Balanced(t, o.store, o.op)
}

// reply is one to a post that the author has just written.
func (o *office) reply(author, text string) app.PostPayload {
	p := aPost(text)
	p.Answers = &app.Answered{PostID: o.x.Say(author, asks), AuthorID: author}
	return p
}

// answering is an office with so many replies approved at once, to different
// authors, as none of them waits for the spacing of posts.
func answering(t *testing.T, n int) *office {
	t.Helper()
	var steps []app.Step
	for i := range n {
		steps = append(steps, person(replyKey(i)))
	}
	o := newOffice(t, steps...)
	o.setting("x.ai_reply_approval", `"X case 12345"`)
	for i := range n {
		p := o.reply(mara, "Answer "+replyKey(i)+".")
		p.Answers.AuthorID = "70000000" + replyKey(i)[len("reply."):]
		v := o.await(replyKey(i), app.KindPost, p)
		if _, err := o.store.ApproveValidation(t.Context(), v.Choice(), testop.Person, nil, o.clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.later(time.Minute); err != nil {
		t.Fatal(err)
	}
	return o
}

func replyKey(i int) string { return fmt.Sprintf("reply.%02d", i) }

// late is the key of a step whose reply is not out.
func (o *office) late() (key string) {
	for _, e := range o.effects() {
		if e.State != app.EffectDone {
			key = e.StepKey
		}
	}
	return key
}

// held checks that a step's reply waits, and that it says what for.
func (o *office) held(key, why string) {
	o.t.Helper()
	for _, e := range o.effects() {
		if e.StepKey != key {
			continue
		}
		if e.State != app.EffectIntent || !strings.Contains(e.Error, why) || !e.NotBefore.After(o.clock.Now()) || o.step(key).State != app.StepWaiting {
			o.t.Errorf("%s is %s until %s: %q; its step is %s", key, e.State, e.NotBefore, e.Error, o.step(key).State)
		}
		return
	}
	o.t.Errorf("%s has no effect", key)
}

// TestRepliesAndPostsKeepOutOfEachOthersWay: a reply waits for no post, and no
// post for a reply.
func TestRepliesAndPostsKeepOutOfEachOthersWay(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a.post"), person("b.post"), person("a.reply"))
	o.setting("x.ai_reply_approval", `"X case 12345"`)
	if err := o.publish("a.post", app.KindPost, aPost("One.")); err != nil {
		t.Fatal(err)
	}
	o.approve(o.await("b.post", app.KindPost, aPost("Two.")))
	if err := o.publish("a.reply", app.KindPost, o.reply(mara, "An answer.")); err != nil {
		t.Fatal(err)
	}
	if len(o.replies()) != 1 || len(o.x.Posts()) != 2 {
		t.Fatalf("%d posts went out, %d of them replies", len(o.x.Posts()), len(o.replies()))
	}
	posts := o.x.Posts()
	_ = o.later(posts[0].At.Add(30 * time.Minute).Sub(o.clock.Now()))
	if posts = o.x.Posts(); len(posts) != 3 || posts[2].Text != "Two." {
		t.Errorf("30 minutes after the first post: %+v", posts)
	}
}

// TestWithoutCreditsRepliesAndPostsWaitTogether: X wants the same account paid
// for, whichever of the two it has refused.
func TestWithoutCreditsRepliesAndPostsWaitTogether(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a.reply"), person("b.reply"), person("post"))
	o.setting("x.ai_reply_approval", `"X case 12345"`)
	o.x.Fail(xsim.Fault{Path: "POST /2/tweets", Status: http.StatusPaymentRequired})
	_ = o.publish("a.reply", app.KindPost, o.reply(mara, "An answer.")) // fails, as the rows tell
	if err := o.publish("b.reply", app.KindPost, o.reply(feathers, "Another answer.")); err != nil {
		t.Fatal(err)
	}
	if err := o.publish("post", app.KindPost, aPost("A post.")); err != nil {
		t.Fatal(err)
	}
	if got := states(o.effects()); got[0] != app.EffectFailed || o.fronts.x.arrived("POST /2/tweets") != 1 || len(testop.Alerts(t, o.store, "x_account")) != 1 {
		t.Fatalf("%d calls: %v", o.fronts.x.arrived("POST /2/tweets"), got)
	}
	o.held("b.reply", "credits")
	if err := o.store.RetryEffect(t.Context(), o.effects()[0].ID, "paid", testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if err := o.later(time.Minute); err != nil || o.effects()[0].State != app.EffectDone {
		t.Errorf("a minute after it was paid the reply is %s: %v", o.effects()[0].State, err)
	}
	for range 3 {
		if err := o.later(time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	if len(o.replies()) != 2 || len(o.x.Posts()) != 3 {
		t.Errorf("%d posts went out, %d of them replies: %v", len(o.x.Posts()), len(o.replies()), states(o.effects()))
	}
	testop.Balanced(t, o.store, o.op)
}

// TestARefusedReplyEndsQuietly: its step fails with a sentence, nothing is tried
// again, and nobody is woken.
func TestARefusedReplyEndsQuietly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(o *office) *app.Answered
		want   string
	}{
		"not named": {func(o *office) *app.Answered {
			return &app.Answered{PostID: o.x.Say(mara, "no names here"), AuthorID: mara}
		}, "did not name the account"},
		"gone": {func(*office) *app.Answered { return &app.Answered{PostID: "12", AuthorID: mara} }, "may be gone"},
		"blocked": {func(o *office) *app.Answered {
			id := o.x.Say(mara, asks)
			o.x.Fail(xsim.Fault{Path: "POST /2/tweets", Status: http.StatusForbidden})
			return &app.Answered{PostID: id, AuthorID: mara}
		}, "have blocked the account"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a.reply"))
			o.setting("x.ai_reply_approval", `"X case 12345"`)
			p := aPost("An answer.")
			p.Answers = c.before(o)
			if err := o.publish("a.reply", app.KindPost, p); err != nil {
				t.Errorf("it is told of: %v", err)
			}
			st := o.step("a.reply")
			if st.State != app.StepFailed || !strings.Contains(st.Error, c.want) {
				t.Errorf("the step is %s: %s", st.State, st.Error)
			}
			asked := o.fronts.x.calls("POST /2/tweets")
			for range 5 {
				_ = o.later(time.Hour)
			}
			if n := o.fronts.x.calls("POST /2/tweets"); n != asked || len(o.x.Posts()) != 0 {
				t.Errorf("%d more attempts, %d posts", n-asked, len(o.x.Posts()))
			}
			alerts, err := o.store.Alerts(t.Context())
			if err != nil || len(alerts) > 0 {
				t.Errorf("alerts %+v, %v", alerts, err)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}

// TestAnsweredOnlyWhoQuotedOrNamed: a quotation summons as a name does.
func TestAnsweredOnlyWhoQuotedOrNamed(t *testing.T) {
	t.Parallel()
	o := talking(t)
	quoted := o.x.Quote(feathers, "who pays for all of this?", o.x.Posts()[0].ID)
	p := aPost("The operation pays.")
	p.Answers = &app.Answered{PostID: quoted, AuthorID: feathers}
	st := testop.Step("cm", "a.reply", "a.reply", true)
	if made, err := o.store.AddContinuousStep(t.Context(), app.ContinuousStep{OperationID: o.op.ID, Key: st.Key, Task: st.Task, Agent: st.Agent, Due: o.clock.Now(), Validates: true}, o.clock.Now()); err != nil || !made {
		t.Fatal(err)
	}
	if err := o.publish("a.reply", app.KindPost, p); err != nil {
		t.Fatal(err)
	}
	if got := o.replies(); len(got) != 1 || got[0].ReplyTo != quoted || got[0].Charged != app.Dollar/100 {
		t.Errorf("%+v", got)
	}
}
