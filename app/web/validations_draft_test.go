package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestAnEditIsANewDraft(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	v1 := v.get("/admin/validations/v1").doc(t)
	form := v.get(v1.Find("#edit").AttrOr("href", ""))
	if got := spoken(form.doc(t), "#field-post\\.2\\.text-hint"); !strings.Contains(got, "30 / 280 as X counts") {
		t.Errorf("the third post counts %q", got)
	}
	res := v.submit(form, "#draft-form", url.Values{"field.post.2.text": {"What is not promised:\r\na price, or a date."}})
	if res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != "/admin/validations/v1-3" || x.said() != "edit v1 by approver" {
		t.Fatalf("saving answers %s, leads to %s and does %q", res.Status, res.Header.Get("Location"), x.said())
	}
	doc := v.get("/admin/validations/v1-3").doc(t)
	for selector, wants := range map[string][]string{
		".output": {"edited by approver", "draft 3 of 3", "Changes since draft 2, as CM wrote it"}, ".output ins": {"or a date"}, ".risk": {"Edited by approver"},
	} {
		for _, want := range wants {
			if got := spoken(doc, selector); !strings.Contains(got, want) {
				t.Errorf("%s lacks %q: %s", selector, want, got)
			}
		}
	}
	if !strings.Contains(doc.Find(".post .words").Text(), "What is not promised:\na price, or a date.") {
		t.Error("the preview is not of what was written")
	}
	// Edited once more, it is still compared with what the agent wrote.
	again := v.submit(v.get("/admin/validations/v1-3/draft"), "#draft-form", url.Values{"field.post.2.text": {"No price."}})
	if got := spoken(v.get(again.Header.Get("Location")).doc(t), ".output details"); !strings.Contains(got, "Changes since draft 2, as CM wrote it") {
		t.Errorf("the second edit is compared with %q", got)
	}
}

func TestARefusedEditLosesNothing(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	form := v.get("/admin/validations/v1/draft")
	for text, want := range map[string]string{
		"It will 10x, <b>soon</b>.":     "The text promises a price: 10x. Say what was built.",
		"\u0007 rings":                  "Post 2 holds characters that can't be seen.",
		"What was \u202e, said 10x <i>": "The text promises a price: 10x. Say what was built.",
	} {
		res := v.submit(form, "#draft-form", url.Values{"field.post.1.text": {text}})
		doc := res.doc(t)
		if kept := doc.Find("#field-post\\.1\\.text").Text(); res.StatusCode != http.StatusUnprocessableEntity || kept != text || x.said() != "" {
			t.Errorf("%q answers %s, keeps %q and does %q", text, res.Status, kept, x.said())
		}
		where := "#refusal"
		if strings.HasPrefix(want, "Post 2") {
			where = "#field-post\\.1\\.text-hint"
			if _, marked := doc.Find("#field-post\\.1\\.text[aria-invalid][autofocus]").Attr("name"); !marked {
				t.Error("the field with the problem is neither marked nor where one goes on")
			}
		}
		if got := spoken(doc, where); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", where, got, want)
		}
	}
	if got := spoken(v.submit(form, "#draft-form", nil).doc(t), "#refusal"); !strings.Contains(got, "Nothing was changed") {
		t.Errorf("an edit of nothing is told %q", got)
	}
}

// TestLookingAtAnEdit shows it with its count, and saves nothing.
func TestLookingAtAnEdit(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	res := v.submit(v.get("/admin/validations/v2/draft"), "#draft-form", url.Values{"field.text": {"Day 9 👩‍👩‍👧 https://dodo.vivra.example/a-long-way-to-say-it"}, "look": {"yes"}})
	doc := res.doc(t)
	if got := spoken(doc, "#field-text-hint"); res.StatusCode != http.StatusOK || !strings.Contains(got, "56 / 280 as X counts") {
		t.Errorf("looking answers %s and counts %q", res.Status, got)
	}
	if got := doc.Find(".post .words").Text(); !strings.HasPrefix(got, "Day 9 👩‍👩‍👧 https") || x.said() != "" {
		t.Errorf("it would look like %q, and was done %q", got, x.said())
	}
}

// TestAnEditOfWhatHasChanged keeps the words, to be saved once more or copied.
func TestAnEditOfWhatHasChanged(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	form := v.get("/admin/validations/v2/draft")
	words := url.Values{"field.text": {"Day 9, told anew."}}
	x.mu.Lock()
	x.find(t, "v2").Nonce = "another turn"
	x.mu.Unlock()
	res := v.submit(form, "#draft-form", words)
	if kept := res.doc(t).Find("#field-text").Text(); res.StatusCode != http.StatusConflict || kept != "Day 9, told anew." {
		t.Fatalf("after it waited anew the edit answers %s and keeps %q", res.Status, kept)
	}
	other := v.get("/admin/validations/v2/draft")
	if res := v.submit(res, "#draft-form", words); res.StatusCode != http.StatusSeeOther {
		t.Errorf("saved once more it answers %s", res.Status)
	}
	res = v.submit(other, "#draft-form", words)
	if got := spoken(res.doc(t), "#refusal"); res.StatusCode != http.StatusConflict || !strings.Contains(got, "You had written: “ Day 9, told anew. ”") || !strings.Contains(spoken(res.doc(t), "#receipt"), "edited by approver") {
		t.Errorf("an edit of a replaced draft answers %s: %s", res.Status, spoken(res.doc(t), ".output"))
	}
}

func TestWhatCantBeEditedSaysSo(t *testing.T) {
	t.Parallel()
	_, v := team(t, "approver")
	if n := v.get("/admin/validations/v6").doc(t).Find("#edit").Length(); n != 0 {
		t.Error("a site is offered to be edited")
	}
	for id, status := range map[string]int{"v6": http.StatusUnprocessableEntity, "w2": http.StatusConflict, "nothing": http.StatusNotFound} {
		if res := v.get("/admin/validations/" + id + "/draft"); res.StatusCode != status {
			t.Errorf("editing %s answers %s, want %d", id, res.Status, status)
		}
	}
}
