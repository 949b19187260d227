package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"vivra/app"
)

const answeredPost = "1990000000000000010" // whose author tries to steer

func (x *exhibit) MentionOfStep(context.Context, int64) (app.MentionRow, error) {
	defer x.lock()()
	for _, m := range x.mentioned() {
		if m.PostID == answeredPost && !x.unnamed {
			return m, x.down
		}
	}
	return app.MentionRow{}, app.Errorf(app.NotFound, "There is no such mention.")
}

// answers has replies wait for a decision, to the post of that number.
func (x *exhibit) answers(postID string, texts ...string) {
	for _, text := range texts {
		x.offer(app.ReplyTask+"."+postID, "cm", app.KindPost, app.PostPayload{Account: "dodo_back", Text: text, Media: []app.Media{}, Answers: &app.Answered{PostID: postID, AuthorID: "800000006"}},
			app.Risk{PublishPrice: app.Dollar / 100, Effect: "Replies as @dodo_back to the post shown here."})
	}
}

// TestAReplyIsShownWithWhatItAnswers: as text that somebody else wrote, wherever
// the reply is decided on or edited, and with the price and the pace of a reply.
func TestAReplyIsShownWithWhatItAnswers(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	x.answers(answeredPost, "The operation pays.", "The operation pays for it.")
	for _, path := range []string{"/admin/validations/v15", "/admin/validations/v15/draft", "/admin/validations/batches/post"} {
		page := v.get(path)
		doc := page.doc(t)
		shown := doc.Find(".answered").First()
		for _, want := range []string{"It answers @support_desk_x", "The agent was told its kind and its subject, not these words: nothing of them goes out.", "Text from outside, as it was written", "post this address " + other} {
			if !strings.Contains(strings.Join(strings.Fields(shown.Text()), " "), want) {
				t.Errorf("%s lacks %q: %s", path, want, shown.Text())
			}
		}
		if shown.Find("blockquote a, blockquote img, script").Length() > 0 || strings.Contains(page.body, "<script>alert") || strings.Contains(page.body, "\u202e") {
			t.Errorf("%s: what others wrote became markup", path)
		}
		if got := spoken(doc, ".post"); !strings.Contains(got, "In answer to a post on X") || !strings.Contains(got, "$0.01") {
			t.Errorf("%s: the reply is %q", path, got)
		}
		if href := doc.Find(".post a").First().AttrOr("href", ""); href != "https://x.com/i/status/"+answeredPost {
			t.Errorf("%s leads to %q", path, href)
		}
	}
	if got := spoken(v.get("/admin/validations/v15").doc(t), ".risk"); strings.Contains(got, "min apart") || strings.Contains(got, "support_desk_x") {
		t.Errorf("beside it: %s", got)
	}
	if got := string(x.find(t, "v15").Frozen); strings.Contains(got, "post this address") || !strings.Contains(got, answeredPost) {
		t.Errorf("approved is %s", got)
	}
	if got := v.get("/admin/validations/v2").doc(t); got.Find(".answered").Length() > 0 {
		t.Error("a post answers somebody")
	}
}

// TestWhatAReplyWasWrittenFrom: the note on the mention and the risk marks beside
// it do not contradict each other.
func TestWhatAReplyWasWrittenFrom(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	payload := app.PostPayload{Account: "dodo_back", Text: "The operation pays.", Media: []app.Media{}, Answers: &app.Answered{PostID: answeredPost, AuthorID: "800000006"}}
	x.offer(app.ReplyTask+"."+answeredPost, "cm", app.KindPost, payload, app.Risk{Tainted: true, Sources: []string{"token_file", "market"}})
	x.offer(app.ReplyTask+"."+answeredPost, "cm", app.KindPost, payload, app.Risk{})
	const others = "What it did read of others is named with the risk marks."
	for path, want := range map[string]bool{"/admin/validations/v15": true, "/admin/validations/v15/draft": true, "/admin/validations/v16": false, "/admin/validations/v16/draft": false} {
		if got := spoken(v.get(path).doc(t), ".answered"); strings.Contains(got, others) != want || strings.Contains(got, "not read") {
			t.Errorf("%s: %s", path, got)
		}
	}
	if doc := v.get("/admin/validations/v15").doc(t); spoken(doc, "#output-title") != "Reply to @support_desk_x" || !strings.HasPrefix(spoken(doc, "#item-v15"), "Reply to @support_desk_x") {
		t.Errorf("it is called %q, in the list %q", spoken(doc, "#output-title"), spoken(doc, "#item-v15"))
	}
	if got := spoken(v.get("/admin/validations/v15").doc(t), ".risk"); !strings.Contains(got, "It read the token file, which may quote others") || !strings.Contains(got, "It read market data") {
		t.Errorf("beside it: %s", got)
	}
}

// TestAReplyWhoseMentionIsGone is shown all the same, with the link to it.
func TestAReplyWhoseMentionIsGone(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	x.answers("1990000000000000099", "The operation pays.") // which nobody knows
	page := v.get("/admin/validations/v15")
	if doc := page.doc(t); page.StatusCode != http.StatusOK || doc.Find(".answered").Length() > 0 || doc.Find(`.post a[href$="/1990000000000000099"]`).Length() != 1 {
		t.Errorf("%s, %d notes", page.Status, doc.Find(".answered").Length())
	}
}
