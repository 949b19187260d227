package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"vivra/app"
	"vivra/app/effects"
)

const brokenStep = "cm.daily_post.d08"

// breakOff has a thread of four stand at two, its third post refused.
func (x *exhibit) breakOff(approved time.Time) {
	defer x.lock()()
	id := int64(0)
	for i := range x.steps {
		if x.steps[i].Key == brokenStep {
			x.steps[i].Error = "publishing broke off, 2 of 4 posts are out: X answered 403 Forbidden."
			id = x.steps[i].ID
		}
	}
	for i, state := range []app.EffectState{app.EffectDone, app.EffectDone, app.EffectFailed, app.EffectIntent} {
		e := app.EffectStatus{Effect: app.Effect{ID: int64(40 + i), Key: fmt.Sprintf("v-broken/%d", i), OperationID: 1, OperationSlug: "dodo", StepID: id, StepKey: brokenStep, ValidationID: "v-broken", Position: i,
			Kind: effects.XPost, State: state, NotBefore: approved, Request: must(effects.Post{Account: "dodo_back", Text: thread.Posts[i].Text, ReplyTo: i - 1})},
			ValidationKind: app.KindThread, Approval: app.ValidationApproved, ApprovedAt: &approved}
		switch state {
		case app.EffectDone:
			e.DoneAt, e.Link, e.Cost = &approved, fmt.Sprintf("https://x.com/dodo_back/status/%d", 70+i), 15_000_000
		case app.EffectFailed:
			e.Attempt, e.Error = 1, "X answered 403 Forbidden: Reply to this conversation is not allowed. X does not take this post as an answer to the one before it."
		}
		x.effects = append(x.effects, e)
	}
	x.pubs = append(x.pubs, app.Publication{StepKey: brokenStep, Kind: app.KindThread, Payload: must(app.ThreadPayload{Account: "dodo_back", Posts: thread.Posts[:2]}), DraftNo: 1, ProposedAt: approved, ApprovedAt: approved,
		PublishedAt: approved, Approvers: 1, Links: []string{"https://x.com/dodo_back/status/70", "https://x.com/dodo_back/status/71"}, SHA256: sha("broken"), Parts: app.Parts{Out: 2, Total: 4, Posts: true}})
}

// offerRest has the rest of the thread wait in the queue as v-rest.
func (x *exhibit) offerRest() {
	defer x.lock()()
	payload := must(thread)
	planned, err := effects.Plan(app.Validation{Kind: app.KindThread, Payload: payload})
	if err != nil {
		panic(err)
	}
	var out []app.OutCall
	for i, e := range planned[:2] {
		out = append(out, app.OutCall{Kind: e.Kind, Request: e.Request, ProviderID: fmt.Sprint(70 + i), Link: fmt.Sprintf("https://x.com/dodo_back/status/%d", 70+i)})
	}
	x.add(app.Validation{ID: "v-rest", StepKey: brokenStep, Agent: "cm", Kind: app.KindThread, Payload: payload, DraftNo: 2, CreatedAt: today.Add(-time.Hour), Risk: app.Risk{PublishPrice: 30_000_000}})
	v := x.last()
	frozen, err := effects.Freeze(v.Kind, v.Payload, effects.Binding{OfficialAddress: x.op.Token.Ref.Address.Hex(), Account: x.op.XHandle, AccountID: "1845", Chat: x.op.TelegramChat, Host: x.op.SiteHost, Out: out})
	if err == nil {
		v.Risk, err = effects.RestRisk(v.Risk, frozen)
	}
	if err != nil {
		panic(err)
	}
	v.Frozen = must(frozen)
	v.FrozenSHA256 = app.SHA256Hex(v.Frozen)
}

const brokenID = "#broken-cm-daily_post-d08"

// TestABrokenThreadSaysHowItGoesOn: what is out with its links, what failed and
// why, and each way on, which does what it says.
func TestABrokenThreadSaysHowItGoesOn(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.breakOff(today.Add(-2 * time.Hour))
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("admin")
	card := v.get("/admin/operations/dodo").doc(t).Find(brokenID)
	for _, want := range []string{"Broken off", "2 of 4 posts are out", "Post 3 failed. It and post 4 behind it were not sent", "https://x.com/dodo_back/status/71", "Reply to this conversation is not allowed",
		"Retry from post 3", "posts 3 and 4, in order, each once", "Have the rest approved again", "Finish with what is out", "Skip the step"} {
		if !strings.Contains(squeeze(card.Text()), want) {
			t.Errorf("it does not say %q: %s", want, squeeze(card.Text()))
		}
	}
	if card.Find("a[href='https://x.com/dodo_back/status/70']").Length() != 1 {
		t.Error("the first post has no link")
	}
	press := func(word string, values url.Values) page {
		t.Helper()
		doc := v.get("/admin/operations/dodo").doc(t)
		button := doc.Find(brokenID + " button").FilterFunction(func(_ int, s *goquery.Selection) bool { return squeeze(s.Text()) == word })
		values.Set("csrf", v.csrf())
		values.Set("state", doc.Find(brokenID+" [name=state]").AttrOr("value", ""))
		return v.post(button.AttrOr("formaction", "/none"), values)
	}
	reason := url.Values{"reason": {"The label is on."}}
	if res := press("Have the rest approved again", url.Values{}); res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("without a reason: %s", res.Status)
	}
	press("Retry from post 3", reason)
	if res := press("Have the rest approved again", reason); res.Header.Get("Location") != "/admin/validations/v1" {
		t.Errorf("the rest leads to %q", res.Header.Get("Location"))
	}
	press("Finish with what is out", reason)
	press("Skip the step", reason)
	id := ""
	for _, s := range x.steps {
		if s.Key == brokenStep {
			id = fmt.Sprint(s.ID)
		}
	}
	x.was(t, "retry effect 42 by admin: The label is on.", "draft the rest of "+id+" by admin: The label is on.", "finish "+id+" by admin: The label is on.", "skip "+id+" by admin: The label is on.")
	x.setStep(brokenStep, app.StepRunning)
	if res := v.post("/admin/steps/"+id+"/finish", url.Values{"csrf": {v.csrf()}, "reason": {"x"}, "state": {"failed"}}); res.StatusCode != http.StatusConflict {
		t.Errorf("on an old page: %s", res.Status)
	}
}

// TestWhatABrokenThreadDoesNotOffer: no retry where the approval has run out, no
// button for who may not press it, and nothing twice.
func TestWhatABrokenThreadDoesNotOffer(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.breakOff(today.Add(-73 * time.Hour))
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("admin")
	show := func() string { return spoken(v.get("/admin/operations/dodo").doc(t), brokenID) }
	if got := show(); strings.Contains(got, "Retry from") || !strings.Contains(got, "The approval that it had does not hold any more") {
		t.Errorf("after 73 hours: %s", got)
	}
	step := v.get("/admin/operations/dodo").doc(t).Find("#step-cm-daily_post-d08")
	if text := squeeze(step.Text()); strings.Contains(text, "Run it again") || !strings.Contains(text, "Go on with the rest, finish with what is out, or skip the step.") {
		t.Errorf("its step says %s", text)
	}
	x.offerRest()
	x.setStep(brokenStep, app.StepWaiting)
	if got := show(); !strings.Contains(got, "The rest waits for a decision of its own") || strings.Contains(got, "approved again") || !strings.Contains(got, "Finish with what is out") {
		t.Errorf("while the rest waits: %s", got)
	}
	x.mu.Lock()
	x.validations = x.validations[:len(x.validations)-1]
	held := &x.effects[len(x.effects)-2]
	held.State, held.Error = app.EffectIntent, "It waits for its account: @dodo_back must be connected again."
	x.mu.Unlock()
	if got := show(); !strings.Contains(got, "Held up") || !strings.Contains(got, "Post 3 waits, and goes on by itself when it can.") || strings.Contains(got, "approved again") || !strings.Contains(got, "must be connected again") {
		t.Errorf("while it waits for its account: %s", got)
	}
	viewer := newVisitor(t, server.URL)
	viewer.signIn("viewer")
	if doc := viewer.get("/admin/operations/dodo").doc(t); doc.Find(brokenID).Length() != 1 || doc.Find(brokenID+" form").Length() != 0 {
		t.Error("a viewer sees no card, or may act on it")
	}
}

// TestTheRestInTheQueue marks what is out, and asks for the rest alone.
func TestTheRestInTheQueue(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.offerRest()
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("approver")
	doc := v.get("/admin/validations/v-rest").doc(t)
	if n := doc.Find(".thread .post.gone").Length(); n != 2 || doc.Find(".thread .post").Length() != 4 || doc.Find(".post.gone a[href='https://x.com/dodo_back/status/71']").Length() != 1 {
		t.Errorf("%d posts are marked as out", n)
	}
	text := spoken(doc, "main")
	for _, want := range []string{"2 of 4 posts are out and stay as they are", "out already", "Calls to the outside 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	form := v.get("/admin/validations/v-rest/draft").doc(t).Find("#draft-form")
	if form.Find("[name='field.post.1.text'][readonly]").Length() != 1 || form.Find("[name='field.post.2.text'][readonly]").Length() != 0 {
		t.Error("the form lets what is out be changed, or not the rest")
	}
	receipt := spoken(v.get("/admin/validations/w1").doc(t), "#receipt")
	if !strings.Contains(receipt, "2 of 4 posts are out. The rest follows when it is known") {
		t.Errorf("the receipt of a thread that stopped: %s", receipt)
	}
}

// TestPartlyOutInPublic: everybody sees that there is more to come, and no word
// of it.
func TestPartlyOutInPublic(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.breakOff(today.Add(-2 * time.Hour))
	server, _ := x.serve(t)
	doc := newVisitor(t, server.URL).get("/operations/dodo").doc(t)
	got := spoken(doc, "#published-cm-daily_post-d08-1")
	if !strings.Contains(got, "2 of 4 posts are out") || !strings.Contains(got, "1 of 4") || strings.Contains(got, thread.Posts[2].Text) {
		t.Errorf("the public page says %s", got)
	}
}

// brokenScreens are the pages of a thread that broke off.
func brokenScreens(act func(name, role string, prepare func(*exhibit), do func(d *desk)) screen) []screen {
	at := func(path string) func(d *desk) { return func(d *desk) { d.MustNavigate(d.url + path) } }
	broken := func(x *exhibit) { x.breakOff(today.Add(-2 * time.Hour)) }
	rest := func(x *exhibit) { x.breakOff(today.Add(-80 * time.Hour)); x.offerRest() }
	return []screen{
		act("broken thread", "admin", broken, at("/admin/operations/dodo")),
		act("broken thread expired", "admin", rest, at("/admin/operations/dodo")),
		act("rest of a thread", "approver", rest, at("/admin/validations/v-rest")),
		act("edit the rest", "approver", rest, at("/admin/validations/v-rest/draft")),
		act("broken in public", "viewer", broken, at("/operations/dodo#published")),
	}
}
