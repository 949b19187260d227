package effects_test

import (
	"fmt"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/effects"
)

// outOf is what the first n calls of a frozen output are once they went out.
func outOf(f app.Frozen, n int) (out []app.OutCall) {
	for i, c := range f.Calls[:n] {
		out = append(out, app.OutCall{Kind: c.Kind, Request: c.Request, ProviderID: fmt.Sprint(100 + i), Link: fmt.Sprint("https://x.com/ember/status/", 100+i)})
	}
	return out
}

// TestTheRestIsWhatIsApproved: of whatever takes several calls, the rest is the
// calls that are not out, at their places, at their price, under a hash of its own.
func TestTheRestIsWhatIsApproved(t *testing.T) {
	t.Parallel()
	for _, tt := range payloads {
		whole := freeze(t, tt.kind, tt.payload, binding)
		all, err := effects.Plan(app.Validation{ID: "v", Kind: tt.kind, Payload: whole.Payload})
		if err != nil {
			t.Fatal(err)
		}
		for n := range all {
			b := binding
			b.Out = outOf(whole, n)
			f := freeze(t, tt.kind, tt.payload, b)
			planned, err := effects.Plan(app.Validation{ID: "v", Kind: tt.kind, Payload: f.Payload, Frozen: canonical(t, f)})
			if err != nil || len(planned) != len(all)-n || len(f.Calls) != len(planned) {
				t.Fatalf("%s from %d: %d calls: %v", tt.name, n, len(planned), err)
			}
			var price app.Nano
			for i, e := range planned {
				price += e.Price
				if want := all[n+i]; e.Position != want.Position || string(e.Request) != string(want.Request) || !effects.Allowed(f, e) {
					t.Errorf("%s from %d: call %d is %s at %d", tt.name, n, i, e.Request, e.Position)
				}
			}
			for _, e := range all[:n] {
				if effects.Allowed(f, e) {
					t.Errorf("%s from %d: what is out may go out again: %s", tt.name, n, e.Key)
				}
			}
			if n == 0 {
				continue
			}
			if hash(t, f) == hash(t, whole) {
				t.Errorf("%s from %d: the approval of the whole holds for the rest", tt.name, n)
			}
			risk, err := effects.RestRisk(app.Risk{PublishPrice: 1 << 40, Problems: []string{"seen"}}, f)
			if err != nil || risk.PublishPrice != price || !strings.Contains(risk.Effect, "out and stay as they are") || len(risk.Problems) != 1 {
				t.Errorf("%s from %d: %+v: %v", tt.name, n, risk, err)
			}
		}
	}
}

// TestWhatIsOutCannotBeChanged: another word, picture or account in it is refused,
// and told by its place.
func TestWhatIsOutCannotBeChanged(t *testing.T) {
	t.Parallel()
	b := binding
	b.Out = outOf(freeze(t, app.KindThread, thread, binding), 2)
	for name, change := range map[string]struct {
		to   func(*app.ThreadPayload)
		says string
	}{
		"a word":     {func(p *app.ThreadPayload) { p.Posts[1].Text += "." }, "Post 2 is out already"},
		"a picture":  {func(p *app.ThreadPayload) { p.Posts[0].Media = nil }, "Post 1 is out already"},
		"an account": {func(p *app.ThreadPayload) { p.Account = "ash" }, "Post 1 is out already"},
		"shortened":  {func(p *app.ThreadPayload) { p.Posts = p.Posts[:1] }, "2 of its parts are out"},
		"the rest":   {func(p *app.ThreadPayload) { p.Posts[2].Text += "." }, ""},
	} {
		other := thread
		other.Posts = append([]app.PostPayload{}, thread.Posts...)
		change.to(&other)
		_, err := effects.Freeze(app.KindThread, canonical(t, other), b)
		if change.says == "" && err != nil || change.says != "" && (app.KindOf(err) != app.Invalid || !strings.Contains(err.Error(), change.says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	raw := canonical(t, thread)
	for n := range len(thread.Posts) + 2 {
		got, err := effects.Cut(app.KindThread, raw, n)
		if err != nil || strings.Count(string(got), `"text"`) != min(n, len(thread.Posts)) {
			t.Errorf("the first %d are %s: %v", n, got, err)
		}
	}
	if got, err := effects.Cut(app.KindPoll, raw, 1); got != nil || err != nil {
		t.Errorf("a poll was cut to %s: %v", got, err)
	}
}
