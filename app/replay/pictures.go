package replay

import (
	"encoding/json"

	"vivra/app"
)

// payImages counts the pictures that a tool has paid for.
func (b *session) payImages() {
	for b.calls < len(b.stored.Calls) && b.stored.Calls[b.calls].Kind == imageCall && b.stored.Calls[b.calls].State != reserved {
		call := b.stored.Calls[b.calls]
		b.calls++
		b.current = b.calls - 1
		b.played(call, b.run.Turns, true)
		b.run.Spent += call.Cost
		b.compareImages(call)
	}
}

// compareImages holds pictures to the tool call that they were paid for.
func (b *session) compareImages(call app.StoredCall) {
	if call.Cost > call.Reserved && call.Source != app.CostGateway || call.Source == app.CostBound && call.Cost != call.Reserved {
		b.differ(b.ofCall("cost", "%s was reserved for pictures, %s (%s) is booked.", call.Reserved, call.Cost, source(call.Source)))
	}
	for _, said := range b.pictures() {
		if app.SHA256Hex([]byte(said.callID)) != call.RequestSHA256 {
			continue
		}
		if said.cost > 0 && said.cost != call.Cost {
			b.differ(b.ofCall("cost", "The tool said that its pictures cost %s; %s is booked.", said.cost, call.Cost))
		}
		return
	}
	if b.stored.State == succeeded {
		b.differ(b.ofCall("call", "The transcript has no tool call that these pictures were paid for."))
	}
}

// pictured is what a tool call said of its pictures.
type pictured struct {
	callID string
	cost   app.Nano
}

func (b *session) pictures() (all []pictured) {
	for _, item := range b.stored.Items {
		var it struct {
			CallID string `json:"call_id"`
			Text   string `json:"text"`
		}
		var said struct {
			Cost app.Nano `json:"cost_nusd"`
		}
		if json.Unmarshal(item.Item, &it) != nil || it.CallID == "" {
			continue
		}
		_ = json.Unmarshal([]byte(it.Text), &said) // a refusal says no cost
		all = append(all, pictured{it.CallID, said.Cost})
	}
	return all
}
