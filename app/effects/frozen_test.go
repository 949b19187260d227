package effects_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/effects"
)

const token = "0x00000000000000000000000000000000000000aa"

// binding is the operation that the payloads of these tests are for.
var binding = effects.Binding{OfficialAddress: token, Account: "ember", AccountID: "77", Chat: -100123, Host: "ember.vivra.example"}

var payloads = []struct {
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
	{"site", app.KindSite, ownSite},
	{"utility", app.KindUtility, utility},
	{"go_nogo", app.KindGoNoGo, app.OutputPayload{Step: "scanner.go_nogo", Output: json.RawMessage(`{"decision": "go", "score": 81}`)}},
	{"dossier", app.KindDossier, app.DossierPayload{Venue: "form", Fields: []app.DossierField{{Label: "Name", Value: "Ember", Source: "chain"}}}},
}

var ownSite = func() app.SitePayload {
	p := site
	p.OfficialAddress = telegram.OfficialAddress
	return p
}()

func canonical(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := app.CanonicalJSON(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func freeze(t testing.TB, kind app.ValidationKind, payload any, b effects.Binding) app.Frozen {
	t.Helper()
	f, err := effects.Freeze(kind, canonical(t, payload), b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func hash(t testing.TB, f app.Frozen) string { return app.SHA256Hex(canonical(t, f)) }

// kept is f as it comes back from where it was stored.
func kept(t testing.TB, f app.Frozen) (back app.Frozen) {
	t.Helper()
	if err := json.Unmarshal(canonical(t, f), &back); err != nil {
		t.Fatal(err)
	}
	return back
}

func TestFrozen(t *testing.T) {
	t.Parallel()
	for _, tt := range payloads {
		f := freeze(t, tt.kind, tt.payload, binding)
		golden(t, "frozen_"+tt.name+".json", map[string]any{"sha256": hash(t, f), "frozen": f})
		if got := effects.Changes(kept(t, f), f); got != nil {
			t.Errorf("%s: nothing changed, but %q", tt.name, got)
		}
		if got := effects.Contradictions(f); got != nil {
			t.Errorf("%s: contradicts its own operation: %q", tt.name, got)
		}
	}
}

// What is kept, shown and sent is one request.
func TestCallsAreThePlannedEffects(t *testing.T) {
	t.Parallel()
	for _, tt := range payloads {
		f := kept(t, freeze(t, tt.kind, tt.payload, binding))
		planned := plan(t, tt.kind, tt.payload)
		if len(planned) != len(f.Calls) {
			t.Fatalf("%s: %d calls, %d effects", tt.name, len(f.Calls), len(planned))
		}
		for i, e := range planned {
			if !effects.Allowed(f, e) {
				t.Errorf("%s: effect %d is not call %d", tt.name, i, i)
			}
			for name, change := range map[string]func(*app.Effect){
				"place":      func(e *app.Effect) { e.Position += len(planned) },
				"early":      func(e *app.Effect) { e.Position = -1 },
				"kind":       func(e *app.Effect) { e.Kind += "x" },
				"request":    func(e *app.Effect) { e.Request = append(slices.Clone(e.Request), ' ') },
				"other hash": func(e *app.Effect) { e.RequestSHA256 = strings.Repeat("0", 64) },
				"both": func(e *app.Effect) {
					e.Request = json.RawMessage(`{}`)
					e.RequestSHA256 = app.SHA256Hex(e.Request)
				},
			} {
				other := e
				if change(&other); effects.Allowed(f, other) {
					t.Errorf("%s: effect %d with another %s is allowed", tt.name, i, name)
				}
			}
		}
	}
}

func TestFilesAreInTheOrderOfTheCalls(t *testing.T) {
	t.Parallel()
	sums := func(n ...int) (all []string) {
		for _, each := range n {
			all = append(all, media(each).SHA256)
		}
		return all
	}
	for _, tt := range []struct {
		kind    app.ValidationKind
		payload any
		want    []string
	}{
		{app.KindThread, thread, sums(1, 2)},
		{app.KindPoll, poll, sums(1, 2, 3)},
		{app.KindProfile, profile, sums(4, 5)},
		{app.KindProfile, app.ProfilePayload{Banner: media(5)}, sums(5)},
		{app.KindSite, site, []string{site.ManifestSHA256}},
		{app.KindUtility, utility, []string{utility.ManifestSHA256}},
		{app.KindTelegram, telegram, []string{}},
	} {
		if got := freeze(t, tt.kind, tt.payload, binding).Files; !slices.Equal(got, tt.want) {
			t.Errorf("%s: files %v, want %v", tt.kind, got, tt.want)
		}
	}
}

// variants are all JSON values that differ from v in one place.
func variants(v any) (all []any) {
	switch v := v.(type) {
	case map[string]any:
		for key, each := range v {
			for _, other := range variants(each) {
				m := map[string]any{}
				for k, same := range v {
					m[k] = same
				}
				m[key] = other
				all = append(all, m)
			}
		}
	case []any:
		for i, each := range v {
			all = append(all, slices.Concat(v[:i], v[i+1:]))
			for _, other := range variants(each) {
				list := slices.Clone(v)
				list[i] = other
				all = append(all, list)
			}
			all = append(all, append(slices.Clone(v), each))
		}
	case string:
		all = append(all, v+"\u200b", v+" x", strings.ToUpper(v)+"?")
	case json.Number:
		all = append(all, json.Number(v.String()+"1"))
	}
	return all
}

func loose(t testing.TB, payload any) (v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(canonical(t, payload))))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEveryChangeOfAPayloadIsToldAndHasAnotherHash(t *testing.T) {
	t.Parallel()
	for _, tt := range payloads {
		was := kept(t, freeze(t, tt.kind, tt.payload, binding))
		all := variants(loose(t, tt.payload))
		if len(all) < 3 {
			t.Fatalf("%s: only %d variants", tt.name, len(all))
		}
		for _, other := range all {
			is := freeze(t, tt.kind, other, binding)
			if got := effects.Changes(was, is); len(got) == 0 || hash(t, was) == hash(t, is) {
				t.Errorf("%s: the change to %s is told as %q", tt.name, canonical(t, other), got)
			}
		}
	}
}

func TestEveryChangeOfTheOperationIsToldAndHasAnotherHash(t *testing.T) {
	t.Parallel()
	for _, tt := range payloads {
		was := kept(t, freeze(t, tt.kind, tt.payload, binding))
		for i := range reflect.TypeFor[effects.Binding]().NumField() {
			other := binding
			switch field := reflect.ValueOf(&other).Elem().Field(i); field.Kind() {
			case reflect.String:
				field.SetString(field.String() + "0")
			case reflect.Int64:
				field.SetInt(field.Int() - 1)
			case reflect.Slice: // TestTheRestIsWhatIsApproved
				continue
			default:
				t.Fatalf("change a %s here", field.Kind())
			}
			is := freeze(t, tt.kind, tt.payload, other)
			if onX := slices.ContainsFunc(was.Calls, func(c app.FrozenCall) bool { return effects.OnX(c.Kind) }); other.AccountID != binding.AccountID && !onX {
				if got := effects.Changes(was, is); got != nil || hash(t, was) != hash(t, is) {
					t.Errorf("%s: is bound to an account that it does not use: %q", tt.name, got)
				}
				continue
			}
			if got := effects.Changes(was, is); len(got) != 1 || hash(t, was) == hash(t, is) {
				t.Errorf("%s: %+v is told as %q", tt.name, other, got)
			}
		}
	}
}

func TestAnAccountThatWasNotConnectedBindsNothing(t *testing.T) {
	t.Parallel()
	before := binding
	before.AccountID = ""
	was, is := freeze(t, app.KindPost, post, before), freeze(t, app.KindPost, post, binding)
	if got := effects.Changes(was, is); got != nil {
		t.Errorf("connected since: %q", got)
	}
	if got := effects.Changes(is, was); len(got) != 1 || got[0] != "The number of the account on X was 77, it is now none." {
		t.Errorf("disconnected since: %q", got)
	}
}

func TestChangesAreSentencesForPeople(t *testing.T) {
	t.Parallel()
	was := freeze(t, app.KindThread, thread, binding)
	told := map[string][]string{}
	for name, change := range map[string]func(*app.ThreadPayload, *effects.Binding){
		"text":           func(p *app.ThreadPayload, _ *effects.Binding) { p.Posts[1].Text = "Two, said\u200b differently" },
		"long text":      func(p *app.ThreadPayload, _ *effects.Binding) { p.Posts[1].Text = strings.Repeat("long ", 60) + "é" },
		"the same twice": func(p *app.ThreadPayload, _ *effects.Binding) { p.Posts[1].Text, p.Posts[3].Text = "Same", "Same" },
		"picture":        func(p *app.ThreadPayload, _ *effects.Binding) { p.Posts[0].Media[1] = media(9) },
		"no pictures":    func(p *app.ThreadPayload, _ *effects.Binding) { p.Posts[0].Media = nil },
		"one more": func(p *app.ThreadPayload, _ *effects.Binding) {
			p.Posts = append(p.Posts, app.PostPayload{Text: "Five"})
		},
		"one less": func(p *app.ThreadPayload, _ *effects.Binding) { p.Posts = p.Posts[:3] },
		"account":  func(p *app.ThreadPayload, b *effects.Binding) { p.Account, b.Account, b.AccountID = "ash", "ash", "78" },
		"not sent": func(p *app.ThreadPayload, _ *effects.Binding) { p.Posts[0].Account = "nobody" },
		"token": func(_ *app.ThreadPayload, b *effects.Binding) {
			b.OfficialAddress = strings.ReplaceAll(token, "aa", "bb")
		},
		"group":        func(_ *app.ThreadPayload, b *effects.Binding) { b.Chat = 0 },
		"site":         func(_ *app.ThreadPayload, b *effects.Binding) { b.Host = "ash.vivra.example" },
		"nothing else": func(*app.ThreadPayload, *effects.Binding) {},
	} {
		var p app.ThreadPayload
		if err := json.Unmarshal(canonical(t, thread), &p); err != nil {
			t.Fatal(err)
		}
		b := binding
		change(&p, &b)
		told[name] = effects.Changes(was, freeze(t, app.KindThread, p, b))
	}
	other := freeze(t, app.KindPost, post, binding)
	told["another program's calls"] = effects.Changes(was, app.Frozen{Kind: was.Kind, OfficialAddress: was.OfficialAddress, Account: was.Account,
		AccountID: was.AccountID, Chat: was.Chat, Host: was.Host, Payload: was.Payload, Files: was.Files, Calls: append(slices.Clone(was.Calls[:3]), app.FrozenCall{Kind: effects.TGMessage, Request: was.Calls[3].Request})})
	told["another kind"] = effects.Changes(other, freeze(t, app.KindGoNoGo, post, binding))
	golden(t, "changes.json", told)
}

func TestContradictions(t *testing.T) {
	t.Parallel()
	const stranger = "0x1111111111111111111111111111111111111bad"
	with := func(change func(*effects.Binding)) effects.Binding {
		b := binding
		change(&b)
		return b
	}
	other := with(func(b *effects.Binding) { b.OfficialAddress = "0x00000000000000000000000000000000000000bb" })
	tests := map[string]struct {
		kind    app.ValidationKind
		payload any
		in      effects.Binding
		says    []string
	}{
		"another account":       {app.KindPost, app.PostPayload{Account: "ash", Text: "x"}, binding, []string{"@ash"}},
		"no account":            {app.KindPost, app.PostPayload{Text: "x"}, binding, []string{"none, the operation's is @ember"}},
		"a thread's account":    {app.KindThread, thread, with(func(b *effects.Binding) { b.Account = "ash" }), []string{"@ember, the operation's is @ash"}},
		"another group":         {app.KindTelegram, telegram, with(func(b *effects.Binding) { b.Chat = -5 }), []string{"-100123, the operation's is -5"}},
		"another site":          {app.KindSite, ownSite, with(func(b *effects.Binding) { b.Host = "" }), []string{"ember.vivra.example, the operation's is none"}},
		"a utility's site":      {app.KindUtility, utility, with(func(b *effects.Binding) { b.Host = "a.example" }), []string{"a.example"}},
		"another token, site":   {app.KindSite, ownSite, other, []string{"It gives 0x00"}},
		"another token, group":  {app.KindTelegram, telegram, other, []string{"AA is not the token's address", "It gives 0x00"}},
		"another token, post":   {app.KindPost, post, other, []string{"AA is not the token's address"}},
		"no token at all":       {app.KindSite, app.SitePayload{Host: binding.Host}, binding, []string{"It gives none"}},
		"an address in a post":  {app.KindPost, app.PostPayload{Account: "ember", Text: "Send to " + stranger}, binding, []string{stranger}},
		"in pieces":             {app.KindPost, app.PostPayload{Account: "ember", Text: "Send to " + stranger[:20] + "\u200b" + stranger[20:]}, binding, []string{stranger}},
		"in a description":      {app.KindPost, app.PostPayload{Account: "ember", Media: []app.Media{{SHA256: "1", Alt: stranger}}}, binding, []string{stranger}},
		"in a poll":             {app.KindPoll, app.PollPayload{Account: "ember", Options: []string{"a", "vitalik.eth"}, Channels: []string{"x", "telegram"}, TelegramChat: -100123}, binding, []string{"vitalik.eth"}},
		"in a utility's config": {app.KindUtility, app.UtilityPayload{Host: binding.Host, Config: json.RawMessage(`{"ask":[{"q":"` + stranger + `"}]}`)}, binding, []string{stranger}},
		"in a profile":          {app.KindProfile, app.ProfilePayload{Account: "ember", Bio: stranger}, binding, []string{stranger}},
		"burnt":                 {app.KindPost, app.PostPayload{Account: "ember", Text: "LP is at 0x000000000000000000000000000000000000dEaD"}, binding, nil},
		"accepted as it is":     {app.KindMods, app.OutputPayload{Step: "a", Output: json.RawMessage(`{"wallet":"` + stranger + `"}`)}, binding, nil},
	}
	for name, tt := range tests {
		got := effects.Contradictions(freeze(t, tt.kind, tt.payload, tt.in))
		if len(got) != len(tt.says) {
			t.Errorf("%s: %q", name, got)
			continue
		}
		for i, says := range tt.says {
			if !strings.Contains(got[i], says) {
				t.Errorf("%s: %q does not say %q", name, got[i], says)
			}
		}
	}
}

func TestWhatCantBePlannedIsNotFrozen(t *testing.T) {
	t.Parallel()
	for _, kind := range []app.ValidationKind{app.KindPost, app.KindSite, app.KindGoNoGo} {
		for _, payload := range []string{``, `null`, `[]`, `"a"`, `7`, `{"text":`} {
			if f, err := effects.Freeze(kind, json.RawMessage(payload), binding); err == nil {
				t.Errorf("%s: %q is frozen as %+v", kind, payload, f)
			}
		}
	}
	if f, err := effects.Freeze(app.KindPost, nil, binding); err == nil {
		t.Errorf("nothing is frozen as %+v", f)
	}
}

func FuzzChanges(f *testing.F) {
	for i, tt := range payloads {
		raw := canonical(f, tt.payload)
		f.Add(i, raw, raw)
		f.Add(i, raw, []byte(fmt.Sprintf(`{"x": %s}`, raw)))
	}
	f.Add(0, []byte(`{"text":"a","Text":"b"}`), []byte(`{"Text":"b","text":"a"}`))
	f.Add(6, []byte(`{"config":{"a b":1}}`), []byte(`{"config":{"a":{"b":1}}}`))
	f.Fuzz(func(t *testing.T, at int, a, b []byte) {
		kind := payloads[max(0, at%len(payloads))].kind
		was, err := effects.Freeze(kind, a, binding)
		if err != nil {
			return
		}
		if again, err := effects.Freeze(kind, was.Payload, binding); err != nil || hash(t, again) != hash(t, was) {
			t.Fatalf("frozen twice: %v", err)
		}
		if got := effects.Changes(kept(t, was), was); got != nil {
			t.Fatalf("kept and read again it differs: %q", got)
		}
		is, err := effects.Freeze(kind, b, binding)
		if err != nil {
			return
		}
		if got := effects.Changes(was, is); (len(got) == 0) != (hash(t, was) == hash(t, is)) {
			t.Fatalf("%s to %s: %q", was.Payload, is.Payload, got)
		}
		effects.Contradictions(is)
	})
}
