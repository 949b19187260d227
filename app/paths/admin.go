package paths

import (
	"net/url"
	"strconv"
)

// The pages of the team.

func Admin() string             { return "/admin" }
func SignIn() string            { return "/admin/sign-in" }
func SignOut() string           { return "/admin/sign-out" }
func Setup(token string) string { return "/admin/setup/" + url.PathEscape(token) }
func Alerts() string            { return "/admin/alerts" }
func Audit() string             { return "/admin/audit" }
func AlertAcknowledgement(id int64) string {
	return "/admin/alerts/" + number(id) + "/acknowledgement"
}

func Asset(sha string) string { return "/admin/assets/" + url.PathEscape(sha) }

// Build is one file of a built site; path begins with a slash.
func Build(id, path string) string { return "/admin/builds/" + url.PathEscape(id) + path }

func EffectSettlement(id int64) string { return "/admin/effects/" + number(id) + "/settlement" }

func AdminOperations() string                { return "/admin/operations" }
func NewOperation() string                   { return "/admin/operations/new" }
func AdminOperation(slug string) string      { return "/admin/operations/" + url.PathEscape(slug) }
func OperationPause(slug string) string      { return AdminOperation(slug) + "/pause" }
func OperationResumption(slug string) string { return AdminOperation(slug) + "/resumption" }
func OperationStop(slug string) string       { return AdminOperation(slug) + "/stop" }

func Prices() string { return "/admin/prices" }

func Run(id string) string { return "/admin/runs/" + url.PathEscape(id) }

// RunLive goes on after the transcript's entry with that number.
func RunLive(id string, after int) string {
	return withQuery(Run(id)+"/live", url.Values{"after": {strconv.Itoa(after)}})
}

func Settings() string { return "/admin/settings" }

// Setting is where a value is sent to; the page has all of them.
func Setting(key string) string        { return "/admin/settings/" + url.PathEscape(key) }
func SettingDefault(key string) string { return Setting(key) + "/default" }

// SettingAnchor is one setting on its page.
func SettingAnchor(key string) string { return Settings() + "#" + SettingID(key) }

// StepRun is the newest run of a step.
func StepRun(id int64) string     { return "/admin/steps/" + number(id) + "/run" }
func StepRuns(id int64) string    { return "/admin/steps/" + number(id) + "/runs" }
func StepRetry(id int64) string   { return "/admin/steps/" + number(id) + "/retry" }
func StepSkip(id int64) string    { return "/admin/steps/" + number(id) + "/skip" }
func Validations() string         { return "/admin/validations" }
func Validation(id string) string { return "/admin/validations/" + url.PathEscape(id) }

// ValidationsLive keeps the queue up to date; current is the output beside it.
func ValidationsLive(current string) string {
	return withQuery("/admin/validations/live", url.Values{"current": {current}})
}
func ValidationApproval(id string) string  { return Validation(id) + "/approval" }
func ValidationRejection(id string) string { return Validation(id) + "/rejection" }

func number(id int64) string { return strconv.FormatInt(id, 10) }
