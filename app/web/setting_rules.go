package web

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"vivra/app"
)

// newest is the last change of the setting, if there was any.
func (f settingField) newest(changes []app.SettingChange) (app.SettingChange, bool) {
	i := slices.IndexFunc(changes, func(c app.SettingChange) bool { return c.Key == f.key })
	if i < 0 {
		return app.SettingChange{}, false
	}
	return changes[i], true
}

// inForce is the value that holds, as a person reads it.
func (f settingField) inForce(changes []app.SettingChange) string {
	c, _ := f.newest(changes)
	return f.shown(c.Value)
}

// holds tells whether to store raw would change nothing. To set what is the
// default is a change, as a later default would no longer hold; nothing in
// place of nothing is none.
func (f settingField) holds(changes []app.SettingChange, raw json.RawMessage) bool {
	c, set := f.newest(changes)
	if set && !c.Reset() {
		return bytes.Equal(compact(c.Value), compact(raw))
	}
	return f.shown(raw) == "" && f.byDefault() == ""
}

func compact(raw json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return raw
	}
	return out.Bytes()
}

// mayHold refuses a model whose calls could not be reserved, and one that
// would be its own fallback.
func (s *Server) mayHold(ctx context.Context, f settingField, changes []app.SettingChange, model string, isDefault bool) error {
	if !f.priced || model == "" {
		return nil
	}
	if other, ok := findSetting(settingGroups(s.Agents), f.counterpart()); ok && other.inForce(changes) == model {
		return app.Errorf(app.Invalid, "%s is %s as well. A fallback is asked when the model itself can't answer, so it must be another one. Nothing was changed.", other.title, model)
	}
	if isDefault {
		return nil
	}
	prices, err := s.Store.PriceList(ctx)
	if err != nil {
		return err
	}
	if _, ok := prices.At(model, s.Now()); !ok {
		return app.Errorf(app.Invalid, "%s has no price in force, so none of its calls could be made. Import one first with vivra prices import FILE; the page Prices says how. Nothing was changed.", model)
	}
	return nil
}

// counterpart is the fallback of a model, and the model of a fallback.
func (f settingField) counterpart() string {
	if agent, ok := strings.CutPrefix(f.key, "llm.fallback."); ok {
		return "llm.model." + agent
	}
	return "llm.fallback." + strings.TrimPrefix(f.key, "llm.model.")
}

// overtaken tells, in the page's words, what somebody else set meanwhile.
func (s *Server) overtaken(ctx context.Context, f settingField, conflict error) error {
	changes, err := s.Store.SettingChanges(ctx)
	if err != nil {
		return err
	}
	c, ok := f.newest(changes)
	if !ok {
		return conflict
	}
	value := strings.ReplaceAll(f.shown(c.Value), "\n", ", ")
	switch {
	case value == "":
		value = "none"
	case c.Reset():
		value += ", the default,"
	}
	return app.Errorf(app.Conflict, "%s set “%s” to %s on %s, after you opened the page. Nothing was changed: look at it and send yours again.",
		c.By, f.title, value, c.At.UTC().Format("2 Jan 2006 at 15:04 UTC"))
}
