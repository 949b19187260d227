package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
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
		{get, "/admin/alerts", Viewer, s.indexAlerts},
		{post, "/admin/alerts/:id/acknowledgement", Approver, s.createAlertAcknowledgement},
		{get, "/admin/assets/:sha256", Viewer, s.showAsset},
		{get, "/admin/audit", Viewer, s.indexAudit},
		{get, "/admin/builds/:id/*", Viewer, s.showBuild},
		{post, "/admin/effects/:id/settlement", Admin, s.createEffectSettlement},
		{get, "/admin/operations", Viewer, s.indexAdminOperations},
		{post, "/admin/operations", Admin, s.createOperation},
		{get, "/admin/operations/new", Admin, s.newOperation},
		{get, "/admin/operations/:slug", Viewer, s.showAdminOperation},
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
		{post, "/admin/sign-out", Viewer, s.deleteSession},
		{post, "/admin/steps/:id/retry", Admin, s.createStepRetry},
		{get, "/admin/steps/:id/run", Viewer, s.showStepRun},
		{get, "/admin/steps/:id/runs", Viewer, s.indexStepRuns},
		{post, "/admin/steps/:id/skip", Admin, s.createStepSkip},
		{get, "/admin/validations", Viewer, s.indexValidations},
		{get, "/admin/validations/live", Viewer, s.liveValidations},
		{get, "/admin/validations/:id", Viewer, s.showValidation},
		{post, "/admin/validations/:id/approval", Approver, s.createValidationApproval},
		{post, "/admin/validations/:id/rejection", Approver, s.createValidationRejection},
		{get, "/api/v1/tokens/:chain/:address/market", Everyone, s.showTokenMarket},
		{get, "/healthz", Everyone, s.showHealth},
		{get, "/operations/:slug", Everyone, s.showOperation},
		{get, "/operations/:slug/live", Everyone, s.liveOperation},
		{get, "/operations/:slug/log.atom", Everyone, s.showOperationAtom},
		{get, "/operations/:slug/log.jsonl", Everyone, s.showOperationJSONL},
		{get, "/operations/:slug/media/:sha256", Everyone, s.showOperationMedia},
		{get, "/static/:name", Everyone, s.showStatic},
		{post, "/telegram/webhook", Everyone, s.createTelegramUpdate},
	}
}
