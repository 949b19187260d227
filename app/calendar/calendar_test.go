package calendar_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/calendar"
	"vivra/specs"
)

var update = flag.Bool("update", false, "rewrite the golden file")

var agents = []string{"scanner", "designer", "webdev", "cm", "tg_bot", "builder"}

var j0 = time.Date(2027, 3, 10, 9, 17, 0, 0, time.UTC)

func shipped(t *testing.T) *calendar.Calendar {
	t.Helper()
	source, err := specs.FS.ReadFile("calendar.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := calendar.Parse("specs/calendar.yaml", source, agents)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestExpansionIsTheTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, s := range shipped(t).Expand(j0) {
		v := "-"
		if s.Validates {
			v = "V"
		}
		fmt.Fprintf(&b, "%s | %s | %s | %s | %s | %s\n", s.DueAt.Format(time.RFC3339), s.Key, s.Agent, list(s.DependsOn), list(s.After), v)
	}
	file := filepath.Join("testdata", "expansion.golden")
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
		t.Errorf("%s is the product's table and differs (-want +got):\n%s", file, diff)
	}
}

func list(keys []string) string {
	if len(keys) == 0 {
		return "-"
	}
	return strings.Join(keys, ", ")
}

func TestExpansionCounts(t *testing.T) {
	t.Parallel()
	got := make(map[string]int)
	for _, s := range shipped(t).Expand(j0) {
		task := "one-off"
		if s.Recurring {
			task = s.Task
		}
		got[task]++
		if s.State != app.StepPending {
			t.Errorf("%s begins as %s", s.Key, s.State)
		}
		if want := strings.TrimSuffix(s.Key, "."+s.Key[strings.LastIndex(s.Key, ".")+1:]); s.Recurring && s.Task != want {
			t.Errorf("%s is of the task %s, want %s", s.Key, s.Task, want)
		}
	}
	want := map[string]int{"one-off": 20, "scanner.daily_metrics": 30, "cm.daily_post": 28, "tg.weekly_mods": 4}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows by task (-want +got):\n%s", diff)
	}
}

// The instants follow from the instant of J0 alone: not from the zone it is
// written in, nor from a change of clocks in that zone.
func TestExpansionKnowsNoTimeZones(t *testing.T) {
	t.Parallel()
	c := shipped(t)
	for _, start := range []time.Time{
		j0,
		time.Date(2027, 3, 28, 0, 30, 0, 0, time.UTC),   // Europe's clocks change
		time.Date(2027, 11, 7, 23, 59, 59, 0, time.UTC), // America's did
		time.Date(2028, 2, 28, 0, 0, 0, 0, time.UTC),    // a leap day follows
	} {
		want := c.Expand(start)
		for _, zone := range []*time.Location{time.FixedZone("east", 14*3600), time.FixedZone("west", -11*3600), time.FixedZone("odd", 5*3600+45*60)} {
			got := c.Expand(start.In(zone))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("J0 %s written in zone %s expands otherwise (-utc +zone):\n%s", start, zone, diff)
			}
			for _, s := range got {
				if s.DueAt.Location() != time.UTC {
					t.Fatalf("%s is due in zone %s", s.Key, s.DueAt.Location())
				}
			}
		}
		if first := want[0]; !first.DueAt.Equal(start) {
			t.Errorf("J0 %s: the first step is due %s", start, first.DueAt)
		}
	}
}

func TestJPlusNIsTheNthCalendarDay(t *testing.T) {
	t.Parallel()
	for _, clock := range []string{"00:00:00", "07:59:59", "08:00:00", "23:59:59"} {
		start, err := time.Parse(time.DateTime, "2027-03-10 "+clock)
		if err != nil {
			t.Fatal(err)
		}
		steps := shipped(t).Expand(start)
		at := slices.IndexFunc(steps, func(s app.Step) bool { return s.Key == "scanner.daily_metrics.d01" })
		if got := steps[at].DueAt.Format(time.DateTime); got != "2027-03-11 08:00:00" {
			t.Errorf("J0 at %s: J+1 is %s", clock, got)
		}
	}
}

func TestParseRefusals(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		source string
		want   []string // each a line of the error
	}{
		"unknown agent": {
			"- {key: a.b, agent: scanner, due: T+0}\n- {key: c.d, agent: nobody, due: T+1h}\n",
			[]string{`c.yaml:2: c.d: there is no agent "nobody"`},
		},
		"missing dependency": {
			"- {key: a.b, agent: system, due: T+0, depends_on: [x.y]}\n- {key: c.d, agent: cm, due: T+1h, after: [z.z]}\n",
			[]string{"c.yaml:1: a.b waits for x.y, which is not in the calendar", "c.yaml:2: c.d waits for z.z, which is not in the calendar"},
		},
		"a day that its series does not have": {
			"- {key: 'a.b.{d}', agent: cm, due: 'J+1..J+3 at 08:00'}\n- {key: c.d, agent: cm, due: T+4d, after: [a.b.d04]}\n",
			[]string{"c.yaml:2: c.d waits for a.b.d04, which is not in the calendar"},
		},
		"cycle": {
			"- {key: a.b, agent: cm, due: T+0, depends_on: [e.f]}\n- {key: c.d, agent: cm, due: T+1h, after: [a.b]}\n- {key: e.f, agent: cm, due: T+2h, depends_on: [c.d]}\n",
			[]string{"c.yaml:2: c.d and a.b wait for each other"},
		},
		"waits for itself": {
			"- {key: a.b, agent: cm, due: T+0, after: [a.b]}\n",
			[]string{"c.yaml:1: a.b and a.b wait for each other"},
		},
		"duplicate key": {
			"- {key: a.b, agent: cm, due: T+0}\n\n- {key: a.b, agent: cm, due: T+1h}\n",
			[]string{"c.yaml:3: a.b is already on line 1"},
		},
		"a day twice": {
			"- {key: 'a.{d}', agent: cm, due: 'J+7,7 at 10:00'}\n",
			[]string{"c.yaml:1: a.d07 is already on line 1"},
		},
		"a single step named like a day": {
			"- {key: 'a.{d}', agent: cm, due: 'J+1..J+2 at 10:00'}\n- {key: a.d02, agent: cm, due: T+0}\n",
			[]string{"c.yaml:2: a.d02 is already on line 1"},
		},
		"unknown key": {
			"- {key: a.b, agent: cm, due: T+0}\n- key: c.d\n  agent: cm\n  due: T+1h\n  colour: red\n",
			[]string{`c.yaml:2: unknown key "colour"; known are key, agent, due, depends_on, after, validates`},
		},
		"key given twice": {
			"- {key: a.b, agent: cm, due: T+0, due: T+1h}\n",
			[]string{`mapping key "due" already defined at line 1`},
		},
		"no key":          {"- {agent: cm, due: T+0}\n", []string{"c.yaml:1: a step has no key"}},
		"no due":          {"- {key: a.b, agent: cm}\n", []string{`c.yaml:1: a.b: due "" is not understood`}},
		"due in minutes":  {"- {key: a.b, agent: cm, due: T+30m}\n", []string{`c.yaml:1: a.b: due "T+30m" is not understood`}},
		"due after":       {"- {key: a.b, agent: cm, due: T-1h}\n", []string{`c.yaml:1: a.b: due "T-1h" is not understood`}},
		"due nothing":     {"- {key: a.b, agent: cm, due: T+}\n", []string{`c.yaml:1: a.b: due "T+" is not understood`}},
		"75 minutes":      {"- {key: a.b, agent: cm, due: T+1h75}\n", []string{`c.yaml:1: a.b: due "T+1h75" is not understood`}},
		"25 o'clock":      {"- {key: 'a.{d}', agent: cm, due: 'J+1..J+2 at 25:00'}\n", []string{`c.yaml:1: a.{d}: due "J+1..J+2 at 25:00" is not understood`}},
		"minute 60":       {"- {key: 'a.{w}', agent: cm, due: 'J+7,14 at 10:60'}\n", []string{`c.yaml:1: a.{w}: due "J+7,14 at 10:60" is not understood`}},
		"days for ever":   {"- {key: 'a.{d}', agent: cm, due: 'J+1..J+99999999999999999999 at 08:00'}\n", []string{`is not understood`}},
		"days backwards":  {"- {key: 'a.{d}', agent: cm, due: 'J+3..J+1 at 08:00'}\n", []string{"c.yaml:1: a.{d}: due", "the days run backwards"}},
		"series unnamed":  {"- {key: a.b, agent: cm, due: 'J+1..J+3 at 08:00'}\n", []string{"c.yaml:1: a.b: a series needs {d} or {w}"}},
		"single as day":   {"- {key: 'a.{d}', agent: cm, due: T+1h}\n", []string{"c.yaml:1: a.{d}: a series needs {d} or {w}"}},
		"not a mapping":   {"- {key: a.b, agent: cm, due: T+0}\n- a.b\n", []string{"c.yaml:2: a step must be a mapping"}},
		"not a list":      {"key: a.b\n", []string{"c.yaml:1: the calendar must be a list of steps"}},
		"empty":           {"", []string{"c.yaml:1: the calendar must be a list of steps"}},
		"not YAML":        {"- {key: a.b\n", []string{"c.yaml: yaml: line 1"}},
		"validates maybe": {"- {key: a.b, agent: cm, due: T+0, validates: perhaps}\n", []string{"c.yaml:1: ", "cannot unmarshal"}},
		"every fault at once": {
			"- {key: a.b, agent: nobody, due: T+0, depends_on: [x.y]}\n- {key: c.d, agent: cm, due: soon}\n- {key: e.f, agent: cm, due: T+0, when: now}\n" +
				"- {key: g.h, agent: cm, due: T+0, after: [i.j]}\n- {key: i.j, agent: cm, due: T+0, after: [g.h]}\n- {key: g.h, agent: cm, due: T+2h}\n",
			[]string{"c.yaml:1: a.b: there is no agent", "c.yaml:1: a.b waits for x.y", "c.yaml:2: c.d: due", "c.yaml:3: unknown key",
				"c.yaml:5: i.j and g.h wait for each other", "c.yaml:6: g.h is already on line 4"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := calendar.Parse("c.yaml", []byte(tt.source), agents)
			if err == nil {
				t.Fatalf("accepted: %v", c.Expand(j0))
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q:\n%v", want, err)
				}
			}
		})
	}
}

func TestDueForms(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"T+0": "2027-03-10 09:17", "T+0h30": "2027-03-10 09:47", "T+29h": "2027-03-11 14:17", "T+7d": "2027-03-17 09:17",
		"T+7d2h": "2027-03-17 11:17", "T+1d0h05": "2027-03-11 09:22",
	}
	for due, want := range tests {
		c, err := calendar.Parse("c.yaml", []byte("- {key: a.b, agent: system, due: "+due+"}"), nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := c.Expand(j0)[0].DueAt.Format("2006-01-02 15:04"); got != want {
			t.Errorf("%s is %s, want %s", due, got, want)
		}
	}
}

func TestDayOf(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int{"cm.daily_post.d07": 7, "scanner.daily_metrics.d30": 30, "tg.weekly_mods.w2": 0, "cto.dossier": 0, "handover": 0, "designer.directions": 0} {
		if got := calendar.DayOf(key); got != want {
			t.Errorf("%s: day %d, want %d", key, got, want)
		}
	}
}
