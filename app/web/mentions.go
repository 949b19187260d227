package web

import (
	"net/http"
	"regexp"
	"slices"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

// mentionsPerPage is how many mentions a page shows.
const mentionsPerPage = 50

var postID = regexp.MustCompile(`^[0-9]{1,20}$`)

// GET /admin/operations/:slug/mentions is who named the operation's account on
// X, and what was made of it.
func (s *Server) indexMentions(c echo.Context) error {
	ctx := c.Request().Context()
	op, err := s.Store.OperationBySlug(ctx, c.Param("slug"))
	if err != nil {
		return err
	}
	m := admin.Mentions{Op: op, List: mentionList(c, op.Slug), Now: s.Now()}
	if m.Team, err = s.frameWithCount(c, "Mentions of "+op.Token.Symbol+", Vivra", paths.AdminOperations()); err != nil {
		return err
	}
	settings, err := s.Store.Settings(ctx)
	if err != nil {
		return err
	}
	m.RepliesOff, m.Every, m.Daily = settings.XReplyApproval == "", settings.MentionsEvery, settings.MentionsDaily
	m.Page, err = s.Store.Mentions(ctx, op.ID, app.MentionFilter{State: app.MentionState(m.List.State), Before: m.List.Before, Limit: mentionsPerPage})
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, admin.MentionsIndex(m))
}

// POST /admin/operations/:slug/opt-outs/:author/removal lets an author be
// answered again who is said to have asked to be left alone.
func (s *Server) createOptOutRemoval(c echo.Context) error {
	reason, err := reason(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	op, err := s.Store.OperationBySlug(ctx, c.Param("slug"))
	if err != nil {
		return err
	}
	if err := s.Store.RemoveOptOut(ctx, op, c.Param("author"), reason, currentUser(c), s.Now()); err != nil {
		return err
	}
	return done(c, back(c))
}

// mentionList is the part of the mentions that an address asks for.
func mentionList(c echo.Context, slug string) paths.MentionList {
	l := paths.MentionList{Slug: slug, State: c.QueryParam("state"), Before: c.QueryParam("before")}
	if !slices.Contains(app.MentionStates(), app.MentionState(l.State)) {
		l.State = ""
	}
	if !postID.MatchString(l.Before) {
		l.Before = ""
	}
	return l
}
