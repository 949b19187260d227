package replay

import (
	"encoding/json"
	"strconv"
	"strings"

	"vivra/app"
	"vivra/app/agent"
)

// inspect gives the stored refusal of an output whose words were not let out:
// what may leave depends on settings and on the rules of the time.
func (s *session) inspect(_ agent.Scope, call agent.Call) error {
	it, ok := s.nextItem()
	if !ok {
		for _, ending := range []string{"the output does not fit, twice: ", "the output does not fit, and no retry is left: "} {
			if told, refused := strings.CutPrefix(s.stored.Error, ending); refused {
				return app.Errorf(app.Invalid, "%s", told)
			}
		}
		return nil
	}
	var said struct {
		Error string `json:"error"`
	}
	if it.Role != "tool" || it.CallID != call.ID || json.Unmarshal([]byte(it.Text), &said) != nil || said.Error == "" {
		return nil
	}
	s.unproved = append(s.unproved, strconv.Itoa(s.stored.Items[s.items].Seq))
	return app.Errorf(app.Invalid, "%s", said.Error)
}
