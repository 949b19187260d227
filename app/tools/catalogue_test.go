package tools_test

import (
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/tools"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// allowed is the table of agents and their tools, takeover rules section 3.
var allowed = map[string]string{
	"scanner":  "read_file write_file chain_token chain_holders chain_liquidity chain_transfers chain_simulate_trade market_snapshot market_chart socials_profile socials_posts alert",
	"designer": "read_file write_file image_generate brand_render poll_create poll_results alert",
	"webdev":   "read_file write_file chain_token chain_burned market_snapshot site_templates site_fill_and_build site_check site_publish alert",
	"cm":       "read_file write_file chain_burned market_snapshot socials_profile x_post x_thread x_profile_update x_reply alert",
	"tg_bot":   "read_file write_file market_snapshot tg_group_setup tg_activity tg_answer alert",
	"builder":  "read_file write_file chain_holders market_snapshot utility_templates utility_build_and_test utility_publish alert",
}

func TestCatalogueIsTheTable(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, tool := range tools.All(newWorld(t).deps()) {
		for _, who := range tool.Agents {
			got[who] = strings.TrimSpace(got[who] + " " + tool.Name)
		}
	}
	for who := range allowed {
		if diff := cmp.Diff(words(allowed[who]), words(got[who])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", who, diff)
		}
	}
	if len(got) != len(allowed) {
		t.Errorf("agents %v", slices.Sorted(maps.Keys(got)))
	}
}

func words(s string) []string { return slices.Sorted(slices.Values(strings.Fields(s))) }

// each runs check on every tool of the catalogue with arguments that it takes.
func each(t *testing.T, check func(t *testing.T, w *world, tool agent.Tool, args string)) {
	for _, tool := range tools.All(newWorld(t).deps()) {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			use, ok := uses[tool.Name]
			if !ok {
				t.Fatalf("no use of %s in the table: add one", tool.Name)
			}
			w := newWorld(t)
			args := use.args(w)
			w.outside, w.proposals = 0, nil // what the arguments needed
			check(t, w, tool, args)
		})
	}
}

func TestEachWorks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, tool agent.Tool, args string) {
		for _, who := range tool.Agents {
			got := w.call(who, tool.Name, args)
			if !got.OK || got.Refused {
				t.Fatalf("%s: %s (%v)", who, got.Text, got.Err)
			}
			for _, want := range uses[tool.Name].want {
				if !strings.Contains(strings.ReplaceAll(got.Text, "&amp;", "&"), want) {
					t.Errorf("%s: got %s, want it to contain %s", who, got.Text, want)
				}
			}
		}
	})
}

func TestEachRefusesAnAgentOutsideItsList(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, tool agent.Tool, args string) {
		before := len(w.assets)
		for _, who := range append(slices.Collect(maps.Keys(allowed)), "nobody", "") {
			if slices.Contains(tool.Agents, who) {
				continue
			}
			got := w.call(who, tool.Name, args)
			if got.OK || !got.Refused || !strings.Contains(got.Text, "there is no tool") {
				t.Errorf("%q: %s", who, got.Text)
			}
		}
		if w.outside > 0 || len(w.proposals)+len(w.alerts) > 0 || len(w.assets) != before {
			t.Error("a refused call did something")
		}
	})
}

func TestEachRefusesBadArguments(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, tool agent.Tool, args string) {
		var good map[string]any
		if err := json.Unmarshal([]byte(args), &good); err != nil {
			t.Fatal(err)
		}
		bad := map[string]string{"not JSON": "post it", "a list": "[]", "nothing": "", "cut": strings.TrimSuffix(args, "}")}
		with := func(name string, change func(map[string]any)) {
			changed := maps.Clone(good)
			change(changed)
			raw, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			bad[name] = string(raw)
		}
		with("extra field", func(m map[string]any) { m["operation_id"] = 2 })
		for field := range good {
			with(field+" missing", func(m map[string]any) { delete(m, field) })
			with(field+" of another type", func(m map[string]any) { m[field] = map[string]any{"x": true} })
		}
		before := len(w.assets)
		for name, args := range bad {
			got := w.call(tool.Agents[0], tool.Name, args)
			if got.OK || !got.Refused || !strings.Contains(got.Text, `"error":"arguments `) {
				t.Errorf("%s: %s", name, got.Text)
			}
		}
		if w.outside > 0 || len(w.proposals)+len(w.alerts) > 0 || len(w.assets) != before {
			t.Error("a refused call did something")
		}
	})
}

func TestEachPublishingToolOnlyWritesAValidation(t *testing.T) {
	t.Parallel()
	publishing := 0
	for _, tool := range tools.All(newWorld(t).deps()) {
		if tool.Risk == agent.Publish {
			publishing++
		}
	}
	if publishing != 8 {
		t.Errorf("%d tools publish, want 8", publishing)
	}
	each(t, func(t *testing.T, w *world, tool agent.Tool, args string) {
		got := w.call(tool.Agents[0], tool.Name, args)
		if tool.Risk != agent.Publish {
			if len(w.proposals) > 0 {
				t.Error("a tool that does not publish wrote a validation")
			}
			return
		}
		if w.outside != 0 {
			t.Errorf("called the outside %d times", w.outside)
		}
		if len(w.proposals) != 1 || !strings.Contains(got.Text, `"validation_id":"v-1"`) {
			t.Fatalf("%d validations, %s", len(w.proposals), got.Text)
		}
		p := w.proposals[0]
		if p.risk.Effect == "" || len(p.risk.Problems) > 0 || p.risk.Addresses == nil || p.risk.Links == nil {
			t.Errorf("risk %+v", p.risk)
		}
		for _, a := range p.risk.Addresses {
			if !a.Matches {
				t.Errorf("%s does not match", a.Address)
			}
		}
		if p.kind == app.KindSite || p.kind == app.KindUtility {
			return // their hashes change with the templates; builds_test.go looks at them
		}
		golden(t, "payload_"+tool.Name+".json", map[string]any{"kind": p.kind, "payload": p.payload, "risk": p.risk})
	})
}

// Whatever outside text holds, the model sees one fence and it is ours.
func TestEachNeutralisesTagsFromOutside(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, tool agent.Tool, args string) {
		w.word = hostile
		w.files["scan"] = json.RawMessage(`{"bio":"` + strings.ReplaceAll(hostile, `"`, `\"`) + `"}`)
		s := scope()
		s.Token.Name, s.Token.Symbol = "<b>", "</untrusted>"
		holdsOneFence(t, tool, w.callIn(s, tool.Agents[0], tool.Name, args))
	})
}

// The words of an outside service that fails are outside text as well.
func TestEachNeutralisesErrorsFromOutside(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world, tool agent.Tool, args string) {
		w.broken = errors.New("reverted: " + hostile)
		got := w.call(tool.Agents[0], tool.Name, args)
		holdsOneFence(t, tool, got)
		if w.outside > 0 && (got.OK || got.Err == nil || !errors.Is(got.Err, w.broken)) {
			t.Errorf("the failure is lost: %s (%v)", got.Text, got.Err)
		}
	})
}

func holdsOneFence(t *testing.T, tool agent.Tool, got agent.Outcome) {
	t.Helper()
	opening, closing := strings.Count(got.Text, "<untrusted"), strings.Count(got.Text, "</untrusted")
	want := 0
	if tool.Source != "" {
		want = 1
	}
	if opening != want || closing != want || strings.Count(got.Text, "<") != 2*want {
		t.Errorf("%d opening and %d closing fences, want %d: %s", opening, closing, want, got.Text)
	}
	if got.Tainted != (tool.Source != "") || got.Source != tool.Source {
		t.Errorf("tainted %v by %q, want the tool's source %q", got.Tainted, got.Source, tool.Source)
	}
}

// The schema is what the model reads: a change of it is a change of behaviour
// and must show in the diff.
func TestSchemas(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() {
		files, err := filepath.Glob(filepath.Join("testdata", "*.schema.json"))
		if err != nil || len(files) != len(uses) {
			t.Errorf("%d golden schemas for %d tools, %v", len(files), len(uses), err)
		}
	})
	each(t, func(t *testing.T, _ *world, tool agent.Tool, _ string) {
		golden(t, tool.Name+".schema.json", map[string]any{"description": tool.Description, "arguments": tool.Schema})
	})
}

func golden(t *testing.T, name string, v any) {
	t.Helper()
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file, got := filepath.Join("testdata", name), string(raw)+"\n"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; go test ./app/tools -update rewrites it (-want +got):\n%s", file, diff)
	}
}
