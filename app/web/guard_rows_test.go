package web_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/internal/testop"
	"vivra/app/postgres"
	"vivra/app/scoring"
	"vivra/app/web"
	"vivra/app/x"
)

// furnish fills the house: steps at every stage a person can do something
// about, and one of everything that an address names.
func (h *house) furnish() {
	h.t.Helper()
	h.hire()
	h.op = h.begin("dodo", "pending", "unknown", "failed", "decided", "refused", "broken")
	h.must(h.app.Desk.ConnectX(h.t.Context(), "dodo_back", "42", x.Token{AccessToken: "a", RefreshToken: "r", Scopes: []string{"tweet.write"}, ExpiresAt: h.now.Add(time.Hour)}))
	h.rows["accounts/:handle"] = "dodo_back"
	h.rows["steps/:id/rest"] = h.breakOff("broken")
	h.rows["steps/:id/finish"] = h.rows["steps/:id/rest"]
	h.rows["validations/:id"] = h.propose("pending").ID
	h.refuse(h.propose("refused"))
	h.rows["effects/:id/settlement"] = number(h.inDoubt(h.propose("unknown")))
	h.rows["validations/:id/withdrawal"] = h.decide(h.propose("decided"))
	h.rows["steps/:id/retry"] = h.fail("failed")
	h.rows["batches/:kind"] = string(app.KindPost)
	h.rows["operations/:slug"], h.rows["operations/:slug/resumption"] = h.op.Slug, h.pause(h.begin("mola"))
	h.rows["candidates/:chain"] = fmt.Sprint(h.op.Token.Ref.ChainID)
	h.must(h.app.Store.SaveCandidate(h.t.Context(), h.op.Token.ID, app.CandidateTaken, 64, scoring.ReportAt(scoring.Facts{}, scoring.DefaultThresholds(), h.now), h.now))
	h.rows["tokens/:chain"], h.rows["chain/:address"] = fmt.Sprint(h.op.Token.Ref.ChainID), official
	h.rows["settings/:key"], h.rows["static/:name"] = "run.retries", "live.js"
	h.must(h.app.Store.SetSetting(h.t.Context(), "run.retries", json.RawMessage("5"), "test", j0))
	h.alert()
	h.wish()
	h.letIn()
}

// hire makes an account of each role, one that is to leave and one that has.
func (h *house) hire() {
	h.t.Helper()
	hash, err := web.HashPassword("correct horse battery")
	h.must(err)
	for name, role := range map[string]string{"viewer": "viewer", "approver": "approver", "admin": "admin", "leaver": "approver", "gone": "approver"} {
		h.users[name], err = h.app.Store.CreateUser(h.t.Context(), name, role, hash, "test", j0)
		h.must(err)
	}
	h.must(h.app.Store.DisableUser(h.t.Context(), h.users["gone"].ID, h.users["admin"], j0))
	h.rows["users/:id"], h.rows["users/:id/enabling"] = number(h.users["leaver"].ID), number(h.users["gone"].ID)
}

// wish has somebody ask to be left alone.
func (h *house) wish() {
	h.t.Helper()
	const author = "800000001"
	_, err := h.db.Exec(h.t.Context(), `INSERT INTO mention_opt_outs (author_id, operation_id, post_id, at) VALUES ($1, $2, '77', $3)`, author, h.op.ID, h.now)
	h.must(err)
	h.rows["opt-outs/:author"] = author
}

func (h *house) alert() {
	h.t.Helper()
	h.must(h.app.Store.RaiseAlert(h.t.Context(), h.op.ID, "step_failed", "x", "Something is wrong.", h.now))
	alerts, err := h.app.Store.Alerts(h.t.Context())
	h.must(err)
	h.rows["alerts/:id"] = number(alerts[0].ID)
}

// letIn makes what opens the house: a link, a passkey, and browsers beside those
// that the tests come with.
func (h *house) letIn() {
	h.t.Helper()
	ctx, viewer := h.t.Context(), h.users["viewer"]
	h.rows["setup/:token"] = "a-link-that-nobody-has-used"
	h.must(h.app.Store.CreateInvite(ctx, h.rows["setup/:token"], "viewer", h.users["admin"], h.now.Add(time.Hour), h.now))
	invites, err := h.app.Store.OpenInvites(ctx, h.now)
	h.must(err)
	h.must(h.app.Store.AddPasskey(ctx, viewer, app.Passkey{CredentialID: []byte("key"), Name: "Laptop", Credential: json.RawMessage(`{"id": "a2V5"}`)}, h.now))
	h.must(h.app.Store.AddPasskey(ctx, h.users["leaver"], app.Passkey{CredentialID: []byte("another"), Name: "Phone", Credential: json.RawMessage(`{"id": "YW5vdGhlcg=="}`)}, h.now))
	keys, err := h.app.Store.PasskeysOf(ctx, viewer.ID)
	h.must(err)
	h.visitor("viewer")
	h.visitor("leaver")
	sessions, err := h.app.Web.Sessions.SessionsOf(ctx, viewer.ID)
	h.must(err)
	h.rows["invites/:id"], h.rows["passkeys/:id"], h.rows["sessions/:id"] = invites[0].ID, keys[0].ID, sessions[0].ID
}

// pause stops a takeover for a while.
func (h *house) pause(op app.Operation) string {
	h.t.Helper()
	h.must(h.app.Store.PauseOperation(h.t.Context(), op.Slug, h.users["admin"], h.now))
	return op.Slug
}

// begin starts a takeover in which each step writes a post.
func (h *house) begin(slug string, keys ...string) app.Operation {
	h.t.Helper()
	address, err := app.ParseAddress(map[string]string{"dodo": official, "mola": other}[slug])
	h.must(err)
	in := app.NewOperation{Slug: slug, J0: j0, Cap: 25 * app.Dollar, Envelope: 500 * app.Dollar, XHandle: slug + "_back", TelegramChat: -1001000000001,
		Token: app.Token{Ref: app.TokenRef{ChainID: 4663, Address: address}, Name: slug, Symbol: strings.ToUpper(slug), Decimals: 18}}
	steps := make([]app.Step, len(keys))
	for i, key := range keys {
		steps[i] = testop.Step("cm", key, "cm.daily_post", true)
		steps[i].DueAt = j0
	}
	return testop.Of(h.t, h.app.Store, in, steps...)
}

// propose runs a step until its post waits for a person. The run has made a
// picture and a site, too.
func (h *house) propose(key string) app.Validation {
	h.t.Helper()
	ctx := h.t.Context()
	claim, run := h.run(key)
	scope := agent.Scope{Claim: claim, OperationID: h.op.ID, StepID: claim.StepID, StepKey: key, RunID: run.ID, CallID: "call"}
	var meme bytes.Buffer
	h.must(png.Encode(&meme, image.NewGray(image.Rect(0, 0, 8, 8))))
	asset, err := h.app.Desk.SaveAsset(ctx, scope, "meme", meme.Bytes())
	h.must(err)
	build, err := h.app.Desk.SaveBuild(ctx, scope, app.Build{Kind: "site", Template: "signal"}, map[string][]byte{"/index.html": []byte("<p>hi")})
	h.must(err)
	h.rows["assets/:sha256"], h.rows["media/:sha256"], h.rows["builds/:id"], h.rows["id/*"], h.rows["runs/:id"] = asset.SHA256, asset.SHA256, build.ID, "index.html", run.ID
	post := app.PostPayload{Account: "dodo_back", Text: "Day 9, " + key + "."}
	id, err := h.app.Store.Propose(ctx, claim, postgres.Proposal{RunID: run.ID, CallID: "post", Kind: app.KindPost, Payload: post}, h.now)
	h.must(err)
	h.must(h.app.Store.FinishRun(ctx, claim, postgres.RunEnd{RunID: run.ID, Output: []byte(`{}`), Summary: "Finished"}, h.now))
	v, err := h.app.Store.Validation(ctx, id)
	h.must(err)
	return v
}

func (h *house) run(key string) (app.Claim, app.Run) {
	h.t.Helper()
	claim, step := testop.Start(h.t, h.app.Store, h.op, key, h.now, time.Now().Add(time.Hour))
	run, _, err := h.app.Store.OpenRun(h.t.Context(), claim, app.Run{Agent: "cm", Task: step.Task, Model: "gpt-5-mini", PromptSHA256: "p", System: "s", Budget: app.Dollar}, h.now)
	h.must(err)
	h.rows["steps/:id"] = number(step.ID)
	return claim, run
}

// breakOff has a thread of a step stand at its first post.
func (h *house) breakOff(key string) (step string) {
	h.t.Helper()
	ctx := h.t.Context()
	claim, run := h.run(key)
	thread := app.ThreadPayload{Account: "dodo_back", Posts: []app.PostPayload{{Text: "One."}, {Text: "Two."}}}
	id, err := h.app.Store.Propose(ctx, claim, postgres.Proposal{RunID: run.ID, CallID: "thread", Kind: app.KindThread, Payload: thread}, h.now)
	h.must(err)
	h.must(h.app.Store.FinishRun(ctx, claim, postgres.RunEnd{RunID: run.ID, Output: []byte(`{}`), Summary: "Finished"}, h.now))
	v, err := h.app.Store.Validation(ctx, id)
	h.must(err)
	h.must(h.app.Store.EffectDone(ctx, h.attempt(v), postgres.Sent{ProviderID: "9", Link: "https://x.com/dodo_back/status/9", Summary: "Posted on X"}, h.now.Add(-3*time.Hour)))
	all, err := h.app.Store.Effects(ctx, h.op.ID)
	h.must(err)
	e, ok, err := h.app.Store.AttemptEffect(ctx, all[len(all)-1].ID, 0, h.now, time.Now().Add(time.Hour))
	h.must(err)
	if !ok {
		h.t.Fatal("the second post is not attempted")
	}
	h.must(h.app.Store.EffectFailed(ctx, e, errors.New("403"), h.now))
	return number(claim.StepID)
}

// attempt approves an output and begins to send it.
func (h *house) attempt(v app.Validation) app.Effect {
	h.t.Helper()
	applied := testop.Approve(h.t, h.app.Store, v, h.now.Add(-time.Hour))
	effects, err := h.app.Store.Effects(h.t.Context(), h.op.ID)
	h.must(err)
	for _, e := range effects {
		if e.ValidationID == v.ID {
			claimed, ok, err := h.app.Store.AttemptEffect(h.t.Context(), e.ID, 0, applied, time.Now().Add(time.Hour))
			h.must(err)
			if !ok {
				h.t.Fatalf("the effect of %s could not be attempted", v.StepKey)
			}
			return claimed
		}
	}
	h.t.Fatalf("the approval of %s set nothing off", v.StepKey)
	return app.Effect{}
}

// inDoubt leaves nobody knowing whether an output went out.
func (h *house) inDoubt(v app.Validation) (effect int64) {
	h.t.Helper()
	e := h.attempt(v)
	h.must(h.app.Store.EffectUnknown(h.t.Context(), e, "no answer", h.now, h.now))
	return e.ID
}

// refuse has the platform refuse an approved output.
func (h *house) refuse(v app.Validation) {
	h.t.Helper()
	e := h.attempt(v)
	h.must(h.app.Store.EffectFailed(h.t.Context(), e, errors.New("403 Forbidden"), h.now))
	h.rows["effects/:id/retry"] = number(e.ID)
}

// decide approves an output that can still be taken back.
func (h *house) decide(v app.Validation) string {
	h.t.Helper()
	_, err := h.app.Store.ApproveValidation(h.t.Context(), v.Choice(), h.users["approver"], nil, h.now)
	h.must(err)
	return v.ID
}

// fail ends a step for good.
func (h *house) fail(key string) (step string) {
	h.t.Helper()
	claim, run := h.run(key)
	h.must(h.app.Store.FailRun(h.t.Context(), claim, run.ID, errors.New("the model said nothing"), true, nil, h.now))
	return h.rows["steps/:id"]
}
