package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/tools"
)

const replyArgs = `{"text":"The operation pays for each call.","sources":["telegram.faq.0.a"]}`

// TestRepliesAreForTheMentionOfTheirStep: whom a reply goes to the database says,
// for a step that answers a mention and for no other.
func TestRepliesAreForTheMentionOfTheirStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.call("cm", "x_reply", replyArgs); !got.OK || len(w.proposals) != 1 {
		t.Fatalf("%s, %d proposals", got.Text, len(w.proposals))
	}
	var p app.PostPayload
	if err := json.Unmarshal(w.proposals[0].payload, &p); err != nil || p.Answers == nil || *p.Answers != (app.Answered{PostID: "1990000000000000001", AuthorID: "800000001"}) {
		t.Errorf("proposed %s: %v", w.proposals[0].payload, err)
	}
	if got := w.callIn(scope(), "cm", "x_reply", replyArgs); got.OK || !strings.Contains(got.Text, "answers no mention") {
		t.Errorf("in a task of posts: %s", got.Text)
	}
	w.missing = true
	if got := w.call("cm", "x_reply", replyArgs); got.OK || !strings.Contains(got.Text, "answers no mention") {
		t.Errorf("without a mention: %s", got.Text)
	}
	if len(w.proposals) != 1 {
		t.Errorf("%d proposals", len(w.proposals))
	}
}

// TestEditedRepliesStayReplies: a person's words are held to a reply's rules, and
// change nothing of whom it goes to or what it costs.
func TestEditedRepliesStayReplies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call("cm", "x_reply", replyArgs)
	payload := w.proposals[0].payload
	edited, risk, err := edit(t, app.KindPost, payload, map[string]string{"text": "The operation pays, call by call."})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := edited.(app.PostPayload)
	if p.Answers == nil || p.Answers.PostID != "1990000000000000001" || risk.PublishPrice != app.Dollar/100 || !strings.HasPrefix(risk.Effect, "Replies as @dodo_back") {
		t.Errorf("%+v, %+v", p.Answers, risk)
	}
	for _, text := range []string{"See https://dodo.vivra.site", "$DODO pays", "@mara_holds pays", "See " + stranger} {
		if _, _, err := edit(t, app.KindPost, payload, map[string]string{"text": text}); app.KindOf(err) != app.Invalid {
			t.Errorf("%q: %v", text, err)
		}
	}
	p.Media = []app.Media{{SHA256: "00", Alt: "A dodo"}}
	if _, err := tools.Recheck(scope(), live, p, nil); err == nil || !strings.Contains(err.Error(), "no picture") {
		t.Errorf("with a picture: %v", err)
	}
}
