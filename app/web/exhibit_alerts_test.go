package web_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/effects"
)

// alarm puts up what went wrong, and calls to the outside in every state.
func (x *exhibit) alarm() {
	seen := today.Add(-time.Hour)
	x.alerts = []app.Alert{ // newest first
		{ID: 9, Kind: "effect_unknown", Subject: "v-d07/1#2", Message: "cm.daily_post.d07: nobody can tell whether this publication went out.", CreatedAt: today.Add(-4 * time.Minute)},
		{ID: 8, Kind: "agent_impersonation", Subject: "tg.weekly_mods.w1", Message: "مرحبا Somebody calls himself an admin.", CreatedAt: today.Add(-9 * time.Minute)},
		{ID: 2, Kind: "unsafe_output", Subject: "cm.daily_post.d09: foreign_address", Message: "CM was refused x_post: a foreign address. It wrote: “" + strings.Repeat("QWxs", 60) + "”", CreatedAt: today.Add(-20 * time.Minute)},
		{ID: 7, Kind: "unsafe_output", Subject: "cm.mentions: link", Message: "CM was refused finish: a link. It wrote: “" + hostile + "”", CreatedAt: today.Add(-30 * time.Minute)},
		{ID: 6, Kind: "validation_overdue", Subject: "v1", Message: "cm.comeback_thread has waited for a decision since 2026-12-07 13:00 UTC.", CreatedAt: today.Add(-40 * time.Minute)},
		{ID: 5, Kind: "budget_warning", Subject: "agent:designer", Message: "80 % of designer's share of the cap is spent: $10.10 of $12.50.", CreatedAt: today.Add(-2 * time.Hour)},
		{ID: 4, Kind: "publication_failed", Subject: "v-d06/0#1", Message: "cm.daily_post.d06 could not be published: X answered 403 Forbidden.", CreatedAt: today.Add(-3 * time.Hour)},
		{ID: 10, Kind: "x_account", Subject: "@dodo_back", Message: "The account on X has to be connected again.", CreatedAt: today.Add(-4 * time.Hour)},
		{ID: 1, Kind: "step_failed", Subject: "cm.daily_post.d08#0/2026-12-06T17:20:00Z", Message: "Daily post, day 8 failed after four runs: the model endpoint answered 429.", CreatedAt: today.Add(-22 * time.Hour)},
		{ID: 3, Kind: "token_name", Subject: "dodo", Message: "The token's name can't be written in a post.", CreatedAt: today.Add(-23 * time.Hour), AcknowledgedAt: &seen, AcknowledgedBy: "ada"},
	}
	for i := range x.alerts {
		x.alerts[i].OperationID, x.alerts[i].OperationSlug = 1, "dodo"
	}
	tried := today.Add(-2 * time.Hour)
	post := func(text string) []byte { return must(effects.Post{Account: "dodo_back", Text: text, ReplyTo: -1}) }
	x.effects = []app.EffectStatus{
		{Effect: app.Effect{ID: 1, Key: "v-thread/0", StepKey: "cm.comeback_thread", Kind: effects.XPost, State: app.EffectDone, Cost: 15_000_000, NotBefore: j0.Add(38 * time.Hour), DoneAt: &tried, Attempt: 1}, ValidationKind: app.KindThread, Link: "https://x.com/dodo_back/status/1"},
		{Effect: app.Effect{ID: 2, Key: "v-d07/1", StepKey: "cm.daily_post.d07", Position: 1, Kind: effects.XPost, State: app.EffectUnknown, Attempt: 2, Fence: 3, AttemptedAt: &tried, Request: post("Day 7. <b>1,262</b> holders never sold."),
			Error: "no answer within 30 s; the account's timeline was not readable", NotBefore: today.Add(-24 * time.Hour)}, ValidationKind: app.KindPost},
		{Effect: app.Effect{ID: 3, Key: "v-d09/0", StepKey: "cm.daily_post.d09", Kind: effects.XPost, State: app.EffectIntent, NotBefore: today.Add(4 * time.Minute), Request: post("Day 9.")}, ValidationKind: app.KindPost},
		{Effect: app.Effect{ID: 4, Key: "v-d06/0", StepKey: "cm.daily_post.d06", Kind: effects.XPost, State: app.EffectFailed, Attempt: 1, Error: "X answered 403 Forbidden: " + strings.Repeat("You are not permitted. ", 6), Request: post("Day 6.")}, ValidationKind: app.KindPost},
		{Effect: app.Effect{ID: 5, Key: "v-tg/2", StepKey: "tg.setup", Position: 2, Kind: effects.TGMessage, State: app.EffectVoid, Error: "the payload was changed after its approval"}, ValidationKind: app.KindTelegram},
	}
	for i := range x.effects {
		x.effects[i].OperationID, x.effects[i].OperationSlug = 1, "dodo"
		x.effects[i].Approval, x.effects[i].ApprovedAt = app.ValidationApproved, &tried
		for _, s := range x.steps {
			if s.Key == x.effects[i].StepKey {
				x.effects[i].StepID = s.ID
			}
		}
	}
}

// ---- web.Attention

func (x *exhibit) AlertPage(_ context.Context, f app.AlertFilter) (p app.AlertPage, err error) {
	defer x.lock()()
	past := f.Before == 0
	for _, a := range x.alerts {
		switch {
		case (a.AcknowledgedAt != nil) != f.Acknowledged, f.Operation != "" && a.OperationSlug != f.Operation, f.Kind != "" && a.Kind != f.Kind:
		case !past:
		case len(p.Items) == f.Limit:
			p.More = true
		default:
			p.Items = append(p.Items, a)
		}
		past = past || a.ID == f.Before
	}
	return p, x.down
}

func (x *exhibit) AlertGroups(context.Context) (groups []app.AlertGroup, err error) {
	defer x.lock()()
	for _, a := range x.alerts {
		if a.AcknowledgedAt != nil {
			continue
		}
		i := slices.IndexFunc(groups, func(g app.AlertGroup) bool { return g.Operation == a.OperationSlug && g.Kind == a.Kind })
		if i < 0 {
			i, groups = len(groups), append(groups, app.AlertGroup{Operation: a.OperationSlug, Kind: a.Kind, At: a.CreatedAt})
		}
		groups[i].Count++
		groups[i].Newest = max(groups[i].Newest, a.ID)
	}
	return groups, x.down
}

func (x *exhibit) acknowledge(by app.User, now time.Time, which func(app.Alert) bool) (n int) {
	defer x.lock()()
	for i, a := range x.alerts {
		if a.AcknowledgedAt == nil && which(a) {
			x.alerts[i].AcknowledgedAt, x.alerts[i].AcknowledgedBy = &now, by.Name
			n++
		}
	}
	return n
}

func (x *exhibit) AcknowledgeAlert(_ context.Context, id int64, by app.User, now time.Time) error {
	if n := x.acknowledge(by, now, func(a app.Alert) bool { return a.ID == id }); n == 0 {
		return app.Errorf(app.Conflict, "ada acknowledged this alert on 7 Dec 2026. Nothing was changed.")
	}
	return x.tell("acknowledge %d by %s", id, by.Name)
}

func (x *exhibit) AcknowledgeAlerts(_ context.Context, operation, kind string, upTo int64, by app.User, now time.Time) (int, error) {
	n := x.acknowledge(by, now, func(a app.Alert) bool { return a.OperationSlug == operation && a.Kind == kind && a.ID <= upTo })
	if n == 0 {
		return 0, app.Errorf(app.Conflict, "Somebody acknowledged these alerts before you. Nothing was changed.")
	}
	return n, x.tell("acknowledge %d %s of %s up to %d by %s", n, kind, operation, upTo, by.Name)
}

func (x *exhibit) DeliveryFaults(context.Context) ([]app.DeliveryFault, error) {
	defer x.lock()()
	return x.faults, x.down
}

func (x *exhibit) EffectsInDoubt(context.Context) (doubts []app.EffectStatus, err error) {
	defer x.lock()()
	for _, e := range x.effects {
		if e.State == app.EffectUnknown {
			doubts = append(doubts, e)
		}
	}
	return doubts, x.down
}

// ---- web.Controls

func (x *exhibit) PauseOperation(_ context.Context, slug string, by app.User, _ time.Time) error {
	return x.tell("pause %s by %s", slug, by.Name)
}

func (x *exhibit) ResumeOperation(_ context.Context, slug string, by app.User, _ time.Time) error {
	return x.tell("resume %s by %s", slug, by.Name)
}

func (x *exhibit) StopOperation(_ context.Context, slug, reason string, by app.User, _ time.Time) error {
	return x.tell("stop %s by %s: %s", slug, by.Name, reason)
}

func (x *exhibit) RaiseCap(_ context.Context, slug string, seen, to app.Nano, reason string, by app.User, _ time.Time) error {
	op := x.op
	if err := op.RaiseCap(seen, to); err != nil {
		return err
	}
	return x.tell("raise %s from %s to %s by %s: %s", slug, seen, to, by.Name, reason)
}

func (x *exhibit) Step(_ context.Context, id int64) (app.Step, error) {
	defer x.lock()()
	for _, s := range x.steps {
		if s.ID == id {
			return s, x.down
		}
	}
	return app.Step{}, app.Errorf(app.NotFound, "There is no such step.")
}

func (x *exhibit) RetryStep(_ context.Context, id int64, reason string, by app.User, _ time.Time) error {
	return x.tell("retry %d by %s: %s", id, by.Name, reason)
}

func (x *exhibit) DraftRest(_ context.Context, id int64, reason string, by app.User, _ time.Time) (string, error) {
	return "v1", x.tell("draft the rest of %d by %s: %s", id, by.Name, reason)
}

func (x *exhibit) FinishPartly(_ context.Context, id int64, reason string, by app.User, _ time.Time) error {
	return x.tell("finish %d by %s: %s", id, by.Name, reason)
}

func (x *exhibit) SkipStep(_ context.Context, id int64, reason string, by app.User, _ time.Time) error {
	return x.tell("skip %d by %s: %s", id, by.Name, reason)
}

func (x *exhibit) RetryEffect(_ context.Context, id int64, reason string, by app.User, _ time.Time) error {
	return x.tell("retry effect %d by %s: %s", id, by.Name, reason)
}

func (x *exhibit) SettleEffect(_ context.Context, said app.Settlement, by app.User, _ time.Time) error {
	e, err := x.Effect(context.Background(), said.EffectID)
	switch {
	case err != nil:
		return err
	case e.Fence != said.Fence:
		return app.Errorf(app.Conflict, "This publication was tried again since you opened the page.")
	case said.Sent:
		if _, _, err := effects.Found(e, said.Link); err != nil {
			return err
		}
	}
	return x.tell("settle %d at %d %t %s by %s", said.EffectID, said.Fence, said.Sent, said.Link, by.Name)
}

func (x *exhibit) Effect(_ context.Context, id int64) (app.Effect, error) {
	defer x.lock()()
	for _, e := range x.effects {
		if e.ID == id {
			return e.Effect, x.down
		}
	}
	return app.Effect{}, app.Errorf(app.NotFound, "There is no such publication.")
}
