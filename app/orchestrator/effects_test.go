package orchestrator_test

import (
	"image/color"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/xsim"
)

const (
	official = "0xD0d0000000000000000000000000000000000001"
	host     = "dodo-b.vivra.example"
)

// person is a step that waits for a person before its effects.
func person(key string) app.Step { return testop.Step("cm", key, key, true) }

func aPost(text string) app.PostPayload {
	return app.PostPayload{Account: handle, Text: text, Media: []app.Media{}}
}

// TestApprovedEffectsReachTheirPlatform: each kind of output goes out once, as
// it was approved, and completes its step; what X charges is booked.
func TestApprovedEffectsReachTheirPlatform(t *testing.T) {
	t.Parallel()
	const key = "some.step"
	files := map[string][]byte{"/index.html": []byte("<h1>Dodo</h1>"), "/404.html": []byte("lost")}
	for name, c := range map[string]struct {
		kind    app.ValidationKind
		payload func(o *office) any
		effects int
		seen    func(t *testing.T, o *office)
	}{
		"post": {app.KindPost, func(o *office) any {
			return app.PostPayload{Account: handle, Text: "gm", Media: []app.Media{o.picture(key, color.White)}}
		}, 1, func(t *testing.T, o *office) {
			posts := o.x.Posts()
			if len(posts) != 1 || posts[0].Text != "gm" || posts[0].Account != userID || len(posts[0].Media) != 1 || posts[0].Media[0].Alt != "A picture" {
				t.Errorf("posts: %+v", posts)
			}
		}},
		"thread": {app.KindThread, func(*office) any {
			return app.ThreadPayload{Account: handle, Posts: []app.PostPayload{aPost("one"), aPost("two"), aPost("three"), aPost("four")}}
		}, 4, func(t *testing.T, o *office) {
			posts := o.x.Posts()
			if len(posts) != 4 {
				t.Fatalf("%d posts", len(posts))
			}
			for i, p := range posts[1:] {
				if p.ReplyTo != posts[i].ID {
					t.Errorf("%q answers %q, want %q", p.Text, p.ReplyTo, posts[i].ID)
				}
			}
		}},
		"poll": {app.KindPoll, func(o *office) any {
			return app.PollPayload{Account: handle, Intro: app.PostPayload{Text: "Three ways.", Media: []app.Media{o.picture(key, color.Black)}}, Question: "Which?",
				Options: []string{"A", "B", "C"}, DurationMinutes: 1440, Channels: []string{"x", "telegram"}, TelegramChat: group}
		}, 3, func(t *testing.T, o *office) {
			posts, polls := o.x.Posts(), o.tg.Polls()
			if len(posts) != 2 || posts[0].Poll != nil || posts[1].Poll == nil || posts[1].ReplyTo != posts[0].ID || len(posts[1].Media) != 0 {
				t.Errorf("posts: %+v", posts)
			}
			if len(polls) != 1 || !slices.Equal(polls[0].Options, []string{"A", "B", "C"}) {
				t.Errorf("polls: %+v", polls)
			}
			record, _, err := o.store.Poll(t.Context(), o.op.ID)
			if err != nil || record.XPostID != posts[1].ID || record.TelegramPollID != polls[0].ID || record.TelegramMessageID == 0 {
				t.Errorf("kept of the poll: %+v: %v", record, err)
			}
		}},
		"telegram": {app.KindTelegram, func(*office) any {
			return app.TelegramSetupPayload{Chat: group, Title: "Dodo", Description: "Home.", Rules: "Be kind.", Pinned: "Official: " + official, OfficialAddress: official}
		}, 5, func(t *testing.T, o *office) {
			state, _ := o.tg.Group(group)
			if state.Title != "Dodo" || state.Description != "Home." || state.Pinned != "Official: "+official || len(o.tg.Published()) != 2 {
				t.Errorf("group: %+v, %d messages", state, len(o.tg.Published()))
			}
		}},
		"telegram without rules": {app.KindTelegram, func(*office) any {
			return app.TelegramSetupPayload{Chat: group, Title: "dodo", Pinned: official, OfficialAddress: official}
		}, 4, func(t *testing.T, o *office) {
			if state, _ := o.tg.Group(group); state.Pinned != official {
				t.Errorf("pinned: %q", state.Pinned)
			}
		}},
		"site": {app.KindSite, func(o *office) any {
			b := o.build(key, "site", files)
			return app.SitePayload{Host: host, BuildID: b.ID, Template: "signal", ManifestSHA256: b.ManifestSHA256, OfficialAddress: official}
		}, 1, func(t *testing.T, o *office) {
			all := o.pages.Deployments()
			if len(all) != 1 || string(all[0].Files["/index.html"]) != "<h1>Dodo</h1>" || !o.pages.Live(host) {
				t.Errorf("%d deployments, live: %v", len(all), o.pages.Live(host))
			}
			if at, url, err := o.store.Site(t.Context(), o.op.ID); err != nil || at != host || url != "https://"+host {
				t.Errorf("kept of the site: %s %s %v", at, url, err)
			}
		}},
		"an output": {app.KindKit, func(*office) any { return app.OutputPayload{Step: key, Output: []byte("{}")} }, 0, func(*testing.T, *office) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person(key))
			if err := o.publish(key, c.kind, c.payload(o)); err != nil {
				t.Fatal(err)
			}
			effects := o.effects()
			if got := o.step(key); got.State != app.StepDone || len(effects) != c.effects {
				t.Fatalf("the step is %s: %s; effects %v", got.State, got.Error, states(effects))
			}
			for _, e := range effects {
				if e.State != app.EffectDone || e.Attempt != 1 || e.Cost != e.Price || e.DoneAt == nil {
					t.Errorf("%s is %s after %d attempts and cost %s of %s", e.Kind, e.State, e.Attempt, e.Cost, e.Price)
				}
			}
			c.seen(t, o)
			if spent, charged := testop.Balanced(t, o.store, o.op), o.x.Charged(); spent != charged {
				t.Errorf("booked %s, X has charged %s", spent, charged)
			}
		})
	}
}

// TestUtilityGoesOutWithTheSite: a deployment replaces the whole site, so the
// utility's page is added to what is there.
func TestUtilityGoesOutWithTheSite(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("webdev.publish"), person("builder.utility"))
	site := o.build("webdev.publish", "site", map[string][]byte{"/index.html": []byte("home"), "/404.html": []byte("lost")})
	if err := o.publish("webdev.publish", app.KindSite, app.SitePayload{Host: host, BuildID: site.ID, ManifestSHA256: site.ManifestSHA256, OfficialAddress: official}); err != nil {
		t.Fatal(err)
	}
	game := o.build("builder.utility", "utility", map[string][]byte{"/index.html": []byte("game"), "/404.html": []byte("other")})
	if err := o.publish("builder.utility", app.KindUtility, app.UtilityPayload{Host: host, Path: "/play", BuildID: game.ID, ManifestSHA256: game.ManifestSHA256}); err != nil {
		t.Fatal(err)
	}
	all := o.pages.Deployments()
	if len(all) != 2 {
		t.Fatalf("%d deployments", len(all))
	}
	for path, want := range map[string]string{"/index.html": "home", "/404.html": "lost", "/play/index.html": "game"} {
		if got := string(all[1].Files[path]); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

// TestPostsKeepTheirDistance: of two posts on one account the later one waits
// its half hour; a thread has no gaps.
func TestPostsKeepTheirDistance(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"), person("b"))
	if err := o.publish("a", app.KindPost, aPost("first")); err != nil {
		t.Fatal(err)
	}
	first := o.clock.Now()
	if err := o.publish("b", app.KindPost, aPost("second")); err != nil || len(o.x.Posts()) != 1 || o.step("b").State != app.StepWaiting {
		t.Fatalf("%d posts, the second step is %s: %v", len(o.x.Posts()), o.step("b").State, err)
	}
	if err := o.later(first.Add(30*time.Minute - time.Second).Sub(o.clock.Now())); err != nil || len(o.x.Posts()) != 1 {
		t.Fatalf("%d posts after less than half an hour: %v", len(o.x.Posts()), err)
	}
	if err := o.later(time.Second); err != nil || len(o.x.Posts()) != 2 || o.step("b").State != app.StepDone {
		t.Errorf("%d posts after half an hour: %v", len(o.x.Posts()), err)
	}
}

// TestPauseAndStop: a paused operation publishes nothing until it goes on; a
// stopped one never does.
func TestPauseAndStop(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"), person("b"))
	ctx := t.Context()
	if err := o.store.PauseOperation(ctx, o.op.Slug, testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	o.tick()
	if got := o.step("a").State; got != app.StepPending {
		t.Fatalf("a paused operation has started a step: %s", got)
	}
	if err := o.store.ResumeOperation(ctx, o.op.Slug, testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	draft := o.await("a", app.KindPost, aPost("first"))
	other := o.await("b", app.KindPost, aPost("second"))
	if err := o.store.PauseOperation(ctx, o.op.Slug, testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	o.approve(draft)
	if err := o.work(); err != nil || len(o.x.Posts()) != 0 || o.effects()[0].State != app.EffectIntent {
		t.Fatalf("a paused operation has published: %v", err)
	}
	if err := o.store.StopOperation(ctx, o.op.Slug, "enough", testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if err := o.later(24 * time.Hour); err != nil || len(o.x.Posts()) != 0 {
		t.Errorf("a stopped operation has published: %v", err)
	}
	if got := states(o.effects()); !slices.Equal(got, []app.EffectState{app.EffectVoid}) {
		t.Errorf("effects %v, want void", got)
	}
	if v, err := o.store.Validation(ctx, other.ID); err != nil || v.State != app.ValidationVoid {
		t.Errorf("the open draft is %s: %v", v.State, err)
	}
	for _, key := range []string{"a", "b"} {
		if got := o.step(key).State; got != app.StepCancelled {
			t.Errorf("%s is %s", key, got)
		}
	}
	testop.Balanced(t, o.store, o.op)
}

// TestRefusedPublications: a refusal for good fails the step with the reason and
// one alert; the rest of the thread never goes out.
func TestRefusedPublications(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault        xsim.Fault
		says, advice string
	}{
		"out of credits": {xsim.Fault{Path: "POST /2/tweets", Status: http.StatusPaymentRequired}, "402", "Buy credits"},
		"forbidden":      {xsim.Fault{Path: "POST /2/tweets", Status: http.StatusForbidden}, "403", "Look at the account"},
		"bad request":    {xsim.Fault{Path: "POST /2/tweets", Status: http.StatusBadRequest}, "400", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			o.x.Fail(c.fault)
			err := o.publish("a", app.KindThread, app.ThreadPayload{Account: handle, Posts: []app.PostPayload{aPost("one"), aPost("two"), aPost("three"), aPost("four")}})
			if s := o.step("a"); err == nil || s.State != app.StepFailed || !strings.Contains(s.Error, c.says) {
				t.Errorf("%s: %s: %v", s.State, s.Error, err)
			}
			if err := o.later(24 * time.Hour); err != nil || len(o.x.Posts()) != 0 || o.fronts.x.arrived("POST /2/tweets") != 1 {
				t.Errorf("%d posts after %d calls: %v", len(o.x.Posts()), o.fronts.x.arrived("POST /2/tweets"), err)
			}
			if alerts := testop.Alerts(t, o.store, "publication_failed"); len(alerts) != 1 || !strings.Contains(alerts[0].Message, c.advice) {
				t.Errorf("the team is told %+v", alerts)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}

// TestPatience: what a platform asks to wait for, or can't be reached with, is
// sent later, once.
func TestPatience(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault xsim.Fault
		wait  time.Duration
	}{
		"rate limited":         {xsim.Fault{Path: "POST /2/tweets", Status: http.StatusTooManyRequests, RetryAfter: 5 * time.Minute}, 5 * time.Minute},
		"limited without word": {xsim.Fault{Path: "POST /2/tweets", Status: http.StatusTooManyRequests}, time.Minute},
		"media limited":        {xsim.Fault{Path: "POST /2/media", Status: http.StatusTooManyRequests}, time.Minute},
		"media broken":         {xsim.Fault{Path: "POST /2/media"}, time.Minute},
		"media down":           {xsim.Fault{Path: "POST /2/media", Status: http.StatusServiceUnavailable}, time.Minute},
		"stale token":          {xsim.Fault{Path: "POST /2/tweets", Status: http.StatusUnauthorized}, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			post := aPost("gm")
			post.Media = []app.Media{o.picture("a", color.White)}
			o.x.Fail(c.fault)
			if err := o.publish("a", app.KindPost, post); err != nil || len(o.x.Posts()) != 0 {
				t.Fatalf("%d posts: %v", len(o.x.Posts()), err)
			}
			if err := o.later(c.wait - time.Second); err != nil || len(o.x.Posts()) != 0 || o.effects()[0].State != app.EffectIntent {
				t.Fatalf("%d posts too early, the effect is %s: %v", len(o.x.Posts()), o.effects()[0].State, err)
			}
			if err := o.later(time.Second); err != nil || len(o.x.Posts()) != 1 || o.step("a").State != app.StepDone {
				t.Errorf("%d posts, the step is %s: %v", len(o.x.Posts()), o.step("a").State, err)
			}
		})
	}
}

// TestAccountMustBeConnected: a post whose account nobody has connected, or
// whose tokens are gone, waits and tells the team once.
func TestAccountMustBeConnected(t *testing.T) {
	t.Parallel()
	for name, account := range map[string]string{"never connected": "someone_else", "lost": handle} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			o.op = testop.Of(t, o.store, app.NewOperation{Token: testop.Token(1), Slug: "dodo-b", J0: testop.J0, Cap: app.Dollar, XHandle: account}, person("a"))
			o.lose()
			if err := o.publish("a", app.KindPost, app.PostPayload{Account: account, Text: "gm", Media: []app.Media{}}); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				if err := o.later(10 * time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			if alerts := testop.Alerts(t, o.store, "x_account"); len(alerts) != 1 || o.step("a").State != app.StepWaiting || o.effects()[0].State != app.EffectIntent {
				t.Errorf("%d alerts, the effect is %s", len(alerts), o.effects()[0].State)
			}
		})
	}
}

// TestPollIsCounted: both channels are read, the results wait until each has had
// its full time, and Telegram's last word is kept, as it says it once.
func TestPollIsCounted(t *testing.T) {
	t.Parallel()
	const poll, results = "designer.poll", "designer.poll_results"
	o := newOffice(t, person(poll), step(results, time.Hour, []string{poll}, nil))
	if _, _, _, err := o.desk.PollTallies(t.Context(), agent.Scope{OperationID: o.op.ID, Agent: "designer"}); app.KindOf(err) != app.NotFound {
		t.Errorf("there is no poll yet: %v", err)
	}
	err := o.publish(poll, app.KindPoll, app.PollPayload{Account: handle, Intro: aPost("Three ways."), Question: "Which?", Options: []string{"A", "B", "C"},
		DurationMinutes: 1440, Channels: []string{"x", "telegram"}, TelegramChat: group})
	if err != nil {
		t.Fatal(err)
	}
	closes := testop.J0.Add(24 * time.Hour)
	if hold := o.step(results).NotBefore; hold == nil || hold.Before(closes) {
		t.Errorf("the results may be counted from %v, the poll closes at %v", hold, closes)
	}
	o.clock.Advance(23 * time.Hour)
	o.x.Advance(o.clock.Now())
	o.tg.Advance(o.clock.Now())
	record, onX, onTelegram, err := o.desk.PollTallies(t.Context(), agent.Scope{OperationID: o.op.ID, Agent: "designer"})
	if err != nil || onX == nil || onX.Closed || onTelegram != nil || len(record.Options) != 3 {
		t.Errorf("an open poll: %+v %+v %+v: %v", record, onX, onTelegram, err)
	}
	o.clock.Advance(time.Hour - time.Second) // before Telegram closes it by itself
	if _, err := o.desk.Telegram.StopPoll(t.Context(), group, record.TelegramMessageID+999); err == nil {
		t.Error("a poll that is none was stopped")
	}
	o.clock.Advance(time.Second)
	for range 2 {
		_, onX, _, err = o.desk.PollTallies(t.Context(), agent.Scope{OperationID: o.op.ID, Agent: "designer"})
		if err != nil || onX == nil || !onX.Closed || len(onX.Votes) != 3 {
			t.Errorf("a closed poll: %+v: %v", onX, err)
		}
	}
	// What Telegram's own update says at the end is the last word.
	last := `{"update_id":5,"poll":{"id":"` + record.TelegramPollID + `","question":"Which?","options":[{"text":"A","voter_count":2},{"text":"B","voter_count":9},{"text":"C","voter_count":0}],"total_voter_count":11,"is_closed":true,"is_anonymous":true,"type":"regular","allows_multiple_answers":false}}`
	if err := o.desk.SaveUpdate(t.Context(), []byte(last), o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if _, _, onTelegram, err = o.desk.PollTallies(t.Context(), agent.Scope{OperationID: o.op.ID, Agent: "designer"}); err != nil || onTelegram == nil || !slices.Equal(onTelegram.Votes, []int{2, 9, 0}) {
		t.Errorf("Telegram's count: %+v: %v", onTelegram, err)
	}
}
