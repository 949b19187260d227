package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/tools"
)

// TestTheOneTimeCodeStandsInThePost that proves who we are: the agent's own, and
// what a person makes of it.
func TestTheOneTimeCodeStandsInThePost(t *testing.T) {
	t.Parallel()
	const code = "V-ABCD2345"
	given := func(task string) agent.Scope {
		own := scope()
		made := agent.ScopeOf(app.Operation{}, app.Step{Task: task, Input: json.RawMessage(`{"code":"` + code + `"}`)}, app.Settings{})
		own.Task, own.Code = task, made.Code
		return own
	}
	for _, tt := range []struct {
		task, text string
		ok         bool
	}{
		{"cm.verification_post", "It is us: " + code + ".", true}, {"cm.verification_post", "It is us.", false},
		{"cm.verification_post", "It is us: " + strings.ToLower(code), false}, {"cm.daily_post", "gm", true},
	} {
		w := newWorld(t)
		args := change(t, change(t, change(t, uses["x_post"].args(w), "text", tt.text), "assets", []string{}), "alt", []string{})
		if got := w.callIn(given(tt.task), agentOf(t, "x_post"), "x_post", args); got.OK != tt.ok || !tt.ok && !strings.Contains(got.Text, code+" must stand in it") {
			t.Errorf("%s, %q: %s", tt.task, tt.text, got.Text)
		}
		_, err := tools.Recheck(given(tt.task), live, app.PostPayload{Account: scope().XHandle, Text: tt.text}, nil)
		if (err == nil) != tt.ok || err != nil && app.KindOf(err) != app.Invalid {
			t.Errorf("an edit of %s to %q: %v", tt.task, tt.text, err)
		}
	}
}
