package edits_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/agents"
	"vivra/app/edits"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// amended are outputs of tasks beside what a person makes of what they proposed.
var amended = []struct {
	name    string
	kind    app.ValidationKind
	output  any
	changed map[string]string
}{
	{"post", app.KindPost, agents.Post{Text: "gm", Media: []string{"c5"}, ValidationID: "v1"}, map[string]string{"text": "The dodo is <back>.\r\nTruly.", "alt.0": "A dodo at dusk"}},
	{"reply", app.KindPost, agents.Reply{Text: "It is back.", ValidationID: "v1"}, map[string]string{"text": "The site is back."}},
	{"thread", app.KindThread, agents.Thread{Posts: []agents.ThreadPost{{Text: "a", Media: []string{"c5"}}, {Text: "b"}, {Text: "c"}, {Text: "d"}}, ValidationID: "v1"},
		map[string]string{"post.2.text": "Nothing is hidden."}},
	{"poll", app.KindPoll, agents.Poll{PollID: "v1", Question: "Which?", Options: []string{"a", "b", "c"}, Channels: []string{"x", "telegram"}},
		map[string]string{"intro.text": "Choose.", "question": "Which face?", "option.1": "Library"}},
	{"profile", app.KindProfile, agents.ProfileOutput{Profile: agents.ProfileValues{Name: "a", Bio: "b", URL: "https://c", Pfp: pointer("8d")}, ValidationID: "v1"},
		map[string]string{"bio": "Held by 412."}},
	{"telegram", app.KindTelegram, agents.TelegramSetup{Title: "a", Description: "b", Rules: "c", Pinned: "d", ValidationID: "v1"}, map[string]string{"rules": "1. Be kind.\n2. Stay."}},
	{"dossier", app.KindDossier, map[string]string{"text": "a system step's own"}, map[string]string{"field.4": "dodo@vivra.site"}},
}

func pointer(s string) *string { return &s }

// The output is still of its task's type, and what it says is what would go out.
func TestAmend(t *testing.T) {
	t.Parallel()
	for _, tt := range amended {
		before := payload(t, tt.kind)
		edited, err := edits.Apply(tt.kind, before, values(fields(t, tt.kind, before), tt.changed))
		if err != nil {
			t.Fatal(err)
		}
		got, err := edits.Amend(tt.kind, canonical(t, tt.output), canonical(t, edited))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		strict := json.NewDecoder(bytes.NewReader(got))
		strict.DisallowUnknownFields()
		if err := strict.Decode(reflect.New(reflect.TypeOf(tt.output)).Interface()); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		golden(t, "amend_"+tt.name+".json", map[string]any{"said": tt.output, "edited": tt.changed, "says": got})
	}
}

func golden(t *testing.T, name string, v any) {
	t.Helper()
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s differs; go test ./app/edits -update rewrites it (-want +got):\n%s", file, diff)
	}
}

// A step without an output, as one of the system's, has none to amend.
func TestAmendWithoutAnOutput(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for _, output := range []string{"", "null", "{}", `{"profile":null,"validation_id":"v1"}`} {
			got, err := edits.Amend(kind, json.RawMessage(output), payload(t, kind))
			if err != nil || string(got) != output {
				t.Errorf("%s: %q became %q, %v", kind, output, got, err)
			}
		}
	}
	if got, err := edits.Amend(app.KindPost, json.RawMessage(`[]`), payload(t, app.KindPost)); err == nil {
		t.Errorf("a list became %s", got)
	}
}
