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

// SignInPasskey takes what a passkey signed; SignInChallenge says what to sign.
func SignInPasskey() string   { return SignIn() + "/passkey" }
func SignInChallenge() string { return SignInPasskey() + "/challenge" }

// The reader's own account.
func Account() string          { return "/admin/account" }
func AccountPassword() string  { return Account() + "/password" }
func AccountPasskeys() string  { return Account() + "/passkeys" }
func AccountChallenge() string { return AccountPasskeys() + "/challenge" }
func PasskeyRemoval(id string) string {
	return AccountPasskeys() + "/" + url.PathEscape(id) + "/removal"
}
func AccountSessionsEnd() string  { return Account() + "/sessions/end" }
func SessionEnd(id string) string { return Account() + "/sessions/" + url.PathEscape(id) + "/end" }

// The accounts on X. XConnections is where somebody sets out to connect one;
// XTried is the list with what became of that.
func XAccounts() string             { return "/admin/accounts" }
func XCallback() string             { return XAccounts() + "/callback" }
func XConnections() string          { return XAccounts() + "/connections" }
func XTried(id string) string       { return withQuery(XAccounts(), url.Values{"tried": {id}}) }
func XAccount(handle string) string { return XAccounts() + "#" + XAccountID(handle) }
func XDisconnection(handle string) string {
	return XAccounts() + "/" + url.PathEscape(handle) + "/disconnection"
}

// XAccountID is the DOM id of an account on X.
func XAccountID(handle string) string { return "x-" + handle }

// The accounts of the team.
func Users() string                       { return "/admin/users" }
func UserDisabling(id int64) string       { return user(id) + "/disabling" }
func UserEnabling(id int64) string        { return user(id) + "/enabling" }
func UserPasskeysRemoval(id int64) string { return user(id) + "/passkeys/removal" }
func UserReset(id int64) string           { return user(id) + "/reset" }
func UserRole(id int64) string            { return user(id) + "/role" }
func UserSignOut(id int64) string         { return user(id) + "/sign-out" }
func Invites() string                     { return Users() + "/invites" }
func InviteRevocation(id string) string   { return Invites() + "/" + url.PathEscape(id) + "/revocation" }

func user(id int64) string { return Users() + "/" + number(id) }

func Alerts() string              { return "/admin/alerts" }
func Audit() string               { return "/admin/audit" }
func AuditBefore(id int64) string { return Audit() + "?before=" + number(id) }
func AlertAcknowledgement(id int64) string {
	return "/admin/alerts/" + number(id) + "/acknowledgement"
}

func Asset(sha string) string { return "/admin/assets/" + url.PathEscape(sha) }

// Build is one file of a built site; path begins with a slash.
func Build(id, path string) string { return "/admin/builds/" + url.PathEscape(id) + path }

func EffectRetry(id int64) string      { return "/admin/effects/" + number(id) + "/retry" }
func EffectSettlement(id int64) string { return "/admin/effects/" + number(id) + "/settlement" }

func AdminOperations() string                { return "/admin/operations" }
func NewOperation() string                   { return "/admin/operations/new" }
func AdminOperation(slug string) string      { return "/admin/operations/" + url.PathEscape(slug) }
func OperationCap(slug string) string        { return AdminOperation(slug) + "/cap" }
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
func StepRest(id int64) string    { return "/admin/steps/" + number(id) + "/rest" }
func StepFinish(id int64) string  { return "/admin/steps/" + number(id) + "/finish" }
func StepSkip(id int64) string    { return "/admin/steps/" + number(id) + "/skip" }
func Validations() string         { return "/admin/validations" }
func Validation(id string) string { return "/admin/validations/" + url.PathEscape(id) }

// Queue says which part of the queue a page shows beside its output.
type Queue struct {
	// Around is the waiting output that the list is cut around, empty: the
	// output that is shown.
	Around string
	// Decided is the output whose decision led here.
	Decided string
}

func (q Queue) query() url.Values {
	values := url.Values{}
	if q.Around != "" {
		values.Set("around", q.Around)
	}
	if q.Decided != "" {
		values.Set("decided", q.Decided)
	}
	return values
}

// QueueAt is the queue with that output, "" the oldest.
func QueueAt(id string, q Queue) string {
	path := Validations()
	if id != "" {
		path = Validation(id)
	}
	return withQuery(path, q.query())
}

// ValidationsLive keeps the queue up to date; current is the output beside it.
func ValidationsLive(current string, q Queue) string {
	values := q.query()
	values.Set("current", current)
	return withQuery("/admin/validations/live", values)
}
func ValidationApproval(id string) string   { return Validation(id) + "/approval" }
func ValidationDraft(id string) string      { return Validation(id) + "/draft" }
func ValidationRejection(id string) string  { return Validation(id) + "/rejection" }
func ValidationWithdrawal(id string) string { return Validation(id) + "/withdrawal" }

// ValidationBatch is where several outputs of a kind are approved together.
func ValidationBatch(kind string) string {
	return Validations() + "/batches/" + url.PathEscape(kind)
}

func number(id int64) string { return strconv.FormatInt(id, 10) }
