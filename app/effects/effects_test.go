package effects_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/preflight"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func approved(t *testing.T, kind app.ValidationKind, payload any) app.Validation {
	t.Helper()
	raw, err := app.CanonicalJSON(payload)
	if err != nil {
		t.Fatal(err)
	}
	return app.Validation{ID: "6f1c2d3e-0000-4000-8000-000000000001", OperationID: 7, StepID: 9, Kind: kind, Payload: raw}
}

func plan(t *testing.T, kind app.ValidationKind, payload any) []app.Effect {
	t.Helper()
	planned, err := effects.Plan(approved(t, kind, payload))
	if err != nil {
		t.Fatal(err)
	}
	return planned
}

func media(n int) app.Media {
	return app.Media{SHA256: strings.Repeat(fmt.Sprint(n), 64), MIME: "image/png", Alt: fmt.Sprintf("picture %d", n)}
}

var (
	link  = "Read it on https://ember.com/ & <hold>"
	post  = app.PostPayload{Account: "ember", Text: "Day 3. $EMBER is back at 0x00000000000000000000000000000000000000AA", Media: []app.Media{media(1)}}
	reply = app.PostPayload{Account: "ember", Text: "The operation pays.", Media: []app.Media{}, Answers: &app.Answered{PostID: "1990000000000000001", AuthorID: "800000001"}}
	// The accounts of a thread's own posts are not to be trusted: the thread's is.
	thread = app.ThreadPayload{Account: "ember", Posts: []app.PostPayload{{Account: "someone", Text: "One", Media: []app.Media{media(1), media(2)}}, {Text: "Two"}, {Text: link}, {Text: "Four"}}}
	poll   = app.PollPayload{Account: "ember", Intro: app.PostPayload{Account: "someone", Text: "Three directions", Media: []app.Media{media(1), media(2), media(3)}},
		Question: "Which one?", Options: []string{"Ash", "Flame", "Coal"}, DurationMinutes: 1440, Channels: []string{"x", "telegram"}, TelegramChat: -100123}
	telegram = app.TelegramSetupPayload{Chat: -100123, Title: "Ember", Description: "The fire is lit.", Rules: "Be kind.",
		Pinned: "Official: 0x00000000000000000000000000000000000000AA", OfficialAddress: "0x00000000000000000000000000000000000000AA"}
	site    = app.SitePayload{Host: "ember.vivra.example", BuildID: "6f1c2d3e-0000-4000-8000-00000000000b", Template: "signal", ManifestSHA256: strings.Repeat("c", 64), OfficialAddress: "0xAA"}
	utility = app.UtilityPayload{Host: "ember.vivra.example", Path: "/quiz", BuildID: "6f1c2d3e-0000-4000-8000-00000000000c", Template: "tg-quiz-bot",
		Config: json.RawMessage(`{"questions":3}`), ManifestSHA256: strings.Repeat("d", 64)}
	profile = app.ProfilePayload{Account: "ember", Name: "Ember", Bio: "Back.", URL: "https://ember.example/", Picture: media(4), Banner: media(5), Checklist: []string{"Set the automated label"}}
)

// planned is what a golden file keeps of an effect.
type planned struct {
	Position int             `json:"position"`
	Kind     string          `json:"kind"`
	Account  string          `json:"account"`
	Spaced   bool            `json:"spaced"`
	Price    app.Nano        `json:"price_nusd"`
	Request  json.RawMessage `json:"request"`
	SHA256   string          `json:"request_sha256"`
}

func TestPlans(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		kind    app.ValidationKind
		payload any
	}{
		{"post", app.KindPost, post},
		{"reply", app.KindPost, reply},
		{"thread", app.KindThread, thread},
		{"poll", app.KindPoll, poll},
		{"profile", app.KindProfile, profile},
		{"telegram", app.KindTelegram, telegram},
		{"site", app.KindSite, site},
		{"utility", app.KindUtility, utility},
	}
	for _, tt := range tests {
		var got []planned
		for _, e := range plan(t, tt.kind, tt.payload) {
			account, first := effects.Account(e)
			got = append(got, planned{e.Position, e.Kind, account, first, e.Price, e.Request, e.RequestSHA256})
		}
		golden(t, tt.name+".json", got)
	}
}

func golden(t *testing.T, name string, v any) {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s differs; go test ./app/effects -update rewrites it (-want +got):\n%s", file, diff)
	}
}

func TestAcceptedOutputsSendNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []app.ValidationKind{app.KindGoNoGo, app.KindDirection, app.KindKit, app.KindMods, app.KindVerdict, app.KindDossier, app.KindHandover} {
		if got := plan(t, kind, app.OutputPayload{Step: "a.b", Output: json.RawMessage(`{}`)}); len(got) != 0 {
			t.Errorf("%s has effects: %v", kind, got)
		}
	}
}

func TestEffectsAreNamedByValidationAndPosition(t *testing.T) {
	t.Parallel()
	for i, e := range plan(t, app.KindThread, thread) {
		want := app.Effect{Key: fmt.Sprintf("6f1c2d3e-0000-4000-8000-000000000001/%d", i), ValidationID: "6f1c2d3e-0000-4000-8000-000000000001",
			OperationID: 7, StepID: 9, Position: i, Kind: effects.XPost, Request: e.Request, RequestSHA256: app.SHA256Hex(e.Request), Price: e.Price}
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("effect %d (-want +got):\n%s", i, diff)
		}
	}
}

func read[T any](t *testing.T, e app.Effect) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(e.Request, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEachPostOfAThreadAnswersTheOneBefore(t *testing.T) {
	t.Parallel()
	for n := 4; n <= 8; n++ {
		posts := make([]app.PostPayload, n)
		for i := range posts {
			posts[i].Text = fmt.Sprint(i)
		}
		got := plan(t, app.KindThread, app.ThreadPayload{Account: "ember", Posts: posts})
		if len(got) != n {
			t.Fatalf("%d posts make %d effects", n, len(got))
		}
		for i, e := range got {
			if p := read[effects.Post](t, e); p.ReplyTo != i-1 || p.Text != fmt.Sprint(i) || p.Account != "ember" {
				t.Errorf("post %d is %+v", i, p)
			}
			if account, first := effects.Account(e); account != "ember" || first != (i == 0) {
				t.Errorf("post %d is on %q, first %t", i, account, first)
			}
		}
	}
}

// TestRepliesAreNoPostsOfOurOwn: they cost less, take no turn among the account's
// posts, and only a single post can be one.
func TestRepliesAreNoPostsOfOurOwn(t *testing.T) {
	t.Parallel()
	linked := reply
	linked.Text = link
	for _, tt := range []struct {
		payload app.PostPayload
		price   app.Nano
		to      string
	}{{reply, preflight.PriceReply, "1990000000000000001"}, {linked, preflight.PriceLink, "1990000000000000001"}, {post, preflight.PricePost + preflight.PriceMetadata, ""}} {
		e := plan(t, app.KindPost, tt.payload)[0]
		account, first := effects.Account(e)
		if p := read[effects.Post](t, e); p.Answers != tt.to || e.Price != tt.price || effects.Replies(e) != (tt.to != "") || (account == "") != (tt.to != "") || first != (tt.to == "") {
			t.Errorf("%q goes out as %+v for %s, on %q, first: %t", tt.payload.Text, p, e.Price, account, first)
		}
	}
	smuggled := thread
	smuggled.Posts = append([]app.PostPayload{reply}, thread.Posts...)
	asked := poll
	asked.Intro.Answers = reply.Answers
	for kind, payload := range map[app.ValidationKind]any{app.KindThread: smuggled, app.KindPoll: asked} {
		for _, e := range plan(t, kind, payload) {
			if effects.Replies(e) {
				t.Errorf("%s answers another account", kind)
			}
		}
	}
}

func TestBoardsGoBeforeThePollWhichIsAlone(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		channels []string
		kinds    string
		intro    int
	}{
		"both":           {[]string{"x", "telegram"}, "x.post x.post tg.poll", 0},
		"telegram first": {[]string{"telegram", "x"}, "tg.poll x.post x.post", 1},
		"x":              {[]string{"x"}, "x.post x.post", 0},
		"telegram":       {[]string{"telegram"}, "tg.poll", -1},
	}
	for name, tt := range tests {
		p := poll
		p.Channels = tt.channels
		got := plan(t, app.KindPoll, p)
		var kinds []string
		for _, e := range got {
			kinds = append(kinds, e.Kind)
		}
		if s := strings.Join(kinds, " "); s != tt.kinds {
			t.Errorf("%s: effects %s, want %s", name, s, tt.kinds)
			continue
		}
		if tt.intro < 0 {
			continue
		}
		intro, question := read[effects.Post](t, got[tt.intro]), read[effects.Post](t, got[tt.intro+1])
		if len(intro.Media) != 3 || intro.PollOptions != nil || intro.ReplyTo != -1 || intro.Account != "ember" {
			t.Errorf("%s: the boards go out as %+v", name, intro)
		}
		if len(question.Media) != 0 || len(question.PollOptions) != 3 || question.PollMinutes != 1440 || question.ReplyTo != tt.intro || question.Text != "Which one?" {
			t.Errorf("%s: the poll goes out as %+v", name, question)
		}
	}
}

func TestThePinnedMessageIsTheOfficialOne(t *testing.T) {
	t.Parallel()
	for _, rules := range []string{"Be kind.", ""} {
		p := telegram
		p.Rules = rules
		got := plan(t, app.KindTelegram, p)
		pin := read[effects.Pin](t, got[len(got)-1])
		if m := read[effects.Message](t, got[pin.Position]); m.Text != telegram.Pinned || got[pin.Position].Kind != effects.TGMessage {
			t.Errorf("with the rules %q the pinned message is %q", rules, m.Text)
		}
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	sum := func(es []app.Effect) (total app.Nano) {
		for _, e := range es {
			total += e.Price
		}
		return total
	}
	tests := map[string]struct {
		kind    app.ValidationKind
		payload any
		want    app.Nano
	}{
		"plain post":  {app.KindPost, app.PostPayload{Text: "Back"}, preflight.PricePost},
		"with a link": {app.KindPost, app.PostPayload{Text: link}, preflight.PriceLink},
		"two pictures": {app.KindPost, app.PostPayload{Text: "Back", Media: []app.Media{media(1), media(2)}},
			preflight.PricePost + 2*preflight.PriceMetadata},
		"thread":   {app.KindThread, thread, 3*preflight.PricePost + preflight.PriceLink + 2*preflight.PriceMetadata},
		"poll":     {app.KindPoll, poll, 2*preflight.PricePost + 3*preflight.PriceMetadata},
		"telegram": {app.KindTelegram, telegram, 0},
		"site":     {app.KindSite, site, 0},
		"profile":  {app.KindProfile, profile, 0},
	}
	for name, tt := range tests {
		if got := sum(plan(t, tt.kind, tt.payload)); got != tt.want {
			t.Errorf("%s costs %s, want %s", name, got, tt.want)
		}
	}
}

// The same payload calls for the same bytes however its JSON was spelled, and
// any change of it for others.
func TestHashesAreOfTheContent(t *testing.T) {
	t.Parallel()
	spelled := func(payload string) string {
		got, err := effects.Plan(app.Validation{Kind: app.KindPost, Payload: json.RawMessage(payload)})
		if err != nil {
			t.Fatal(err)
		}
		return got[0].RequestSHA256
	}
	first := spelled(`{"account":"ember","text":"a & b","media":[]}`)
	for _, same := range []string{`{ "media": [], "text": "a & b", "account": "ember" }`, `{"account":"ember","text":"a \u0026 b","media":[]}`} {
		if spelled(same) != first {
			t.Errorf("%s has another hash", same)
		}
	}
	for _, other := range []string{`{"account":"ember","text":"a & c","media":[]}`, `{"account":"Ember","text":"a & b","media":[]}`,
		`{"account":"ember","text":"a & b","media":[{"sha256":"1","mime":"image/png","alt":""}]}`} {
		if spelled(other) == first {
			t.Errorf("%s has the same hash", other)
		}
	}
}

func TestMalformedPayloadIsRefused(t *testing.T) {
	t.Parallel()
	for _, kind := range []app.ValidationKind{app.KindPost, app.KindThread, app.KindPoll, app.KindProfile, app.KindTelegram, app.KindSite, app.KindUtility} {
		for _, payload := range []string{`[]`, `{"text":`, ``} {
			if got, err := effects.Plan(app.Validation{Kind: kind, Payload: json.RawMessage(payload)}); err == nil || len(got) > 0 {
				t.Errorf("%s with the payload %q plans %v, %v", kind, payload, got, err)
			}
		}
	}
}
