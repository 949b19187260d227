package effects

import (
	"encoding/json"

	"vivra/app"
)

// Price is what the platforms charge for all that an approval of payload allows,
// without what is out already: it is shown before the approval, and booked call
// by call.
func Price(kind app.ValidationKind, payload json.RawMessage, out []app.OutCall) (sum app.Nano, err error) {
	planned, err := remaining(kind, payload, out)
	for _, e := range planned {
		sum += e.Price
	}
	return sum, err
}
