package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"vivra/app/paths"
)

// Access says who may use a route.
type Access int

// From everyone to admins only.
const (
	Everyone Access = iota // no session at all
	Visitor                // the pages that open a session
	Viewer
	Approver
	Admin
)

// Route is one line of the map of the site.
type Route struct {
	Method, Path string
	Access       Access
	handle       echo.HandlerFunc
}

// Routes is the map of the site, ordered by URL.
func (s *Server) Routes() []Route {
	const get, post = http.MethodGet, http.MethodPost
	return []Route{
		{get, "/", Everyone, s.showHome},
		{get, "/admin", Viewer, s.showDashboard},
		{get, "/admin/account", Viewer, s.showAccount},
		{get, "/admin/account/*", Viewer, redirectTo(paths.Account())},
		{post, "/admin/account/passkeys", Viewer, s.createPasskey},
		{post, "/admin/account/passkeys/:id/removal", Viewer, s.createPasskeyRemoval},
		{post, "/admin/account/passkeys/challenge", Viewer, s.createPasskeyChallenge},
		{post, "/admin/account/password", Viewer, s.updatePassword},
		{post, "/admin/account/sessions/:id/end", Viewer, s.createSessionEnd},
		{post, "/admin/account/sessions/end", Viewer, s.createOtherSessionsEnd},
		{get, "/admin/accounts", Viewer, s.indexXAccounts},
		{get, "/admin/accounts/*", Viewer, redirectTo(paths.XAccounts())},
		{post, "/admin/accounts/:handle/disconnection", Admin, s.createXDisconnection},
		{get, "/admin/accounts/callback", Admin, s.finishXConnection},
		{post, "/admin/accounts/connections", Admin, s.createXConnection},
		{get, "/admin/alerts", Viewer, s.indexAlerts},
		{post, "/admin/alerts/acknowledgement", Approver, s.createAlertsAcknowledgement},
		{get, "/admin/alerts/live", Viewer, s.liveAlerts},
		{post, "/admin/alerts/:id/acknowledgement", Approver, s.createAlertAcknowledgement},
		{get, "/admin/assets/:sha256", Viewer, s.showAsset},
		{get, "/admin/audit", Viewer, s.indexAudit},
		{get, "/admin/builds/:id/*", Viewer, s.showBuild},
		{post, "/admin/effects/:id/retry", Admin, s.createEffectRetry},
		{post, "/admin/effects/:id/settlement", Admin, s.createEffectSettlement},
		{get, "/admin/operations", Viewer, s.indexAdminOperations},
		{post, "/admin/operations", Admin, s.createOperation},
		{get, "/admin/operations/new", Admin, s.newOperation},
		{get, "/admin/operations/:slug", Viewer, s.showAdminOperation},
		{post, "/admin/operations/:slug/cap", Admin, s.createOperationCap},
		{get, "/admin/operations/:slug/mentions", Viewer, s.indexMentions},
		{post, "/admin/operations/:slug/opt-outs/:author/removal", Approver, s.createOptOutRemoval},
		{post, "/admin/operations/:slug/pause", Admin, s.createOperationPause},
		{post, "/admin/operations/:slug/resumption", Admin, s.createOperationResumption},
		{post, "/admin/operations/:slug/stop", Admin, s.createOperationStop},
		{get, "/admin/prices", Viewer, s.indexPrices},
		{get, "/admin/runs/:id", Viewer, s.showRun},
		{get, "/admin/runs/:id/live", Viewer, s.liveRun},
		{get, "/admin/settings", Viewer, s.indexSettings},
		{get, "/admin/settings/:key", Viewer, s.showSetting},
		{post, "/admin/settings/:key", Admin, s.updateSetting},
		{get, "/admin/settings/:key/default", Viewer, s.showSetting},
		{post, "/admin/settings/:key/default", Admin, s.createSettingDefault},
		{get, "/admin/setup/:token", Visitor, s.newAccount},
		{post, "/admin/setup/:token", Visitor, s.createAccount},
		{get, "/admin/sign-in", Visitor, s.newSession},
		{post, "/admin/sign-in", Visitor, s.createSession},
		{get, "/admin/sign-in/*", Visitor, redirectTo(paths.SignIn())},
		{post, "/admin/sign-in/passkey", Visitor, s.createPasskeySession},
		{post, "/admin/sign-in/passkey/challenge", Visitor, s.createSignInChallenge},
		{post, "/admin/sign-out", Viewer, s.deleteSession},
		{post, "/admin/steps/:id/finish", Admin, s.createStepFinish},
		{post, "/admin/steps/:id/rest", Admin, s.createStepRest},
		{post, "/admin/steps/:id/retry", Admin, s.createStepRetry},
		{get, "/admin/steps/:id/run", Viewer, s.showStepRun},
		{get, "/admin/steps/:id/runs", Viewer, s.indexStepRuns},
		{post, "/admin/steps/:id/skip", Admin, s.createStepSkip},
		{get, "/admin/users", Admin, s.indexUsers},
		{get, "/admin/users/*", Admin, redirectTo(paths.Users())},
		{post, "/admin/users/:id/disabling", Admin, s.createUserDisabling},
		{post, "/admin/users/:id/enabling", Admin, s.createUserEnabling},
		{post, "/admin/users/:id/passkeys/removal", Admin, s.createUserPasskeysRemoval},
		{post, "/admin/users/:id/reset", Admin, s.createUserReset},
		{post, "/admin/users/:id/role", Admin, s.updateUserRole},
		{post, "/admin/users/:id/sign-out", Admin, s.createUserSignOut},
		{post, "/admin/users/invites", Admin, s.createInvite},
		{post, "/admin/users/invites/:id/revocation", Admin, s.createInviteRevocation},
		{get, "/admin/validations", Viewer, s.indexValidations},
		{get, "/admin/validations/batches/:kind", Viewer, s.newValidationBatch},
		{post, "/admin/validations/batches/:kind", Approver, s.createValidationBatch},
		{get, "/admin/validations/live", Viewer, s.liveValidations},
		{get, "/admin/validations/:id", Viewer, s.showValidation},
		{get, "/admin/validations/:id/approval", Viewer, s.redirectToValidation},
		{post, "/admin/validations/:id/approval", Approver, s.createValidationApproval},
		{get, "/admin/validations/:id/draft", Approver, s.newValidationDraft},
		{post, "/admin/validations/:id/draft", Approver, s.createValidationDraft},
		{get, "/admin/validations/:id/rejection", Viewer, s.redirectToValidation},
		{post, "/admin/validations/:id/rejection", Approver, s.createValidationRejection},
		{get, "/admin/validations/:id/withdrawal", Viewer, s.redirectToValidation},
		{post, "/admin/validations/:id/withdrawal", Approver, s.createValidationWithdrawal},
		{get, "/api/v1/openapi.json", Everyone, s.showOpenAPI},
		{get, "/api/v1/operations/:slug", Everyone, s.showOperationData},
		{get, "/api/v1/operations/:slug/live", Everyone, s.liveOperationData},
		{get, "/api/v1/operations/:slug/log", Everyone, s.indexOperationLog},
		{get, "/api/v1/tokens/:chain/:address/burned", Everyone, s.showTokenBurned},
		{get, "/api/v1/tokens/:chain/:address/chart", Everyone, s.showTokenChart},
		{get, "/api/v1/tokens/:chain/:address/holders", Everyone, s.showTokenHolders},
		{get, "/api/v1/tokens/:chain/:address/market", Everyone, s.showTokenMarket},
		{get, "/candidates", Everyone, s.indexCandidates},
		{get, "/candidates/:chain/:address", Everyone, s.showCandidate},
		{get, "/healthz", Everyone, s.showHealth},
		{get, "/operations/:slug", Everyone, s.showOperation},
		{get, "/operations/:slug/card.png", Everyone, s.showOperationCard},
		{get, "/operations/:slug/live", Everyone, s.liveOperation},
		{get, "/operations/:slug/log.atom", Everyone, s.showOperationAtom},
		{get, "/operations/:slug/log.jsonl", Everyone, s.showOperationJSONL},
		{get, "/operations/:slug/media/:sha256", Everyone, s.showOperationMedia},
		{get, "/robots.txt", Everyone, s.showRobots},
		{get, "/sitemap.xml", Everyone, s.showSitemap},
		{get, "/static/:name", Everyone, s.showStatic},
		{post, "/telegram/webhook", Everyone, s.createTelegramUpdate},
	}
}
