package desk_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/edits"
	"vivra/app/internal/testop"
	"vivra/app/postgres"
)

const mentor = "0xde709f2102306220921060314715629080e2fb77"

// drafted is a post of the operation that waits.
func drafted(t *testing.T) (*room, app.Validation) {
	t.Helper()
	r := newRoom(t, testop.Step("cm", "cm.daily_post.d03", "cm.daily_post", true))
	r.PublicURL = "https://live.vivra.site"
	return r, r.draft("cm.daily_post.d03", "gm", app.Media{SHA256: strings.Repeat("ab", 32), MIME: "image/png", Alt: "A dodo"})
}

// draft is a post that a step proposes, as it waits.
func (r *room) draft(key, text string, media ...app.Media) app.Validation {
	r.t.Helper()
	claim, _ := testop.Start(r.t, r.Store, r.op, key, r.clock.Now(), r.clock.Now().Add(time.Minute))
	payload := app.PostPayload{Account: handle, Text: text, Media: append([]app.Media{}, media...)}
	id, err := r.Propose(r.t.Context(), agent.Scope{Claim: claim, StepID: claim.StepID}, app.KindPost, payload, app.Risk{Effect: "Posts this."})
	if err == nil {
		err = r.Store.FinishRun(r.t.Context(), claim, postgres.RunEnd{Output: json.RawMessage(`{"text":"gm"}`)}, r.clock.Now())
	}
	if err != nil {
		r.t.Fatal(err)
	}
	v, err := r.Store.Validation(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// edit sends the form of a draft with some of its fields changed.
func (r *room) edit(v app.Validation, changed map[string]string) (app.Validation, error) {
	r.t.Helper()
	fields, err := edits.Fields(v.Kind, v.Payload)
	if err != nil {
		r.t.Fatal(err)
	}
	values := map[string]string{}
	for _, f := range fields {
		values[f.Name] = f.Text
	}
	maps.Copy(values, changed)
	return r.EditValidation(r.t.Context(), v.Choice(), values, testop.Person)
}

func TestEdit(t *testing.T) {
	t.Parallel()
	r, v := drafted(t)
	got, err := r.edit(v, map[string]string{"text": "Day 3: https://live.vivra.site/operations/dodo and https://" + r.op.SiteHost, "alt.0": "A dodo at dusk"})
	if err != nil {
		t.Fatal(err)
	}
	var p app.PostPayload
	if err := json.Unmarshal(got.Payload, &p); err != nil || !strings.HasPrefix(p.Text, "Day 3: ") || p.Media[0].Alt != "A dodo at dusk" || p.Media[0].SHA256 != strings.Repeat("ab", 32) || p.Account != handle {
		t.Errorf("%s, %v", got.Payload, err)
	}
	if len(got.Risk.Links) != 2 || got.Risk.Marks() != 0 || got.Risk.PublishPrice != 205_000_000 || !strings.Contains(got.Risk.Effect, "$0.205") || got.EditedBy != testop.Person.Name || got.Replaces != v.ID {
		t.Errorf("risk %+v, edited by %s over %s", got.Risk, got.EditedBy, got.Replaces)
	}
}

// A person's words are held to the operation as it is and the settings as they are.
func TestEditsAreHeldToTheRules(t *testing.T) {
	t.Parallel()
	r, v := drafted(t)
	refused := func(text, want string) {
		t.Helper()
		if _, err := r.edit(v, map[string]string{"text": text}); app.KindOf(err) != app.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	refused("Send it to "+mentor, "Text: "+mentor+" is not the token's address")
	refused("Ask @somebody", "Text: @somebody may not be named")
	refused(strings.Repeat("字", 141), "The text counts 282")
	refused("gm\u202e", "Text: It holds characters that can't be seen")
	refused("gm", "Nothing was changed")
	refused("Guaranteed", "Text: “guarantee*” may not be said")
	if err := r.Store.SetSetting(t.Context(), "x.banned_phrases", json.RawMessage(`["wen moon"]`), "ada", r.clock.Now()); err != nil {
		t.Fatal(err)
	}
	refused("Wen, moon?", "Text: “wen moon” may not be said")
	refused("See https://friends.example", "Text: https://friends.example is neither")
	if err := r.Store.SetSetting(t.Context(), "links.allowlist", json.RawMessage(`["friends.example"]`), "ada", r.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if n := r.waiting(); n != 1 {
		t.Errorf("%d drafts wait", n)
	}
	got, err := r.edit(v, map[string]string{"text": "See https://friends.example"})
	if err != nil || len(got.Risk.Links) != 1 || !got.Risk.Links[0].Allowed {
		t.Errorf("%+v, %v", got.Risk, err)
	}
	if _, err := r.edit(v, map[string]string{"text": "See @somebody"}); app.KindOf(err) != app.Conflict {
		t.Errorf("whoever comes too late hears of the words first: %v", err)
	}
}

func (r *room) waiting() int {
	r.t.Helper()
	n, err := r.Store.WaitingFor(r.t.Context(), r.op.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return n.Count
}

// What no tool proposes keeps the sentence about what approval does.
func TestEditOfADossier(t *testing.T) {
	t.Parallel()
	r := newRoom(t, testop.Step("system", "cto.dossier", "cto.dossier", true))
	claim, _ := testop.Start(t, r.Store, r.op, "cto.dossier", r.clock.Now(), r.clock.Now().Add(time.Minute))
	form := app.DossierPayload{Venue: "form", Fields: []app.DossierField{{Label: "Ticker", Value: "DODO", Source: "chain"}, {Label: "Website", Source: "not published yet"}}}
	err := r.Store.AwaitPerson(t.Context(), claim, postgres.Proposal{Kind: app.KindDossier, Payload: form, Risk: app.Risk{Effect: "You submit it by hand."}}, r.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	queue, err := r.Store.PendingValidations(t.Context())
	if err != nil || len(queue) != 1 {
		t.Fatalf("%d wait, %v", len(queue), err)
	}
	got, err := r.edit(queue[0], map[string]string{"field.1": "https://" + r.op.SiteHost})
	if err != nil || got.Risk.Effect != "You submit it by hand." || got.Risk.Marks() != 0 || !strings.Contains(string(got.Payload), edits.Entered) {
		t.Errorf("%s, risk %+v, %v", got.Payload, got.Risk, err)
	}
}

// A person's words repeat no more than an agent's.
func TestAnEditRepeatsNothing(t *testing.T) {
	t.Parallel()
	r := newRoom(t, testop.Step("cm", "cm.daily_post.d03", "cm.daily_post", true), testop.Step("cm", "cm.daily_post.d04", "cm.daily_post", true))
	var drafts []app.Validation
	for key, text := range map[string]string{"cm.daily_post.d03": "Four hundred wallets hold the dodo this morning", "cm.daily_post.d04": "The quiz has a new champion"} {
		drafts = append(drafts, r.draft(key, text))
	}
	var other app.PostPayload
	if err := json.Unmarshal(drafts[1].Payload, &other); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{strings.ToUpper(other.Text): "The same text waits", other.Text + " (7)": "too much like a post that waits"} {
		if _, err := r.edit(drafts[0], map[string]string{"text": text}); app.KindOf(err) != app.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
