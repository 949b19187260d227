package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

// GET /admin/settings is every setting with its default and its history.
func (s *Server) indexSettings(c echo.Context) error {
	return s.settingsPage(c, http.StatusOK, refusedSetting{})
}

// refusedSetting is a value that was sent and not taken, to be corrected.
type refusedSetting struct{ key, entered, problem string }

func (s *Server) settingsPage(c echo.Context, status int, refused refusedSetting) error {
	ctx := c.Request().Context()
	frame, err := s.frameWithCount(c, "Settings, Vivra", paths.Settings())
	if err != nil {
		return err
	}
	changes, err := s.Store.SettingChanges(ctx)
	if err != nil {
		return err
	}
	prices, err := s.Store.PriceList(ctx)
	if err != nil {
		return err
	}
	m := admin.Settings{Team: frame, Models: pricedModels(prices)}
	for _, g := range settingGroups(s.Agents) {
		group := admin.SettingGroup{ID: g.id, Title: g.title, Intro: g.intro}
		for _, f := range g.fields {
			group.Settings = append(group.Settings, f.view(changes, refused))
		}
		m.Groups = append(m.Groups, group)
	}
	return render(c, status, admin.SettingsIndex(m))
}

// view is the setting with what holds, who said so and what held before.
func (f settingField) view(changes []app.SettingChange, refused refusedSetting) admin.Setting {
	v := admin.Setting{Key: f.key, Title: f.title, Help: f.help, Hint: f.hint, Input: f.input, Default: f.byDefault(), Value: f.byDefault()}
	for _, c := range changes {
		if c.Key == f.key {
			v.History = append(v.History, admin.SettingChange{Value: f.shown(c.Value), Reset: c.Reset(), By: c.By, At: c.At})
			v.Seen = max(v.Seen, c.ID)
		}
	}
	if len(v.History) > 0 {
		v.Value = v.History[0].Value
	}
	v.Entered = v.Value
	if f.means != nil {
		v.Means = f.means(v.Value)
	}
	if refused.key == f.key {
		v.Entered, v.Problem = refused.entered, refused.problem
	}
	return v
}

// GET /admin/settings/:key, where a refused value leaves the reader, leads to
// the setting on its page.
func (s *Server) showSetting(c echo.Context) error {
	f, err := s.setting(c)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, paths.SettingAnchor(f.key))
}

// POST /admin/settings/:key makes a value hold from now on.
func (s *Server) updateSetting(c echo.Context) error {
	f, err := s.setting(c)
	if err != nil {
		return err
	}
	text := strings.TrimSpace(strings.ReplaceAll(c.FormValue("value"), "\r\n", "\n"))
	value, err := f.parse(text)
	if err == nil {
		err = s.keepSetting(c, f, text, value)
	}
	return s.settingKept(c, f, text, err)
}

// POST /admin/settings/:key/default makes the default hold again.
func (s *Server) createSettingDefault(c echo.Context) error {
	f, err := s.setting(c)
	if err != nil {
		return err
	}
	return s.settingKept(c, f, f.byDefault(), s.keepSetting(c, f, f.byDefault(), nil))
}

func (s *Server) setting(c echo.Context) (settingField, error) {
	f, ok := findSetting(settingGroups(s.Agents), c.Param("key"))
	if !ok {
		return f, app.Errorf(app.NotFound, "There is no such setting.")
	}
	return f, nil
}

// keepSetting stores the value, nil for the default, that was entered as text.
func (s *Server) keepSetting(c echo.Context, f settingField, text string, value any) error {
	ctx := c.Request().Context()
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	changes, err := s.Store.SettingChanges(ctx)
	if err != nil || f.holds(changes, raw) {
		return err
	}
	if err := s.mayHold(ctx, f, changes, text, value == nil); err != nil {
		return err
	}
	seen, _ := strconv.ParseInt(c.FormValue("seen"), 10, 64) // none: as if nothing was ever set
	err = s.Store.ChangeSetting(ctx, f.key, raw, seen, currentUser(c).Name, s.Now())
	if known := new(app.Error); errors.As(err, &known) && known.Kind == app.Conflict {
		return s.overtaken(ctx, f, err)
	}
	return err
}

// settingKept answers the form: a refused value stays in it, with the reason.
func (s *Server) settingKept(c echo.Context, f settingField, text string, err error) error {
	var known *app.Error
	switch {
	case errors.As(err, &known) && (known.Kind == app.Invalid || known.Kind == app.Conflict):
		return s.settingsPage(c, statuses[known.Kind], refusedSetting{f.key, text, known.Message})
	case err != nil:
		return err
	}
	return done(c, paths.SettingAnchor(f.key))
}

func pricedModels(prices app.PriceList) []string {
	var names []string
	for _, r := range prices {
		if r.Kind == app.PriceTokens {
			names = append(names, r.Model)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
