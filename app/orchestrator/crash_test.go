package orchestrator_test

import (
	"encoding/json"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/chain"
	"vivra/app/effects"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/internal/testprocess"
	"vivra/app/orchestrator"
	"vivra/app/preflight"
	"vivra/app/rehearsal/fault"
)

// subject is what is published to see effects of one kind.
type subject struct {
	validation app.ValidationKind
	payload    func(o *office) any
	// call is the one that publishes, %s its project.
	call  string
	front func(o *office) *front
	// askable: the platform tells what it has published, so that no person is needed.
	askable bool
}

const (
	theStep = "some.step"
	// aReply is the post that answers one of another account.
	aReply      = "x.post to another"
	deployments = "POST /client/v4/accounts/acc/pages/projects/%s/deployments"
)

func onX(o *office) *front        { return o.fronts.x }
func onTelegram(o *office) *front { return o.fronts.tg }
func onPages(o *office) *front    { return o.fronts.pages }

func setup(o *office) any {
	official := chain.Checksum(o.op.Token.Ref.Address)
	return app.TelegramSetupPayload{Chat: group, Title: "Dodo", Description: "Home.", Rules: "Be kind.", Pinned: "Official: " + official, OfficialAddress: official}
}

// subjects has one for every kind of effect, and one for a reply.
var subjects = map[string]subject{
	effects.XPost: {app.KindPost, func(o *office) any {
		return app.PostPayload{Account: handle, Text: "gm", Media: []app.Media{o.picture(theStep, color.White)}}
	}, "POST /2/tweets", onX, true},
	aReply: {app.KindPost, func(o *office) any {
		o.setting("x.ai_reply_approval", `"X case 12345"`)
		p := aPost("The operation pays.")
		p.Answers = &app.Answered{PostID: o.x.Quote(mara, "Who pays?", o.x.Say(userID, "It was quiet here.")), AuthorID: mara}
		return p
	}, "POST /2/tweets", onX, true},
	effects.XProfile: {app.KindProfile, func(o *office) any {
		if err := o.x.ApplyProfile(userID, "Dodo", "We hold.", "", nil); err != nil {
			o.t.Fatal(err)
		}
		return app.ProfilePayload{Account: handle, Name: "Dodo", Bio: "We hold."}
	}, "GET /2/users/me", onX, true},
	effects.TGTitle:    {app.KindTelegram, setup, "POST /bot" + botKey + "/setChatTitle", onTelegram, true},
	effects.TGDescribe: {app.KindTelegram, setup, "POST /bot" + botKey + "/setChatDescription", onTelegram, true},
	effects.TGMessage:  {app.KindTelegram, setup, "POST /bot" + botKey + "/sendMessage", onTelegram, false},
	effects.TGPin:      {app.KindTelegram, setup, "POST /bot" + botKey + "/pinChatMessage", onTelegram, true},
	effects.TGPoll: {app.KindPoll, func(*office) any {
		return app.PollPayload{Account: handle, Question: "Which?", Options: []string{"A", "B", "C"}, DurationMinutes: 1440, Channels: []string{"telegram"}, TelegramChat: group}
	}, "POST /bot" + botKey + "/sendPoll", onTelegram, false},
	effects.SiteDeploy: {app.KindSite, func(o *office) any {
		b := o.build(theStep, "site", map[string][]byte{"/index.html": []byte("home"), "/404.html": []byte("lost")})
		return app.SitePayload{Host: o.op.SiteHost, BuildID: b.ID, Template: "signal", ManifestSHA256: b.ManifestSHA256, OfficialAddress: chain.Checksum(o.op.Token.Ref.Address)}
	}, deployments, onPages, true},
	effects.UtilDeploy: {app.KindUtility, func(o *office) any {
		site := o.build("site", "site", map[string][]byte{"/index.html": []byte("home"), "/404.html": []byte("lost")})
		if err := o.publish("site", app.KindSite, app.SitePayload{Host: o.op.SiteHost, BuildID: site.ID, ManifestSHA256: site.ManifestSHA256, OfficialAddress: chain.Checksum(o.op.Token.Ref.Address)}); err != nil {
			o.t.Fatal(err)
		}
		b := o.build(theStep, "utility", map[string][]byte{"/index.html": []byte("game"), "/404.html": []byte("lost")})
		return app.UtilityPayload{Host: o.op.SiteHost, Path: "/play", BuildID: b.ID, ManifestSHA256: b.ManifestSHA256}
	}, deployments, onPages, true},
}

// behaviours are what a platform does with the call that publishes.
var behaviours = map[string]*fault.Fault{
	"answers":                    nil,
	"times out after accepting":  {AfterAccept: true, Hang: true},
	"hangs up before it accepts": {},
}

// scene is one effect about to be published by a platform that behaves so.
type scene struct {
	*office
	subject
	kind   string
	before int    // publications of the kind that were there before
	begins string // the kind of the first effect
}

// newScene is the n-th of those that share a database: each has a takeover and
// a day of its own, and platforms that know nothing of the others.
func newScene(t *testing.T, at place, n int, kind, behaviour string) *scene {
	t.Helper()
	s := &scene{office: officeAt(t, at, testop.J0.AddDate(0, 0, n)), subject: subjects[kind], kind: kind}
	steps := []app.Step{person(theStep)}
	if kind == aReply {
		s.kind = effects.XPost
	}
	if kind == effects.UtilDeploy {
		steps = append(steps, person("site"))
	}
	s.op = testop.New(t, s.store, byte(n+1), 50*app.Dollar, steps...)
	if strings.Contains(s.call, "%s") {
		s.call = fmt.Sprintf(s.call, s.op.Slug)
	}
	v := s.await(theStep, s.validation, s.payload(s.office))
	planned, err := effects.Plan(v)
	if err != nil {
		t.Fatal(err)
	}
	s.before, s.begins = s.published(), planned[0].Kind
	if _, err := s.store.ApproveValidation(t.Context(), v.Choice(), testop.Person, nil, s.clock.Now()); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(app.DefaultSettings().Undo)
	if f := behaviours[behaviour]; f != nil {
		hit := *f
		hit.Path = s.call
		s.front(s.office).faults.Add(hit)
	}
	return s
}

// published counts what the platform has carried out of the call.
func (s *scene) published() int { return s.front(s.office).calls(s.call) }

// rounds is how often the clock is turned by ten minutes in a scene.
const rounds = 3

// undisturbed plays the scene to its end and returns the points that the
// effect came to.
func (s *scene) undisturbed() (points []string) {
	s.t.Helper()
	left := rounds
	p := player{bureau: bureau{Orchestrator: s.Orchestrator}, operation: s.op.ID, begins: s.begins, made: &s.made, reached: func(point, kind string, _ int) {
		if kind == s.kind && !slices.Contains(points, point) {
			points = append(points, point)
		}
	}, next: func() bool {
		s.clock.Advance(10 * time.Minute)
		left--
		return left >= 0
	}}
	if err := p.play(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return points
}

// disturbed plays the scene in a process that dies at the point.
func (s *scene) disturbed(point string) {
	s.t.Helper()
	p := testprocess.Start(s.t, victimArg, victim{Place: s.place, Operation: s.op.ID, Product: s.clock.Now(), Wall: s.wall.Now(), Point: point, Kind: s.kind, Begins: s.begins})
	for left := rounds; ; left-- {
		if _, alive := p.Hear(); !alive || left == 0 {
			break
		}
		s.clock.Advance(10 * time.Minute)
		p.Tell("10m")
	}
	if !p.Killed(s.t) {
		s.t.Errorf("no process died at %q", point)
	}
}

// goOn is what another process does once the leases of the dead one have run out.
func (s *scene) goOn() {
	s.t.Helper()
	s.wall.Advance(2 * lease)
	for range rounds + 1 {
		_ = s.later(10 * time.Minute) // the rows tell what failed
	}
}

// check fails unless each effect went out at most once, none is lost, and the
// step is done or a person has been asked.
func (s *scene) check() {
	s.t.Helper()
	once := map[string]int{}
	for _, p := range s.x.Posts() {
		once["post "+p.Text]++
	}
	for _, p := range s.tg.Published() {
		once["message "+p.Text]++
	}
	for _, end := range []string{"/setChatTitle", "/setChatDescription", "/pinChatMessage"} {
		once[end] = s.fronts.tg.calls("POST /bot" + botKey + end)
	}
	for _, d := range s.pages.Deployments() {
		once["deployment "+d.Message]++
	}
	for what, n := range once {
		if n > 1 {
			s.t.Errorf("%s went out %d times", what, n)
		}
	}
	for _, e := range s.effects() {
		s.settled(e)
	}
	charged := app.Nano(s.fronts.x.calls("POST /2/media/metadata")) * preflight.PriceMetadata
	for _, p := range s.x.Posts() {
		charged += p.Charged
	}
	if spent := testop.Balanced(s.t, s.store, s.op); spent < charged {
		s.t.Errorf("%s is booked, X has charged %s", spent, charged)
	}
}

func (s *scene) settled(e app.Effect) {
	s.t.Helper()
	asked := slices.ContainsFunc(testop.Alerts(s.t, s.store, "effect_unknown"), func(a app.Alert) bool { return a.OperationSlug == s.op.Slug })
	switch {
	case e.State == app.EffectDone:
	case !s.askable && asked && (e.State == app.EffectUnknown || e.State == app.EffectIntent): // it waits behind the one in doubt
	default:
		s.t.Errorf("%s is %s after %d attempts: %s; asked: %v", e.Kind, e.State, e.Attempt, e.Error, asked)
	}
}

// answer has a person say what became of the effects in doubt, as it was, and
// checks that all of it is out then, once.
func (s *scene) answer() {
	s.t.Helper()
	for range 3 {
		for _, e := range s.effects() {
			if e.State != app.EffectUnknown {
				continue
			}
			link := s.linkTo(e)
			if err := s.store.SettleEffect(s.t.Context(), app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: link != "", Link: link}, testop.Person, s.clock.Now()); err != nil {
				s.t.Fatal(err)
			}
		}
		_ = s.later(10 * time.Minute)
	}
	if st := s.step(theStep); st.State != app.StepDone {
		s.t.Errorf("at the end the step is %s: %s", st.State, st.Error)
	}
	if n, want := s.published()-s.before, len(s.ofKind()); n != want && s.kind != effects.XProfile {
		s.t.Errorf("%d of %d went out", n, want)
	}
	s.check()
}

func (s *scene) ofKind() (all []app.Effect) {
	for _, e := range s.effects() {
		if e.Kind == s.kind && e.StepKey == theStep {
			all = append(all, e)
		}
	}
	return all
}

// linkTo is where a person finds what an effect has published, if it has.
func (s *scene) linkTo(e app.Effect) string {
	var said struct{ Text, Question string }
	if err := json.Unmarshal(e.Request, &said); err != nil {
		s.t.Fatal(err)
	}
	for _, p := range s.tg.Published() {
		if p.Text == said.Text+said.Question {
			return "https://t.me/c/1000000001/" + strconv.FormatInt(p.MessageID, 10)
		}
	}
	return ""
}

// TestKilledAtEachPoint: a process that is killed with kill -9 wherever an effect
// of any kind can be, beside a platform that behaves in any way, leaves nothing
// sent twice and nothing lost: another one goes on, or a person is asked.
func TestKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	for _, kind := range effects.Kinds() {
		if _, ok := subjects[kind]; !ok {
			t.Fatalf("there is no subject for effects of kind %s", kind)
		}
	}
	var mu sync.Mutex
	deaths := map[string]int{}
	t.Run("effects", func(t *testing.T) {
		for _, kind := range append(effects.Kinds(), aReply) {
			for behaviour := range behaviours {
				t.Run(kind+" "+behaviour, func(t *testing.T) {
					t.Parallel()
					at := place{Database: testdb.URL(t), Blobs: "file://" + t.TempDir(), Publishing: true}
					for n, point := range undisturbed(t, at, kind, behaviour) {
						t.Run(point, func(t *testing.T) {
							s := newScene(t, at, n+1, kind, behaviour)
							s.disturbed(point)
							s.goOn()
							s.check()
							s.answer()
							mu.Lock()
							defer mu.Unlock()
							deaths[point]++
						})
					}
				})
			}
		}
	})
	for _, point := range orchestrator.Points() {
		if deaths[point.String()] == 0 {
			t.Errorf("no process died at %q", point)
		}
	}
	t.Logf("deaths: %v", deaths)
}

// undisturbed is a scene in which nobody dies: it returns the points that the
// effect came to.
func undisturbed(t *testing.T, at place, kind, behaviour string) (points []string) {
	t.Run("undisturbed", func(t *testing.T) {
		s := newScene(t, at, 0, kind, behaviour)
		points = s.undisturbed()
		s.check()
		s.answer()
	})
	return points
}
