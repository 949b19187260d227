package edits_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/edits"
)

// kinds are those that can be edited.
var kinds = []app.ValidationKind{app.KindPost, app.KindThread, app.KindPoll, app.KindProfile, app.KindTelegram, app.KindDossier}

const official = "0x52908400098527886E0F7030069857D2E4169EE7"

// payload is one of a kind, as the tool for it makes one.
func payload(tb testing.TB, kind app.ValidationKind) json.RawMessage {
	tb.Helper()
	name := map[app.ValidationKind]string{app.KindPost: "x_post", app.KindThread: "x_thread", app.KindPoll: "poll_create", app.KindProfile: "x_profile_update", app.KindTelegram: "tg_group_setup"}[kind]
	if name == "" {
		return canonical(tb, app.DossierPayload{Venue: "Takeover form", Fields: []app.DossierField{
			{Label: "Token address", Value: official, Source: "somewhere new"}, {Label: "Ticker", Value: "DODO", Source: "chain"},
			{Label: "Account on X", Value: "@dodo_back", Source: "operation"},
			{Label: "Why the token was left", Value: strings.Repeat("Nobody spoke for it. ", 9), Source: "approved report"},
			{Label: "Contact e-mail", Source: "to be filled by the person who submits"}}})
	}
	raw, err := os.ReadFile(filepath.Join("..", "tools", "testdata", "payload_"+name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	var golden struct {
		Payload json.RawMessage `json:"payload"`
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		tb.Fatal(err)
	}
	return canonical(tb, golden.Payload)
}

func canonical(tb testing.TB, v any) json.RawMessage {
	tb.Helper()
	raw, err := app.CanonicalJSON(v)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func fields(tb testing.TB, kind app.ValidationKind, payload json.RawMessage) []edits.Field {
	tb.Helper()
	all, err := edits.Fields(kind, payload)
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// values are what a form with all fields sends, with some of them changed.
func values(all []edits.Field, changed map[string]string) map[string]string {
	out := map[string]string{}
	for _, f := range all {
		out[f.Name] = f.Text
	}
	for name, text := range changed {
		out[name] = text
	}
	return out
}

func TestFields(t *testing.T) {
	t.Parallel()
	for kind, want := range map[app.ValidationKind]string{
		app.KindPost:     "text=Text alt.0=Alt text 1",
		app.KindThread:   "post.0.text=Post 1 post.0.alt.0=Post 1, alt text 1 post.1.text=Post 2 post.2.text=Post 3 post.3.text=Post 4",
		app.KindPoll:     "intro.text=Intro question=Question option.0=Option 1 option.1=Option 2 option.2=Option 3",
		app.KindProfile:  "name=Name bio=Bio url=Website",
		app.KindTelegram: "title=Title description=Description rules=Rules pinned=Pinned message",
		app.KindDossier:  "field.3=Why the token was left field.4=Contact e-mail",
		app.KindSite:     "", app.KindUtility: "", app.KindGoNoGo: "", app.KindKit: "", app.KindHandover: "",
	} {
		raw := json.RawMessage(`{"build_id":"b"}`)
		if want != "" {
			raw = payload(t, kind)
		}
		var got []string
		for _, f := range fields(t, kind, raw) {
			got = append(got, f.Name+"="+f.Label)
			if f.Rows < 1 || f.Limit < 1 || f.Rows == 1 && strings.Contains(f.Text, "\n") {
				t.Errorf("%s %s: %d rows, at most %d", kind, f.Name, f.Rows, f.Limit)
			}
			if f.Weighted != (f.Limit == app.MaxPost) {
				t.Errorf("%s %s: weighted %v", kind, f.Name, f.Weighted)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s", kind, strings.Join(got, " "))
		}
	}
}

// What a person writes is all that changes, with what code derives from it.
func TestApply(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind    app.ValidationKind
		changed map[string]string
		want    map[string]string // path of a JSON value: its new text
	}{
		{app.KindPost, map[string]string{"text": "gm.\r\nThe dodo is <back> & well."}, map[string]string{"text": "gm.\nThe dodo is <back> & well."}},
		{app.KindPost, map[string]string{"alt.0": "A dodo at dusk"}, map[string]string{"media 0 alt": "A dodo at dusk"}},
		{app.KindThread, map[string]string{"post.1.text": "300 never sold.", "post.0.alt.0": "Its nest"}, map[string]string{"posts 1 text": "300 never sold.", "posts 0 media 0 alt": "Its nest"}},
		{app.KindPoll, map[string]string{"intro.text": "Choose.", "question": "Which?", "option.1": "Library"},
			map[string]string{"intro text": "Choose.", "question": "Which?", "options 1": "Library", "intro media 1 alt": "Board of the direction Library"}},
		{app.KindProfile, map[string]string{"name": "Dodo holders", "bio": "Held by\r412.", "url": "https://live.vivra.site/operations/dodo"}, map[string]string{
			"name": "Dodo holders", "bio": "Held by\n412.", "url": "https://live.vivra.site/operations/dodo", "checklist 1": "Name: Dodo holders",
			"checklist 2": "Bio: Held by\n412.", "checklist 3": "Website: https://live.vivra.site/operations/dodo"}},
		{app.KindTelegram, map[string]string{"title": "Dodo!", "description": "Ours.", "rules": "1. Be kind.\r\n2. Stay.", "pinned": official},
			map[string]string{"title": "Dodo!", "description": "Ours.", "rules": "1. Be kind.\n2. Stay.", "pinned": official}},
		{app.KindDossier, map[string]string{"field.4": "@dodo on Signal"}, map[string]string{"fields 4 value": "@dodo on Signal", "fields 4 source": edits.Entered}},
	} {
		before := payload(t, tt.kind)
		edited, err := edits.Apply(tt.kind, before, values(fields(t, tt.kind, before), tt.changed))
		if err != nil {
			t.Fatalf("%s %v: %v", tt.kind, tt.changed, err)
		}
		want, got := leaves(t, before), leaves(t, canonical(t, edited))
		for path, text := range tt.want {
			want[path] = text
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.kind, diff)
		}
		labels, err := edits.Changed(tt.kind, before, canonical(t, edited))
		if err != nil || len(labels) != len(tt.changed) {
			t.Errorf("%s: changed are %q, %v", tt.kind, labels, err)
		}
		// What a person has entered stays theirs to change.
		if again := fields(t, tt.kind, canonical(t, edited)); len(again) != len(fields(t, tt.kind, before)) {
			t.Errorf("%s: %d fields once it was edited", tt.kind, len(again))
		}
	}
}

// leaves are the values of a JSON text by their paths.
func leaves(t *testing.T, raw json.RawMessage) map[string]string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	collect(t, "", v, out)
	return out
}

func collect(t *testing.T, path string, v any, out map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, each := range v {
			collect(t, strings.TrimSpace(path+" "+key), each, out)
		}
	case []any:
		for i, each := range v {
			collect(t, path+" "+string(rune('0'+i)), each, out)
		}
	case string:
		out[path] = v
	default:
		out[path] = string(canonical(t, v))
	}
}

// What code read is typed by nobody; a gap says what it waits for; what a person
// writes is theirs, so nothing else vouches for it.
func TestDossierOfVenues(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	raw := canonical(t, app.DossierPayload{Fields: []app.DossierField{
		{Key: "address", Label: "Token address", Value: official, Source: "record", Fixed: true},
		{Key: "pool", Label: "Pool", Missing: "You: from the explorer.", Account: true},
		{Key: "about", Label: "Description", Value: "We hold.", Source: "publication of tg.setup", Long: true, At: &at, Link: "https://t.me/dodo"}},
		Venues: []app.DossierVenue{{Key: "a", Name: "A", Fields: []string{"address", "pool", "about"}}, {Key: "b", Name: "B", Fields: []string{"about"}}}})
	all := fields(t, app.KindDossier, raw)
	if len(all) != 2 || all[0].Name != "field.1" || all[0].Hint != "You: from the explorer." || all[1].Name != "field.2" || all[1].Hint != "Source: publication of tg.setup." {
		t.Fatalf("offered are %+v", all)
	}
	edited, err := edits.Apply(app.KindDossier, raw, values(all, map[string]string{"field.2": "We stay.\nAll of us."}))
	if err != nil {
		t.Fatal(err)
	}
	p := edited.(app.DossierPayload)
	if got, want := p.Fields[2], (app.DossierField{Key: "about", Label: "Description", Value: "We stay.\nAll of us.", Source: edits.Entered, Long: true}); !cmp.Equal(got, want) {
		t.Errorf("edited: %+v", got)
	}
	for _, v := range p.Forms() {
		if of := p.Of(v); of[len(of)-1].Value != "We stay.\nAll of us." {
			t.Errorf("%s says %q", v.Name, of[len(of)-1].Value)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	without := func(name string) func(map[string]string) { return func(m map[string]string) { delete(m, name) } }
	with := func(name, text string) func(map[string]string) { return func(m map[string]string) { m[name] = text } }
	for name, tt := range map[string]struct {
		kind   app.ValidationKind
		change func(map[string]string)
		want   string
	}{
		"nothing changed":        {app.KindPost, func(map[string]string) {}, "Nothing was changed"},
		"only the form's breaks": {app.KindPost, func(m map[string]string) { m["text"] = strings.ReplaceAll(m["text"], "\n", "\r\n") }, "Nothing was changed"},
		"a field missing":        {app.KindProfile, without("bio"), "Bio is missing"},
		"a field of no output":   {app.KindPost, with("account", "evil"), `no field "account"`},
		"pictures":               {app.KindPost, with("media.0", "00"), `no field "media.0"`},
		"another post":           {app.KindThread, with("post.4.text", "One more."), `no field "post.4.text"`},
		"an address":             {app.KindTelegram, with("official_address", "0x0"), `no field "official_address"`},
		"the token's address":    {app.KindDossier, with("field.0", "0x0"), `no field "field.0"`},
		"the account":            {app.KindDossier, with("field.2", "@evil"), `no field "field.2"`},
		"what stands for boards": {app.KindPoll, with("intro.alt.0", "x"), `no field "intro.alt.0"`},
		"a long stranger":        {app.KindPost, with(strings.Repeat("é", 5000), ""), strings.Repeat("é", 40) + "…"},
		"too long":               {app.KindProfile, with("bio", strings.Repeat("é", 161)), "Bio has 161 characters: at most 160"},
		"far too long":           {app.KindThread, with("post.2.text", strings.Repeat("x", 20_000)), "Post 3 is far too long"},
		"two lines":              {app.KindPoll, with("option.2", "Comet\nMoon"), "Option 3 is one line"},
		"a null":                 {app.KindTelegram, with("rules", "Be\x00kind."), "Rules holds characters that can't be seen"},
		"an escape":              {app.KindDossier, with("field.4", "\x1b[2J"), "Contact e-mail holds characters"},
		"broken text":            {app.KindPost, with("alt.0", "\xff"), "Alt text 1 holds characters"},
		"all of it at once":      {app.KindProfile, func(m map[string]string) { m["name"], m["bio"] = "a\nb", "\x01" }, "Name is one line, without a break. Bio holds"},
		"a site":                 {app.KindSite, func(map[string]string) {}, "can't be edited"},
		"a go or no-go":          {app.KindGoNoGo, func(map[string]string) {}, "can't be edited"},
	} {
		raw := json.RawMessage(`{}`)
		if tt.kind != app.KindSite && tt.kind != app.KindGoNoGo {
			raw = payload(t, tt.kind)
		}
		in := values(fields(t, tt.kind, raw), nil)
		tt.change(in)
		got, err := edits.Apply(tt.kind, raw, in)
		if app.KindOf(err) != app.Invalid || !strings.Contains(err.Error(), tt.want) || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// A payload that holds more than this program knows would come back poorer.
func TestUnknownPayloadsAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`{"account":"a","text":"b","media":[],"reply_to":"7"}`, `[]`, `{`, ``} {
		if got, err := edits.Fields(app.KindPost, json.RawMessage(raw)); err == nil {
			t.Errorf("%s: %v", raw, got)
		}
	}
}

// FuzzApply: an edit changes the field it names and can be taken back, or it is
// refused in a sentence.
func FuzzApply(f *testing.F) {
	for i, text := range []string{"", "gm", "a\r\nb\rc\n", "\x00", "\xff\xfe", "\u200b\u202e", "@evil evil.com", strings.Repeat("字", 300), "\n\n", " "} {
		f.Add(uint8(i), uint8(i), text)
	}
	f.Fuzz(func(t *testing.T, k, at uint8, text string) {
		kind := kinds[int(k)%len(kinds)]
		before := payload(t, kind)
		all := fields(t, kind, before)
		field := all[int(at)%len(all)]
		edited, err := edits.Apply(kind, before, values(all, map[string]string{field.Name: text}))
		if err != nil {
			if app.KindOf(err) != app.Invalid || !strings.Contains(err.Error(), field.Label) && !strings.Contains(err.Error(), "Nothing was changed") {
				t.Fatalf("%s %s: %v", kind, field.Name, err)
			}
			return
		}
		after := canonical(t, edited)
		for i, got := range fields(t, kind, after) {
			want := all[i].Text
			if got.Name == field.Name {
				want = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
			}
			if got.Text != want || got.Name != all[i].Name {
				t.Fatalf("%s %s: %q became %q", kind, got.Name, want, got.Text)
			}
		}
		back, err := edits.Apply(kind, after, values(fields(t, kind, after), map[string]string{field.Name: field.Text}))
		if err != nil {
			t.Fatalf("%s %s can't be taken back: %v", kind, field.Name, err)
		}
		want := leaves(t, before)
		if kind == app.KindDossier {
			want["fields "+strings.TrimPrefix(field.Name, "field.")+" source"] = edits.Entered
		}
		if diff := cmp.Diff(want, leaves(t, canonical(t, back))); diff != "" {
			t.Fatalf("%s %s (-before +taken back):\n%s", kind, field.Name, diff)
		}
	})
}

// TestWhatIsDroppedIsAChange: posts, pictures, options and answers that are no
// longer there are named, alone and beside what reads otherwise.
func TestWhatIsDroppedIsAChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind app.ValidationKind
		drop func(p map[string]any)
		want string
	}{
		"a post":    {app.KindThread, func(p map[string]any) { p["posts"] = p["posts"].([]any)[:3] }, "Post 4 (dropped)"},
		"all posts": {app.KindThread, func(p map[string]any) { p["posts"] = []any{} }, "Post 1 (dropped), Post 1, alt text 1 (dropped), Post 2 (dropped), Post 3 (dropped), Post 4 (dropped)"},
		"a post, and another is edited": {app.KindThread, func(p map[string]any) {
			p["posts"] = p["posts"].([]any)[:3]
			p["posts"].([]any)[1].(map[string]any)["text"] = "Otherwise."
		}, "Post 2, Post 4 (dropped)"},
		"a picture": {app.KindPost, func(p map[string]any) { p["media"] = []any{} }, "Alt text 1 (dropped)"},
		"an option with its board": {app.KindPoll, func(p map[string]any) {
			intro := p["intro"].(map[string]any)
			p["options"], intro["media"] = p["options"].([]any)[:2], intro["media"].([]any)[:2]
		}, "Option 3 (dropped)"},
		"an answer": {app.KindDossier, func(p map[string]any) { p["fields"] = p["fields"].([]any)[:4] }, "Contact e-mail (dropped)"},
	} {
		before := payload(t, c.kind)
		var after map[string]any
		if err := json.Unmarshal(before, &after); err != nil {
			t.Fatal(err)
		}
		c.drop(after)
		labels, err := edits.Changed(c.kind, before, canonical(t, after))
		if got := strings.Join(labels, ", "); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
