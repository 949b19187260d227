package tools_test

import (
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/tools"
)

const bird = "A picture today: the dodo at the sea, looking for its wings. Drawn by a machine, approved by a person who sighed."

// What the account has said, or is about to say, is not said again.
func TestRepeatsAreRefused(t *testing.T) {
	t.Parallel()
	text := func(text string) string { return `{"text":` + said(text) + `,"assets":[],"alt":[]}` }
	thread := `{"posts":` + said(posts("1", "2", "gm, DODO!", "4")) + `}`
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, c := range map[string]struct {
		task, tool, args string
		before           app.Said
		want             string
	}{
		"said an hour ago":          {"cm.utility_post", "x_post", text("GM dоdо"), app.Said{Text: "gm, dodo!", At: ago(time.Hour)}, "Text: The same text was posted on 4 Mar 2026, 04:06 UTC"},
		"waits":                     {"cm.utility_post", "x_post", text("gm dodo"), app.Said{Text: "gm dodo", At: ago(99 * time.Hour), Waiting: true}, "Text: The same text waits"},
		"two days ago":              {"cm.utility_post", "x_post", text("gm dodo"), app.Said{Text: "gm dodo", At: ago(48 * time.Hour)}, ""},
		"in a thread":               {"cm.comeback_thread", "x_thread", thread, app.Said{Text: "gm dodo", At: ago(time.Hour)}, "Post 3: The same text was posted"},
		"a daily post alike":        {"cm.daily_post", "x_post", text(strings.ReplaceAll(bird, "sea", "lake")), app.Said{Text: bird, At: ago(240 * time.Hour)}, "Text: It is too much like the post of 22 Feb 2026"},
		"another post alike":        {"cm.utility_post", "x_post", text(strings.ReplaceAll(bird, "sea", "lake")), app.Said{Text: bird, At: ago(240 * time.Hour)}, ""},
		"a daily post not alike":    {"cm.daily_post", "x_post", text("412 hold $DODO this morning."), app.Said{Text: bird, At: ago(240 * time.Hour)}, ""},
		"a daily post like a reply": {"cm.daily_post", "x_post", text(bird + " Again."), app.Said{Text: bird, At: ago(time.Hour), Reply: true}, ""},
	} {
		w, s := newWorld(t), scope()
		w.said, s.Task = []app.Said{{Text: "other", At: now}, c.before}, c.task
		got := w.callIn(s, "cm", c.tool, c.args)
		if got.OK != (c.want == "") || !strings.Contains(got.Text, c.want) || len(w.proposals) > 0 != got.OK {
			t.Errorf("%s: %s", name, got.Text)
		}
	}
}

// A poll's boards and its question are posts, too.
func TestAPollRepeatsNothing(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"intro_text", "question"} {
		w := newWorld(t)
		w.said = []app.Said{{Text: "Which face is it?", At: now, Waiting: true}}
		args := change(t, uses["poll_create"].args(w), field, "which FACE is it")
		if got := w.call("designer", "poll_create", args); got.OK || !strings.Contains(got.Text, "The same text waits") {
			t.Errorf("%s: %s", field, got.Text)
		}
	}
}

// Whoever edits is held to the same.
func TestRecheckKnowsWhatWasSaid(t *testing.T) {
	t.Parallel()
	before := []app.Said{{Text: bird, At: now.Add(-time.Hour)}}
	for text, want := range map[string]string{
		bird:                                    "The same text was posted",
		strings.ReplaceAll(bird, "sea", "lake"): "too much like the post of 4 Mar 2026",
		"It is risk-free":                       "“risk free” may not be said",
		"It is not risk-free":                   "",
	} {
		_, err := tools.Recheck(scope(), live, app.PostPayload{Account: scope().XHandle, Text: text}, before)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
