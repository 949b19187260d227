package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/effects"
)

func (x *exhibit) propose() {
	clean := app.Risk{Addresses: []app.FoundAddress{{Address: official, Matches: true}}, Links: []app.FoundLink{{URL: "https://dodo.vivra.example", Allowed: true}}, PublishPrice: 260_000_000, Effect: "Posts 4 in order as @dodo_back, then marks the step done."}
	risky := app.Risk{Addresses: []app.FoundAddress{{Address: other}}, Sources: []string{"14 posts on X"}, Tainted: true, Problems: []string{"Promises a price"}, PublishPrice: 15_000_000, Effect: "Posts it as @dodo_back."}
	out := func(step string, v any) app.OutputPayload { return app.OutputPayload{Step: step, Output: must(v)} }
	x.offer("cm.comeback_thread", "cm", app.KindThread, thread, clean)
	x.offer("cm.daily_post.d09", "cm", app.KindPost, app.PostPayload{Account: "dodo_back", Text: "Day 9. It will 10x. Send to " + other + " " + hostile, Media: []app.Media{{SHA256: sha("meme"), MIME: "image/png", Alt: "A dodo"}}}, risky)
	x.offer("designer.poll", "designer", app.KindPoll, poll, clean)
	x.offer("cm.account_setup", "cm", app.KindProfile, app.ProfilePayload{Account: "dodo_back", Name: "Dodo", Bio: "Dodo is back, in the open. Automated account, every post approved by a person.", URL: "https://dodo.vivra.example", Picture: app.Media{SHA256: sha("pfp"), MIME: "image/png", Alt: "The new logo"}, Banner: app.Media{SHA256: sha("banner"), MIME: "image/png", Alt: "Banner"}, Checklist: []string{"Set the name", "Set the bio", "Turn on the automated label"}}, clean)
	x.offer("tg.setup", "tg_bot", app.KindTelegram, app.TelegramSetupPayload{Chat: -100, Title: "Dodo", Description: "The one group of Dodo.", Rules: "1. No other address.\n2. Be kind.", Pinned: "Official address:\n" + official + "\nAdmins never write first.", OfficialAddress: official}, clean)
	x.offer("webdev.publish", "webdev", app.KindSite, site, clean)
	x.offer("builder.utility", "builder", app.KindUtility, app.UtilityPayload{Host: "dodo.vivra.example", Path: "/leaderboard", BuildID: "b2", Template: "holders-leaderboard", Config: must(map[string]int{"rows": 50}), ManifestSHA256: sha("u")}, clean)
	x.offer("scanner.go_nogo", "scanner", app.KindGoNoGo, out("scanner.go_nogo", map[string]any{"decision": "go", "reasons": []string{"1,262 holders never sold."}, "blocking": []string{}}), app.Risk{Effect: "Starts the takeover: the buyback request is written and the account is set up."})
	x.offer("designer.directions", "designer", app.KindDirection, out("designer.directions", map[string]any{"directions": []map[string]any{
		direction("Harbour"), direction("Museum piece"), direction("Night shift")}}), app.Risk{Effect: "Accepts the three directions; the poll asks about them."})
	memes := make([]string, 20)
	for i := range memes {
		memes[i] = sha(fmt.Sprint("meme", i))
	}
	x.offer("designer.kit", "designer", app.KindKit, out("designer.kit", map[string]any{"direction": 1, "logo": map[string]string{"64": sha("l64"), "128": sha("l128"), "1024": sha("l1024")}, "pfp_400": sha("pfp"), "memes": memes}), app.Risk{Effect: "Accepts the kit."})
	x.offer("tg.weekly_mods.w1", "tg_bot", app.KindMods, out("tg.weekly_mods", map[string]any{"candidates": []map[string]string{{"member": "@ada", "reason": "7 days active, 31 answers, no violation."}}}), app.Risk{Effect: "Accepts the shortlist."})
	x.offer("scanner.verdict", "scanner", app.KindVerdict, out("scanner.verdict", map[string]any{"verdict": "revived", "criteria": []map[string]any{{"id": "holders", "baseline": "1,262", "value": "1,470", "threshold": "1,452", "met": true}, {"id": "market_cap", "baseline": "$4,118", "value": "$5,000", "threshold": "$6,177", "met": false}}, "summary": "Three of four hold."}), app.Risk{Effect: "Makes the verdict's words public."})
	x.offer("cto.dossier", "system", app.KindDossier, forms(), app.Risk{Addresses: []app.FoundAddress{{Address: official, Matches: true}}, Effect: "Nothing is sent: you submit the forms by hand, then say here what became of each."})
	x.offer("handover", "system", app.KindHandover, app.HandoverPayload{Items: []string{"The account belongs to the community", "The site's domain was handed over"}}, app.Risk{Effect: "Completes the operation."})
	x.validations[0].DraftNo, x.validations[0].PreviousReason = 2, "Post 3 promises a price. Say what was built instead."
	x.history()
}

func direction(name string) map[string]any {
	return map[string]any{"name": name, "concept": "A quiet idea in two colours that reads at 16 pixels.", "palette": []string{"#10312b", "#57c493", "#f3f1ea", "#b3261e"}, "logo_asset": sha(name + "logo"), "board_asset": sha(name + "board")}
}

// offer has an output wait, each a while after the one before.
func (x *exhibit) offer(step, agent string, kind app.ValidationKind, payload any, risk app.Risk) {
	n := x.queue.offered
	x.queue.offered++
	x.add(app.Validation{ID: fmt.Sprintf("v%d", n+1), StepKey: step, Agent: agent, Kind: kind, Payload: must(payload), Risk: risk, CreatedAt: today.Add(-time.Duration(140-7*n) * time.Minute)})
}

// add freezes a draft as the store does, and keeps it.
func (x *exhibit) add(v app.Validation) {
	v.OperationID, v.OperationSlug, v.TokenSymbol, v.StepID, v.RunID, v.RunCost = 1, "dodo", "DODO", 1, "run-1", 41_200_000
	v.State, v.DraftNo, v.Nonce = app.ValidationPending, max(v.DraftNo, 1), "nonce-"+v.ID
	v.PayloadSHA256 = app.SHA256Hex(v.Payload)
	frozen, err := effects.Freeze(v.Kind, v.Payload, effects.Binding{OfficialAddress: x.op.Token.Ref.Address.Hex(), Account: x.op.XHandle, AccountID: "1845", Chat: x.op.TelegramChat, Host: x.op.SiteHost})
	if err != nil {
		panic(err)
	}
	v.Frozen = must(frozen)
	v.FrozenSHA256 = app.SHA256Hex(v.Frozen)
	x.validations = append(x.validations, v)
}

// history is what was decided before: w1 went out but for its last call, w2 was
// rejected, w3 was edited by ada into w4, which bob approved as the second.
func (x *exhibit) history() {
	at := today.Add(-20 * time.Hour)
	x.add(app.Validation{ID: "w1", StepKey: "cm.utility_post", Agent: "cm", Kind: app.KindThread, Payload: must(thread), CreatedAt: at})
	x.settled("w1", app.ValidationApproved, "bob", "")
	x.add(app.Validation{ID: "w2", StepKey: "cm.daily_post.d06", Agent: "cm", Kind: app.KindPost, Payload: must(app.PostPayload{Account: "dodo_back", Text: "Day 6. The chart is next."}), CreatedAt: at.Add(time.Hour)})
	x.settled("w2", app.ValidationRejected, "ada", "It promises a price.")
	x.add(app.Validation{ID: "w3", StepKey: "scanner.go_nogo", Agent: "scanner", Kind: app.KindGoNoGo, Payload: must(app.OutputPayload{Step: "scanner.go_nogo", Output: must(map[string]any{"decision": "go", "reasons": []string{"1,262 holders never sold."}})}), CreatedAt: at})
	x.settled("w3", app.ValidationVoid, "", "")
	x.last().VoidReason = "the official address was another one: 0x1111…1111, now 0x39db…4571"
	x.add(app.Validation{ID: "w4", StepKey: "cto.dossier", Agent: "system", Kind: app.KindDossier, Payload: must(app.DossierPayload{Venue: "Takeover form", Fields: []app.DossierField{{Label: "Contract", Value: official, Source: "token"}, {Label: "Proof of inactivity", Source: "nothing found"}}}), CreatedAt: at})
	x.settled("w4", app.ValidationApproved, "ada", "")
	x.last().Receipts = []app.Receipt{{Venue: "form", Name: "Takeover form", Link: "https://forms.example/r/1", By: "ada", At: at}}
	sent := at.Add(time.Hour)
	for i, state := range []app.EffectState{app.EffectDone, app.EffectDone, app.EffectUnknown, app.EffectIntent} {
		e := app.EffectStatus{Effect: app.Effect{ID: int64(10 + i), OperationID: 1, ValidationID: "w1", StepKey: "cm.utility_post", Position: i, Kind: effects.XPost, State: state, NotBefore: sent, Request: json.RawMessage(`{}`)}, ValidationKind: app.KindThread}
		switch state {
		case app.EffectDone:
			e.DoneAt, e.Cost, e.Link = &sent, 15_000_000, fmt.Sprintf("https://x.com/dodo_back/status/%d", 20+i)
		case app.EffectUnknown:
			e.Error = "no answer within 30 s"
		}
		x.queue.sent = append(x.queue.sent, e)
	}
}

func (x *exhibit) last() *app.Validation { return &x.validations[len(x.validations)-1] }

// settled has the newest draft decided long ago.
func (x *exhibit) settled(id string, state app.ValidationState, by, reason string) {
	v := x.last()
	at := v.CreatedAt.Add(4 * time.Minute)
	v.State, v.DecidedBy, v.Reason, v.DecidedAt, v.AppliesAt, v.AppliedAt = state, by, reason, &at, &at, &at
	if by == "" {
		v.DecidedAt = nil
	}
}

// find returns the output of that id as the exhibit holds it.
func (x *exhibit) find(t *testing.T, id string) *app.Validation {
	t.Helper()
	i := slices.IndexFunc(x.validations, func(v app.Validation) bool { return v.ID == id })
	if i < 0 {
		t.Fatalf("the exhibit has no output %s", id)
	}
	return &x.validations[i]
}
