package web_test

import (
	"fmt"
	"net/url"
	"strings"

	"vivra/app/web"
)

// form is what a person would fill in at a route: what forms have in common,
// and what this one asks for beside.
func (h *house) form(r web.Route, csrf string) url.Values {
	h.t.Helper()
	form := url.Values{"csrf": {csrf}, "reason": {"because"}, "confirm": {"dodo"}, "on_purpose": {"yes"}, "role": {"viewer"}, "cap": {"30"}}
	more := url.Values{}
	switch r.Path {
	case "/admin/account/password":
		more = url.Values{"password": {"correct horse battery"}, "new_password": {"another horse battery"}}
	case "/admin/accounts/connections":
		more = url.Values{"handle": {"dodo_back"}}
	case "/admin/alerts/acknowledgement":
		more = url.Values{"operation": {"dodo"}, "kind": {"step_failed"}, "up_to": {h.rows["alerts/:id"]}}
	case "/admin/effects/:id/settlement":
		more = url.Values{"fence": {"1"}, "sent": {"yes"}, "link": {"https://x.com/dodo_back/status/7"}}
	case "/admin/operations":
		more = url.Values{"chain_id": {"4663"}, "address": {official}, "envelope": {"0"}}
	case "/admin/operations/:slug/cap":
		more = url.Values{"seen": {fmt.Sprint(int64(h.op.Cap))}}
	case "/admin/settings/:key", "/admin/settings/:key/default":
		more = url.Values{"value": {"4"}, "seen": {h.newestChange()}}
	case "/admin/setup/:token":
		more = url.Values{"name": {"eve"}, "password": {"correct horse battery"}}
	case "/admin/sign-in":
		more = url.Values{"name": {"approver"}, "password": {"correct horse battery"}}
	case "/admin/validations/batches/:kind":
		more = url.Values{"choice": {strings.Join(h.choice(r.Path), " ")}}
	}
	if strings.HasPrefix(r.Path, "/admin/validations/:id/") {
		choice := h.choice(r.Path)
		more = url.Values{"sha256": {choice[1]}, "nonce": {choice[2]}, "field.text": {"Day 9, in other words."}}
	}
	for name, values := range more {
		form[name] = values
	}
	return form
}

// choice is the output of a route as a decision names it.
func (h *house) choice(path string) []string {
	h.t.Helper()
	id := h.rows["validations/:id"]
	if row, own := h.rows[strings.TrimPrefix(path, "/admin/")]; own {
		id = row
	}
	v, err := h.app.Store.Validation(h.t.Context(), id)
	h.must(err)
	return []string{v.ID, v.FrozenSHA256, v.Nonce}
}

func (h *house) newestChange() string {
	h.t.Helper()
	changes, err := h.app.Store.SettingChanges(h.t.Context())
	h.must(err)
	return number(changes[0].ID)
}
