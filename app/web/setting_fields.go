package web

import (
	"encoding/json"
	"slices"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/views/ui"
)

// settingField is one setting as the page shows and takes it.
type settingField struct {
	key, title, help string
	settingKind
	standard any  // the default, as it would be stored
	priced   bool // its value names a model that must have a price
	// means says in a sentence what follows from a value that holds; nil: the
	// value says it.
	means func(value string) string
}

// settingGroup is a heading of the page.
type settingGroup struct {
	id, title, intro string
	fields           []settingField
}

// settingGroups are the settings that a person can change, in the page's order.
func settingGroups(all []agent.Agent) []settingGroup {
	d := app.DefaultSettings()
	seconds := func(t time.Duration) int64 { return int64(t / time.Second) }
	return []settingGroup{
		{id: "runs", title: "Runs", intro: "What bounds one run of an agent. A change holds from the next run on.", fields: []settingField{
			{key: "run.max_turns", title: "Turns of a run", help: "A run that has no output by then has failed.", settingKind: whole(1, 100, "turns"), standard: d.MaxTurns},
			{key: "run.max_time_s", title: "Time of a run", help: "Of the wall clock, waits for the model and for tools included.", settingKind: span(30*time.Second, 2*time.Hour), standard: seconds(d.MaxRunTime)},
			{key: "run.retries", title: "Recoveries of a run", help: "One allowance for all of them: a call sent again, an empty answer, an output that did not fit, a reminder.", settingKind: whole(0, 20, "recoveries"), standard: d.Retries},
			{key: "step.retries_s", title: "Waits before a failed run is tried again", help: "After the last one the step waits for a person.", settingKind: waits(24 * time.Hour), standard: wholeSeconds(d.StepRetries)},
		}},
		{id: "budgets", title: "Budgets and shares", intro: "An agent's share is a part of the operation's cap that it can't pass. Shares may overlap: they are walls and not a division. A change holds from the agent's next run on.",
			fields: append([]settingField{
				{key: "budget.warning_percent", title: "Warning", help: "The part of a cap or of a share that raises an alert, once.", settingKind: whole(1, 100, "percent"), standard: d.BudgetWarning},
			}, perAgent(all, func(a agent.Agent) []settingField {
				return []settingField{{key: "budget.share_percent." + a.Name, title: "Share of " + ui.AgentName(a.Name), settingKind: whole(1, 100, "percent of the cap"), standard: int64(d.Share(a.Name, 100))}}
			})...)},
		{id: "models", title: "Models", intro: "Named as the endpoint calls them. A fallback is asked when the model itself can't answer, and the run then stays with it; an empty one is none. Each needs a price: the worst cost of a call is reserved before it is made.",
			fields: perAgent(all, func(a agent.Agent) []settingField {
				return []settingField{
					{key: "llm.model." + a.Name, title: "Model of " + ui.AgentName(a.Name), settingKind: modelName(false), standard: a.Model, priced: true},
					{key: "llm.fallback." + a.Name, title: "Fallback of " + ui.AgentName(a.Name), settingKind: modelName(true), standard: a.Fallback, priced: true},
				}
			})},
		{id: "validation", title: "Validation", intro: "What a person decides, and when the team is reminded of it. An agent whose outputs no person must approve has them approved by policy at once, posts included, unless its run read text from outside. Go or no-go, dossier and handover wait for a person all the same.", fields: append([]settingField{
			{key: "validation.max_rejections", title: "Rejections before a step stops", help: "The step then waits for a person.", settingKind: whole(1, 20, "rejections"), standard: d.MaxRejections},
			{key: "validation.overdue_after_s", title: "Overdue after", help: "An output that waits longer raises an alert.", settingKind: span(time.Minute, 30*24*time.Hour), standard: seconds(d.OverdueAfter)},
			{key: "validation.undo_s", title: "Time to undo a decision", help: "Nothing follows from a decision before it has passed.", settingKind: span(0, 12*time.Hour), standard: seconds(d.Undo)},
			{key: "validation.approval_expires_s", title: "Approvals expire after", help: "What was approved and could not be published by then waits for a person anew.", settingKind: span(time.Hour, 30*24*time.Hour), standard: seconds(d.ApprovalExpires)},
			{key: "validation.second_approver", title: "Two people approve go or no-go and handover", help: "Each signs in with an account of their own.", settingKind: yesNo(), standard: d.SecondApprover},
		}, perAgent(all, func(a agent.Agent) []settingField {
			return []settingField{{key: "validation_required." + a.Name, title: "A person approves the outputs of " + ui.AgentName(a.Name), settingKind: yesNo(), standard: a.Validation}}
		})...)},
		{id: "x", title: "X", intro: "What is published on X, and how often.", fields: []settingField{
			{key: "x.post_spacing_s", title: "Least time between two posts of an account", settingKind: span(0, 7*24*time.Hour), standard: seconds(d.PostSpacing)},
			{key: "poll.duration_s", title: "Duration of the community's poll", settingKind: span(5*time.Minute, 7*24*time.Hour), standard: seconds(d.PollDuration)},
			{key: "x.banned_phrases", title: "What no post may say", help: "In whatever spelling. Denied, it passes: nothing is guaranteed.", settingKind: phrases(), standard: d.BannedPhrases,
				means: phrasesMean},
			{key: "x.mentions_every_s", title: "How often mentions are read", settingKind: span(time.Minute, 24*time.Hour), standard: seconds(d.MentionsEvery)},
			{key: "x.mentions_daily_cents", title: "Most that reading them may cost an operation in a day", help: "When it is spent, reading goes on the next day (UTC) where it stopped: nothing is left out.", settingKind: whole(10, 100_000, "cents"), standard: int64(d.MentionsDaily * 100 / app.Dollar)},
			{key: "x.ai_reply_approval", title: "Approval of automated replies", help: "Where the platform's written approval is kept. Without it mentions are never answered.", settingKind: reference(500), standard: d.XReplyApproval, means: repliesMean},
		}},
		{id: "links", title: "Links", intro: "Where outgoing texts may link to, beside the operation's own site.", fields: []settingField{
			{key: "links.allowlist", title: "Hosts and pages", help: "Agents are told, and what they propose is held to it, from the next run on.", settingKind: hosts(), standard: append([]string{}, d.LinkAllowlist...)},
		}},
	}
}

func perAgent(all []agent.Agent, fields func(agent.Agent) []settingField) []settingField {
	var found []settingField
	for _, a := range all {
		found = append(found, fields(a)...)
	}
	return found
}

func wholeSeconds(waits []time.Duration) []int64 {
	all := make([]int64, len(waits))
	for i, w := range waits {
		all[i] = int64(w / time.Second)
	}
	return all
}

// shown is a stored value as a person reads it.
func (f settingField) shown(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return f.byDefault()
	}
	return f.show(raw)
}

func (f settingField) byDefault() string {
	raw, err := json.Marshal(f.standard)
	if err != nil {
		return ""
	}
	return f.show(raw)
}

func findSetting(groups []settingGroup, key string) (settingField, bool) {
	for _, g := range groups {
		if i := slices.IndexFunc(g.fields, func(f settingField) bool { return f.key == key }); i >= 0 {
			return g.fields[i], true
		}
	}
	return settingField{}, false
}
