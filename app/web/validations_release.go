package web

import (
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/views/admin"
)

// release says when an output would go out if it were approved now: after the
// time to undo, and spaced from the other posts of its account. all are the
// effects of its operation.
func release(v app.Validation, all []app.EffectStatus, settings app.Settings, now time.Time) admin.Release {
	r := admin.Release{Undo: settings.Undo}
	account := accountOf(v)
	if account == "" {
		return r
	}
	r.Spacing = settings.PostSpacing
	var last time.Time
	for _, e := range all {
		name, first := effects.Account(e.Effect)
		if name != account || e.ValidationID == v.ID {
			continue
		}
		if first && e.State == app.EffectIntent {
			r.Ahead++
		}
		if e.State == app.EffectDone && e.DoneAt != nil && e.DoneAt.After(last) {
			last = *e.DoneAt
		}
	}
	if free := last.Add(settings.PostSpacing); !last.IsZero() && free.After(now.Add(settings.Undo)) {
		r.NotBefore = &free
	}
	return r
}

// accountOf is the account that an output posts on, empty when it posts nothing.
func accountOf(v app.Validation) string {
	calls, err := effects.Plan(v)
	if err != nil {
		return ""
	}
	for _, call := range calls {
		if account, _ := effects.Account(call); account != "" {
			return account
		}
	}
	return ""
}
