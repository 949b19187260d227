package admin

import (
	"vivra/app"
	"vivra/views/layout"
	"vivra/views/ui"
)

// BatchPage is several outputs of a kind, to be approved together.
type BatchPage struct {
	layout.Team
	Kind    app.ValidationKind
	Outputs []Output
	More    int // that qualify and are left out
	Problem string
	Results []BatchResult // of what was approved just now
	Queue   Queue         // for what can be undone
}

// BatchResult is what became of one of them.
type BatchResult struct {
	app.Validation
	Problem string // empty: approved
}

// Choice is an output of the form, spelled in one value.
func Choice(c app.Choice) string { return c.ID + " " + c.FrozenSHA256 + " " + c.Nonce }

func title(r BatchResult) string {
	if r.StepKey == "" {
		return r.ID
	}
	return ui.StepTitle(r.StepKey)
}
