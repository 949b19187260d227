package orchestrator_test

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/pagessim"
	"vivra/app/rehearsal/tgsim"
	"vivra/app/rehearsal/xsim"
	"vivra/app/x"
)

// lostAnswers are the ways in which X takes a post and nobody learns of it.
func lostAnswers(accepted bool) map[string]xsim.Fault {
	return map[string]xsim.Fault{
		"no answer in time": {Path: "POST /2/tweets", AfterAccept: accepted, Hang: true},
		"broken connection": {Path: "POST /2/tweets", AfterAccept: accepted},
		"500":               {Path: "POST /2/tweets", AfterAccept: accepted, Status: http.StatusInternalServerError},
		"HTML from an edge": {Path: "POST /2/tweets", AfterAccept: accepted, Status: http.StatusServiceUnavailable, HTML: "<html>try later</html>"},
		"200 without an id": {Path: "POST /2/tweets", AfterAccept: accepted, Status: http.StatusOK, HTML: "{}"},
	}
}

// TestAcceptedPostIsFound: a post that X took although its answer was lost is
// found on the timeline, not sent again, and the thread goes on under it.
func TestAcceptedPostIsFound(t *testing.T) {
	t.Parallel()
	for name, fault := range lostAnswers(true) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			o.x.Fail(fault)
			thread := app.ThreadPayload{Account: handle, Posts: []app.PostPayload{aPost("We’re back & <well>. https://dodo-b.vivra.example"), aPost("two"), aPost("three"), aPost("four")}}
			if err := o.publish("a", app.KindThread, thread); err != nil {
				t.Fatal(err)
			}
			posts := o.x.Posts()
			if len(posts) != 4 || o.step("a").State != app.StepDone || posts[1].ReplyTo != posts[0].ID {
				t.Fatalf("%d posts, the step is %s: %+v", len(posts), o.step("a").State, posts)
			}
			if e := o.effects()[0]; e.ProviderID != posts[0].ID || e.Attempt != 1 || e.Cost != e.Price {
				t.Errorf("the effect has the id %s, want %s, after %d attempts", e.ProviderID, posts[0].ID, e.Attempt)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}

// TestUnsentPostIsSentOnce: only when the timeline has had its time to show it
// is a post taken for not sent, and sent again.
func TestUnsentPostIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, fault := range lostAnswers(false) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			o.x.Fail(fault)
			if err := o.publish("a", app.KindPost, aPost("gm")); err != nil {
				t.Fatal(err)
			}
			if e := o.effects()[0]; e.State != app.EffectUnknown || len(o.x.Posts()) != 0 {
				t.Fatalf("the effect is %s after %d posts", e.State, len(o.x.Posts()))
			}
			if err := o.later(10*time.Minute - time.Second); err != nil || len(o.x.Posts()) != 0 {
				t.Fatalf("%d posts too early: %v", len(o.x.Posts()), err)
			}
			if err := o.later(time.Second); err != nil || len(o.x.Posts()) != 1 || o.step("a").State != app.StepDone {
				t.Errorf("%d posts, the step is %s: %v", len(o.x.Posts()), o.step("a").State, err)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}

// TestTimelineThatLags: a post that shows only at the second look was never
// sent twice.
func TestTimelineThatLags(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	o.x.Fail(xsim.Fault{Path: "POST /2/tweets", AfterAccept: true})
	empty := xsim.Fault{Path: "GET /2/users/" + userID + "/tweets", Status: http.StatusOK, HTML: `{"meta":{"result_count":0}}`}
	o.x.Fail(empty)
	if err := o.publish("a", app.KindPost, aPost("gm")); err != nil || o.effects()[0].State != app.EffectUnknown {
		t.Fatalf("%s: %v", o.effects()[0].State, err)
	}
	if err := o.later(10 * time.Minute); err != nil || len(o.x.Posts()) != 1 || o.effects()[0].Attempt != 1 || o.step("a").State != app.StepDone {
		t.Errorf("%d posts after %d attempts, the step is %s: %v", len(o.x.Posts()), o.effects()[0].Attempt, o.step("a").State, err)
	}
}

// TestTimelineThatCannotBeRead: the doubt stays until X can be asked.
func TestTimelineThatCannotBeRead(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	o.x.Fail(xsim.Fault{Path: "POST /2/tweets", AfterAccept: true})
	o.x.Fail(xsim.Fault{Path: "GET /2/users/", Status: http.StatusServiceUnavailable, Times: 3})
	if err := o.publish("a", app.KindPost, aPost("gm")); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if e := o.effects()[0]; e.State != app.EffectUnknown || e.Attempt != 1 {
			t.Fatalf("the effect is %s after %d attempts", e.State, e.Attempt)
		}
		if err := o.later(10 * time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if e := o.effects()[0]; e.State != app.EffectDone || len(o.x.Posts()) != 1 {
		t.Errorf("the effect is %s after %d posts", e.State, len(o.x.Posts()))
	}
}

// TestDuplicateIsOurOwn: when X says that the text is there already, it is
// looked for; what an attempt of ours has made counts as sent.
func TestDuplicateIsOurOwn(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	o.x.Fail(xsim.Fault{Path: "POST /2/tweets", AfterAccept: true})
	lagging := xsim.Fault{Path: "GET /2/users/" + userID + "/tweets", Status: http.StatusOK, HTML: `{"meta":{"result_count":0}}`, Times: 2}
	o.x.Fail(lagging)
	if err := o.publish("a", app.KindPost, aPost("gm")); err != nil {
		t.Fatal(err)
	}
	if err := o.later(10 * time.Minute); err != nil {
		t.Fatal(err)
	}
	posts := o.x.Posts()
	if e := o.effects()[0]; len(posts) != 1 || e.State != app.EffectDone || e.ProviderID != posts[0].ID || e.Attempt != 2 {
		t.Errorf("%d posts, the effect is %s after %d attempts: %s", len(posts), e.State, e.Attempt, e.Error)
	}
	if len(testop.Alerts(t, o.store, "publication_failed")) != 0 || o.step("a").State != app.StepDone {
		t.Errorf("the step is %s", o.step("a").State)
	}
}

// TestDuplicateOfSomebodyElse: a text that stood there before its approval was
// not sent by us: a person has to look.
func TestDuplicateOfSomebodyElse(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	account, err := o.desk.Account(t.Context(), handle)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.desk.X.CreatePost(t.Context(), account.AccessToken, x.PostRequest{Text: "gm"}); err != nil {
		t.Fatal(err)
	}
	o.clock.Advance(time.Hour)
	if err := o.publish("a", app.KindPost, aPost("gm")); err == nil {
		t.Error("it went out twice")
	}
	if s := o.step("a"); s.State != app.StepFailed || !strings.Contains(s.Error, "duplicate") || len(testop.Alerts(t, o.store, "publication_failed")) != 1 {
		t.Errorf("the step is %s: %s", s.State, s.Error)
	}
}

// TestTelegramOutcomeGoesToAPerson: Telegram can't be asked what it has sent, so
// a person looks, once alerted, and says what became of it.
func TestTelegramOutcomeGoesToAPerson(t *testing.T) {
	t.Parallel()
	setup := app.TelegramSetupPayload{Chat: group, Title: "Dodo", Description: "Home.", Rules: "Be kind.", Pinned: "Official: " + official, OfficialAddress: official}
	for name, c := range map[string]struct {
		accepted, sent bool
		messages       int
	}{"it was sent": {true, true, 2}, "it was not": {false, false, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("tg"))
			o.tg.Fail(tgsim.Fault{Path: "/sendMessage", AfterAccept: c.accepted, Hang: true})
			if err := o.publish("tg", app.KindTelegram, setup); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if err := o.later(24 * time.Hour); err != nil {
					t.Fatal(err)
				}
			}
			doubt := o.effects()[2]
			if alerts := testop.Alerts(t, o.store, "effect_unknown"); doubt.State != app.EffectUnknown || doubt.Attempt != 1 || len(alerts) != 1 {
				t.Fatalf("the message is %s after %d attempts, %d alerts", doubt.State, doubt.Attempt, len(alerts))
			}
			link := ""
			if c.sent {
				link = "https://t.me/c/1000000001/501"
			}
			if err := o.store.SettleEffect(t.Context(), app.Settlement{EffectID: doubt.ID, Fence: doubt.Fence, Sent: c.sent, Link: link}, testop.Person, o.clock.Now()); err != nil {
				t.Fatal(err)
			}
			if err := o.work(); err != nil || o.step("tg").State != app.StepDone || len(o.tg.Published()) != c.messages {
				t.Fatalf("the step is %s after %d messages: %v", o.step("tg").State, len(o.tg.Published()), err)
			}
			if state, _ := o.tg.Group(group); state.Pinned != setup.Pinned {
				t.Errorf("pinned: %q", state.Pinned)
			}
			if err := o.store.SettleEffect(t.Context(), app.Settlement{EffectID: doubt.ID, Fence: doubt.Fence, Sent: true, Link: link}, testop.Person, o.clock.Now()); app.KindOf(err) != app.Conflict {
				t.Errorf("it could be settled twice: %v", err)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}

// TestTelegramRepeatsWhatIsHarmless: a title that was set is set again, without
// a person.
func TestTelegramRepeatsWhatIsHarmless(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("tg"))
	for _, method := range []string{"/setChatTitle", "/setChatDescription", "/pinChatMessage"} {
		o.tg.Fail(tgsim.Fault{Path: method, AfterAccept: true})
	}
	err := o.publish("tg", app.KindTelegram, app.TelegramSetupPayload{Chat: group, Title: "Dodo", Description: "Home.", Pinned: official, OfficialAddress: official})
	if err != nil || o.step("tg").State != app.StepDone || len(o.tg.Published()) != 1 || len(testop.Alerts(t, o.store, "effect_unknown")) != 0 {
		t.Errorf("the step is %s after %d messages: %v", o.step("tg").State, len(o.tg.Published()), err)
	}
}

// TestDeploymentGoesOnWhereItBroke: whichever call broke, the site is deployed
// once and is live under its name at the end.
func TestDeploymentGoesOnWhereItBroke(t *testing.T) {
	t.Parallel()
	const account = "/accounts/acc/pages/projects"
	project := account + "/dodo-b"
	for name, fault := range map[string]pagessim.Fault{
		"project":               {Path: "POST " + account},
		"upload token":          {Path: "GET " + project + "/upload-token"},
		"upload":                {Path: "POST /pages/assets/upload", AfterAccept: true},
		"deployment refused":    {Path: "POST " + project + "/deployments", Status: http.StatusBadGateway},
		"deployment lost":       {Path: "POST " + project + "/deployments", AfterAccept: true},
		"deployment in silence": {Path: "POST " + project + "/deployments", AfterAccept: true, Hang: true},
		"domain":                {Path: "POST " + project + "/domains"},
		"domain lost":           {Path: "POST " + project + "/domains", AfterAccept: true},
		"record":                {Path: "POST /zones/zone/dns_records", AfterAccept: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("site"))
			o.Sites = o.place.host(&http.Client{Timeout: patient})
			b := o.build("site", "site", map[string][]byte{"/index.html": []byte("home"), "/404.html": []byte("lost")})
			o.pages.Fail(fault)
			err := o.publish("site", app.KindSite, app.SitePayload{Host: host, BuildID: b.ID, ManifestSHA256: b.ManifestSHA256, OfficialAddress: official})
			for range 3 {
				if err == nil {
					err = o.later(time.Minute)
				}
			}
			if err != nil || o.step("site").State != app.StepDone || !o.pages.Live(host) || len(o.pages.Deployments()) != 1 {
				t.Errorf("the step is %s: %s; live %v after %d deployments: %v", o.step("site").State, o.step("site").Error, o.pages.Live(host), len(o.pages.Deployments()), err)
			}
		})
	}
}

// TestDeploymentThatNeverWorks ends with a person, not with endless tries.
func TestDeploymentThatNeverWorks(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("site"))
	b := o.build("site", "site", map[string][]byte{"/index.html": []byte("home")})
	o.pages.Fail(pagessim.Fault{Path: "POST /accounts/acc/pages/projects", Status: http.StatusBadGateway, Times: 1000})
	if err := o.publish("site", app.KindSite, app.SitePayload{Host: host, BuildID: b.ID, ManifestSHA256: b.ManifestSHA256, OfficialAddress: official}); err != nil {
		t.Fatal(err)
	}
	for range 60 {
		if err := o.later(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if e := o.effects()[0]; e.State != app.EffectUnknown || e.Attempt != 20 || len(testop.Alerts(t, o.store, "effect_unknown")) != 1 {
		t.Errorf("the effect is %s after %d attempts, %d alerts", e.State, e.Attempt, len(testop.Alerts(t, o.store, "effect_unknown")))
	}
}

// TestUnreachablePlatform: a call that was never made is made later, and after
// many tries a person hears of it.
func TestUnreachablePlatform(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nowhere := "http://" + closed.Addr().String()
	closed.Close()
	there := o.desk.X
	o.desk.X = x.New(x.Config{APIBaseURL: nowhere, AuthBaseURL: nowhere})
	if err := o.publish("a", app.KindPost, aPost("gm")); err != nil || o.effects()[0].State != app.EffectIntent {
		t.Fatalf("the effect is %s: %v", o.effects()[0].State, err)
	}
	if err := o.later(time.Minute); err != nil {
		t.Fatal(err)
	}
	o.desk.X = there
	if err := o.later(time.Minute); err != nil || len(o.x.Posts()) != 1 || o.effects()[0].Attempt != 3 {
		t.Errorf("%d posts after %d attempts: %v", len(o.x.Posts()), o.effects()[0].Attempt, err)
	}
}

// TestProcessDiesInAnEffect: dead before the call or after it, the post goes
// out once.
func TestProcessDiesInAnEffect(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"attempting", "sent"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			o.approve(o.await("a", app.KindPost, aPost("gm")))
			o.tick()
			dying := *o.Orchestrator
			dying.Reached = func(at string) {
				if at == point {
					runtime.Goexit()
				}
			}
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				for _, job := range o.taken() {
					_ = dying.Do(t.Context(), job)
				}
			}()
			<-gone
			if err := o.later(time.Minute); err != nil || o.effects()[0].State != app.EffectAttempting {
				t.Fatalf("a dead worker's effect is %s before its lease has run out: %v", o.effects()[0].State, err)
			}
			o.wall.Advance(lease)
			if err := o.later(0); err != nil {
				t.Fatal(err)
			}
			if err := o.later(10 * time.Minute); err != nil || len(o.x.Posts()) != 1 || o.step("a").State != app.StepDone {
				t.Errorf("%d posts, the effect is %s: %v", len(o.x.Posts()), o.effects()[0].State, err)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}

// TestLateWorkerChangesNothing: a worker whose effect was looked into meanwhile
// can't book it any more.
func TestLateWorkerChangesNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	o.approve(o.await("a", app.KindPost, aPost("gm")))
	o.tick()
	jobs := o.taken()
	sent, goOn := make(chan struct{}), make(chan struct{})
	slow := *o.Orchestrator
	slow.Reached = func(at string) {
		if at == "sent" {
			close(sent)
			<-goOn
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- slow.Do(context.WithoutCancel(t.Context()), jobs[0]) }()
	<-sent
	o.wall.Advance(2 * lease)
	if err := o.work(); err != nil {
		t.Fatal(err)
	}
	before := o.effects()
	close(goOn)
	if err := <-ended; err != nil {
		t.Errorf("the late worker ended with %v", err)
	}
	if after := o.effects(); after[0].State != app.EffectDone || after[0].DoneAt == nil || !slices.Equal(states(after), states(before)) || len(o.x.Posts()) != 1 {
		t.Errorf("effects %v after %v, %d posts", states(after), states(before), len(o.x.Posts()))
	}
}

// TestStoppedWhileInDoubt: what turns out not to have gone out is void.
func TestStoppedWhileInDoubt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		accepted bool
		want     app.EffectState
	}{"sent": {true, app.EffectDone}, "not sent": {false, app.EffectVoid}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			o.x.Fail(xsim.Fault{Path: "POST /2/tweets", AfterAccept: c.accepted})
			o.x.Fail(xsim.Fault{Path: "GET /2/users/", Status: http.StatusServiceUnavailable})
			if err := o.publish("a", app.KindPost, aPost("gm")); err != nil {
				t.Fatal(err)
			}
			if err := o.store.StopOperation(t.Context(), o.op.Slug, "enough", testop.Person, o.clock.Now()); err != nil {
				t.Fatal(err)
			}
			if err := o.later(time.Hour); err != nil || o.effects()[0].State != c.want || o.step("a").State != app.StepCancelled {
				t.Errorf("the effect is %s and the step %s: %v", o.effects()[0].State, o.step("a").State, err)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}
