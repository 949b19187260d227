package ui

import (
	"strings"

	"vivra/app"
)

var titles = map[string]string{
	"scanner.full_report":   "Full report",
	"scanner.go_nogo":       "Go or no-go",
	"scanner.daily_metrics": "Daily metrics",
	"scanner.verdict":       "Verdict",
	"buyback.start":         "Buyback request",
	"cm.account_setup":      "Account set-up on X",
	"cm.verification_post":  "Verification post",
	"cm.rebrand":            "Rebrand on X",
	"cm.comeback_thread":    "Comeback thread",
	"cm.utility_post":       "Utility post",
	"cm.daily_post":         "Daily post",
	"cm.verdict_post":       "Verdict post",
	"cm.mentions":           "Mentions read",
	"cm.mention_reply":      "Reply to a mention",
	"cto.dossier":           "Takeover dossier",
	"designer.directions":   "Three directions",
	"designer.poll":         "Community poll",
	"designer.poll_results": "Poll results",
	"designer.kit":          "Brand kit",
	"tg.setup":              "Telegram group set-up",
	"tg.weekly_mods":        "Moderator shortlist",
	"webdev.build":          "Build the site",
	"webdev.publish":        "Publish the site",
	"builder.utility":       "Utility",
	"handover":              "Handover",
}

// StepTitle names a step for people: "Daily post, day 7".
func StepTitle(key string) string {
	if title := titles[key]; title != "" {
		return title
	}
	cut := strings.LastIndexByte(key, '.')
	if cut < 0 || cut+2 > len(key) || titles[key[:cut]] == "" {
		return key
	}
	number := strings.TrimLeft(key[cut+2:], "0")
	switch key[cut+1] {
	case 'd':
		return titles[key[:cut]] + ", day " + number
	case 'w':
		return titles[key[:cut]] + ", week " + number
	}
	if c := key[cut+1]; c >= '0' && c <= '9' { // a post's number, which tells nobody anything
		return titles[key[:cut]]
	}
	return key
}

// BesideTitle says what a step beside the calendar is: "Read 12 mentions". A
// reply is named by whom it is to where that may be told.
func BesideTitle(task, key string, mentions int, to string) string {
	if task == app.MentionsTask && mentions > 0 {
		return "Read " + Count(mentions, "mention", "mentions")
	}
	return ReplyTitle(key, to)
}

// ReplyTitle names a step for the team, a reply by the name of whom it is to
// where that is known.
func ReplyTitle(key, to string) string {
	if to == "" {
		return StepTitle(key)
	}
	return "Reply to @" + to
}

// AgentName names an agent for people.
func AgentName(agent string) string {
	switch agent {
	case "scanner":
		return "Scanner"
	case "designer":
		return "Designer"
	case "webdev":
		return "Webdev"
	case "cm":
		return "CM"
	case "tg_bot":
		return "Telegram"
	case "builder":
		return "Builder"
	case "system", "":
		return "Vivra"
	}
	return agent
}

// KindName names what is to be decided.
func KindName(k app.ValidationKind) string {
	switch k {
	case app.KindPost:
		return "X post"
	case app.KindThread:
		return "X thread"
	case app.KindPoll:
		return "Poll"
	case app.KindProfile:
		return "X profile"
	case app.KindTelegram:
		return "Telegram group"
	case app.KindSite:
		return "Site"
	case app.KindUtility:
		return "Utility"
	case app.KindGoNoGo:
		return "Go or no-go"
	case app.KindDirection:
		return "Three directions"
	case app.KindKit:
		return "Brand kit"
	case app.KindMods:
		return "Moderator shortlist"
	case app.KindVerdict:
		return "Verdict"
	case app.KindDossier:
		return "Dossier"
	case app.KindHandover:
		return "Handover"
	}
	return string(k)
}

// EventKindName names a kind of log line.
func EventKindName(kind string) string { return strings.ReplaceAll(kind, "_", " ") }

// StepWord says where a step stands.
func StepWord(s app.StepState) string {
	switch s {
	case app.StepPending:
		return "planned"
	case app.StepWaiting:
		return "waits for a person"
	}
	return string(s)
}

// StepTone is the colour class of a step's state; the word is always beside it.
func StepTone(s app.StepState) string {
	switch s {
	case app.StepRunning:
		return "run"
	case app.StepWaiting:
		return "wait"
	case app.StepDone:
		return "live"
	case app.StepFailed:
		return "bad"
	case app.StepSkipped, app.StepCancelled:
		return "off"
	}
	return ""
}

// OperationTone is the colour class of an operation's state.
func OperationTone(s app.OperationState) string {
	switch s {
	case app.OperationRunning:
		return "run"
	case app.OperationPaused:
		return "wait"
	case app.OperationStopped:
		return "bad"
	case app.OperationCompleted:
		return "live"
	}
	return ""
}

// VerdictWord says what a verdict found.
func VerdictWord(verdict string) string {
	switch verdict {
	case "revived":
		return "revived"
	case "dead_again":
		return "dead again"
	}
	return verdict
}

// CostSource says where a cost figure comes from.
func CostSource(source string) string {
	switch source {
	case "gateway":
		return "price as billed"
	case "table":
		return "table price"
	case "price_list":
		return "list price"
	case "bound":
		return "the most it can have been"
	}
	return ""
}

// sourceSentence says the same of a sum.
func sourceSentence(source app.CostSource) string {
	switch source {
	case app.CostGateway:
		return "As the gateway billed it"
	case app.CostTable:
		return "Tokens by our price list"
	case app.CostPriceList:
		return "By a platform's price list"
	case app.CostBound:
		return "The most it can have been, where no usage came back"
	}
	return "Of no named source"
}

// CandidateWord says where a candidate stands.
func CandidateWord(s app.CandidateState) string {
	if s == app.CandidateTaken {
		return "taken over"
	}
	return string(s)
}
