package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

// team is the exhibit with someone signed in.
func team(t *testing.T, role string) (*exhibit, *visitor) {
	t.Helper()
	x := newExhibit(t)
	server, _ := x.serve(t)
	return x, x.member(t, server.URL, role)
}

func (x *exhibit) member(t *testing.T, url, role string) *visitor {
	t.Helper()
	v := newVisitor(t, url)
	v.signIn(role)
	return v
}

// queueUp has more outputs wait than a list shows.
func (x *exhibit) queueUp(n int) {
	for i := range n {
		x.offer(fmt.Sprintf("cm.daily_post.d%02d", i%30+1), "cm", app.KindPost, app.PostPayload{Account: "dodo_back", Text: fmt.Sprintf("Day %d, in the open.", i)}, app.Risk{Effect: "Posts it as @dodo_back."})
	}
}

// TestTheQueueIsAWindow holds that a thousand outputs make a page of fifty, with
// the rest a link away, and that the output stays while the list is looked through.
func TestTheQueueIsAWindow(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	x.queueUp(986)
	page := v.get("/admin/validations/v500")
	doc := page.doc(t)
	if n := doc.Find("#queue li").Length(); n != 50 || len(page.body) > 200_000 {
		t.Errorf("the list has %d rows on a page of %d bytes", n, len(page.body))
	}
	links := spoken(doc, "#queue p")
	if !strings.Contains(links, "1,000 outputs, oldest first") || !strings.Contains(links, "↑ 474 older") || !strings.Contains(links, "↓ 476 newer") {
		t.Errorf("around the list stands %q", links)
	}
	older := v.get(doc.Find("#queue p a:contains(older)").AttrOr("href", "")).doc(t)
	if older.Find("#item-v475, #item-v451").Length() != 2 || !strings.Contains(older.Find("#decide form").AttrOr("action", ""), "/v500/") {
		t.Errorf("older rows are %q beside %q", older.Find("#queue li").First().AttrOr("id", ""), older.Find("#decide form").AttrOr("action", ""))
	}
}

func TestRiskStandsBeforeTheButtons(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	x.queue.sent = append(x.queue.sent, app.EffectStatus{Effect: app.Effect{ID: 90, OperationID: 1, ValidationID: "w9", Kind: "x.post", State: app.EffectDone, DoneAt: ptr(today.Add(-10 * time.Minute)), Request: must(map[string]any{"account": "dodo_back", "reply_to_position": -1})}})
	doc := v.get("/admin/validations/v2").doc(t)
	text := spoken(doc, ".risk")
	for _, want := range []string{"Promises a price", other + " is not the token's address", "The run read text from outside", "It read 14 posts on X", "Posts it as @dodo_back.",
		"Undo 10 s", "30 min apart", "Not before 7 Dec, 15:40 UTC", "Price of publishing $0.015", "Account on X @dodo_back number 1845", "Official address " + official, "Draft 1 of 1", "Cost of the run $0.0412", "What you approve"} {
		if !strings.Contains(text, want) {
			t.Errorf("the risk panel lacks %q:\n%s", want, text)
		}
	}
	if !strings.Contains(doc.Find(".risk [title]").Last().AttrOr("title", ""), x.find(t, "v2").FrozenSHA256) {
		t.Error("the whole hash is nowhere to be seen")
	}
	if order := doc.Find(".risk ~ .decide"); order.Length() != 1 {
		t.Error("on a phone the buttons would come before the risk")
	}
	for id, want := range map[string]string{"v5": "Telegram chat -1001234567890", "v6": "Host dodo.vivra.example"} {
		if got := spoken(v.get("/admin/validations/"+id).doc(t), ".risk"); !strings.Contains(got, want) {
			t.Errorf("%s is missing for %s: %s", want, id, got)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// Every kind has a preview of its own: none falls back to JSON.
func TestEveryKindHasAPreview(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	kinds := map[app.ValidationKind]bool{}
	for _, one := range x.validations {
		kinds[one.Kind] = true
		output := v.get("/admin/validations/" + one.ID).doc(t).Find(".output")
		if output.ChildrenFiltered("pre.json").Length() > 0 || len(output.Text()) < 60 {
			t.Errorf("%s is shown as %q", one.Kind, output.Text())
		}
	}
	if len(kinds) != 14 {
		t.Errorf("the exhibit holds %d kinds", len(kinds))
	}
}

// TestPreviewsSayWhatDecides holds that each kind shows what a person needs to
// decide on it.
func TestPreviewsSayWhatDecides(t *testing.T) {
	t.Parallel()
	_, v := team(t, "approver")
	for id, wants := range map[string][]string{
		"v1":  {"1 of 4 154 / 280 $0.015", "2 of 4 118 / 280 $0.015", "What is not promised"},
		"v3":  {"1 of 2, before the poll", "2 of 2", "poll, 24 h", "Telegram poll, open for 24 h", "Night shift"},
		"v4":  {"Download profile-picture.png", "Copy", "Turn on the automated label"},
		"v5":  {"Pinned message Official address:", "2. Be kind."},
		"v6":  {"Desktop, 1,280 px wide", "Phone, 360 px wide", "Nothing was found against it", "7 links, 1 address, 42 kB"},
		"v7":  {"3 tests passed", "shows no address but the token's", "Its configuration"},
		"v8":  {"Checks of the report", "Can be sold pass : yes simulation"},
		"v10": {"24 files, each at its true size", "logo 1024, 320 × 240"},
		"v12": {"holders met: 1,470 from 1,262, needed 1,452"},
		"v13": {"Missing You: one that is read."},
		"v14": {"The account belongs to the community"},
	} {
		text := spoken(v.get("/admin/validations/"+id).doc(t), ".output")
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", id, want, text)
			}
		}
	}
}

// TestADraftIsComparedWithTheRejectedOne: why it was rejected is pinned.
func TestADraftIsComparedWithTheRejectedOne(t *testing.T) {
	t.Parallel()
	_, v := team(t, "approver")
	doc := v.get("/admin/validations/v1").doc(t)
	if diff := spoken(doc, ".output details"); !strings.Contains(diff, "Changes since draft 1, as CM wrote it") || !strings.Contains(diff, "chart") || !strings.Contains(diff, "promised") {
		t.Errorf("the changes since the draft before are %q", diff)
	}
	if note := spoken(doc, ".output .note"); note != "Rejected before: “ Post 3 promises a price. Say what was built instead. ”" {
		t.Errorf("its reason is shown as %q", note)
	}
}

// TestADraftThatWaitsAnewSaysWhy: the same payload in another world.
func TestADraftThatWaitsAnewSaysWhy(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	x.add(app.Validation{ID: "w5", StepKey: "scanner.go_nogo", Agent: "scanner", Kind: app.KindGoNoGo, Payload: x.find(t, "w3").Payload, DraftNo: 2, Replaces: "w3", CreatedAt: today,
		Risk: app.Risk{Problems: []string{"The official address was another one when this was approved."}}})
	text := spoken(v.get("/admin/validations/w5").doc(t), ".output")
	for _, want := range []string{"Draft 1 was withdrawn: the official address was another one", "The words are the same."} {
		if !strings.Contains(text, want) {
			t.Errorf("the draft lacks %q: %s", want, text)
		}
	}
	if got := spoken(v.get("/admin/validations/w5").doc(t), "#decide label"); !strings.Contains(got, "I looked at 1 risk mark") {
		t.Errorf("the difference is no mark: %q", got)
	}
}

func TestAViewerSeesNoButtons(t *testing.T) {
	t.Parallel()
	x, v := team(t, "viewer")
	x.queueUp(3)
	for _, path := range []string{"/admin/validations/v1", "/admin/validations/w1", "/admin/validations/batches/post", "/admin/operations/dodo", "/admin/alerts", "/admin/settings", "/admin/prices", "/admin/runs/run-1"} {
		res := v.get(path)
		if forms := res.doc(t).Find("main form[method=post] button, main [type=checkbox]:not(#follow)"); res.StatusCode != http.StatusOK || forms.Length() > 0 {
			t.Errorf("%s answers %s and offers a viewer %q", path, res.Status, forms.Text())
		}
	}
}

func TestAnEmptyQueueSaysWhatComes(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	x.validations = nil
	doc := v.get("/admin/validations").doc(t)
	if got := doc.Find(".output").Text(); !strings.Contains(got, "When an agent proposes an output") || doc.Find(`.output a[href="/admin/operations"]`).Length() != 1 {
		t.Errorf("the empty queue says %q", got)
	}
	for _, path := range []string{"/admin/validations/batches/post", "/admin/validations/batches/kit"} {
		if got := spoken(v.get(path).doc(t), "main"); !strings.Contains(got, "No output of this kind can be approved together") {
			t.Errorf("%s says %q", path, got)
		}
	}
}

// TestTheQueueWithoutADatabase says what is the matter and what to do.
func TestTheQueueWithoutADatabase(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	page := v.get("/admin/validations/v1")
	x.mu.Lock()
	x.down = fmt.Errorf("connection refused")
	x.mu.Unlock()
	res := v.submit(page, "#approve", nil)
	if text := spoken(res.doc(t), "main"); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "nothing you sent just now was") || x.said() != "" {
		t.Errorf("without a database approving answers %s: %s", res.Status, text)
	}
}
