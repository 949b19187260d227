package preflight_test

import (
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/preflight"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func TestCheckRepeat(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	for name, c := range map[string]struct {
		text string
		said app.Said
		want string
	}{
		"an hour ago":           {"gm, dodos!", app.Said{Text: "GM  dodos", At: ago(time.Hour)}, "4 Mar 2026, 11:00 UTC"},
		"just under 48 hours":   {"gm", app.Said{Text: "gm", At: ago(48*time.Hour - time.Second)}, "2 Mar 2026"},
		"48 hours":              {"gm", app.Said{Text: "gm", At: ago(48 * time.Hour)}, ""},
		"waits, however long":   {"gm", app.Said{Text: "gm", At: ago(500 * time.Hour), Waiting: true}, "waits"},
		"a reply is a post too": {"gm", app.Said{Text: "gm", At: ago(time.Hour), Reply: true}, "4 Mar"},
		"another figure":        {"412 hold", app.Said{Text: "413 hold", At: ago(time.Hour)}, ""},
		"nothing but marks":     {"...", app.Said{Text: "!!!", At: ago(time.Hour)}, ""},
		"the same marks":        {"...", app.Said{Text: "... ", At: ago(time.Hour)}, "4 Mar"},
	} {
		problems := preflight.CheckRepeat(c.text, []app.Said{{Text: "other", At: noon}, c.said}, noon)
		if (len(problems) > 0) != (c.want != "") || len(problems) > 0 && !strings.Contains(problems[0].Detail, c.want) {
			t.Errorf("%s: %v, want %q", name, problems, c.want)
		}
	}
}

func TestCheckAlike(t *testing.T) {
	t.Parallel()
	said := make([]app.Said, 16)
	for i := range said {
		said[i] = app.Said{Text: varied[i], At: noon.AddDate(0, 0, -i)}
	}
	twin := func(i int) string { return strings.ReplaceAll(varied[i], "4", "5") }
	for name, c := range map[string]struct {
		text string
		said []app.Said
		want string
	}{
		"new":                 {varied[19], said, ""},
		"like yesterday's":    {twin(1), said, "3 Mar 2026"},
		"like the 14th":       {twin(13), said, "19 Feb 2026"},
		"like the 15th":       {twin(14), said, ""},
		"like a reply":        {"gm to all of you here", []app.Said{{Text: "gm to all of you here", At: noon, Reply: true}}, ""},
		"like one that waits": {twin(3), append([]app.Said{{Text: varied[3], At: noon, Waiting: true}}, said[4:]...), "waits"},
	} {
		problems := preflight.CheckAlike(c.text, c.said)
		if (len(problems) > 0) != (c.want != "") || len(problems) > 0 && !strings.Contains(problems[0].Detail, c.want) {
			t.Errorf("%s: %v, want %q", name, problems, c.want)
		}
	}
}
