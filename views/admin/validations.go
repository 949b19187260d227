package admin

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/paths"
	"vivra/views/layout"
	"vivra/views/ui"
)

// Queue is a part of what waits, and one output.
type Queue struct {
	layout.Team
	Items   app.QueueWindow
	At      paths.Queue
	Batches []Batch
	// Undo are the decisions that can be taken back, the newest first; Came is
	// the one that led here, when it can't be.
	Undo    []app.Validation
	Came    *app.Validation
	Current *Output // nil: nothing to show
	Refused Refusal
	Now     time.Time
}

// Batch is how many outputs of a kind can be approved together.
type Batch struct {
	Kind  app.ValidationKind
	Count int
}

// Output is one output with all that a person should see before deciding.
type Output struct {
	app.Validation
	Frozen   app.Frozen
	Preview  ui.Preview
	Mention  *app.MentionRow // that it replies to, nil for none
	Previous *app.Validation // what it is compared with, nil for a first draft
	Newer    string          // the draft that waits in its place, if any
	Effects  []app.EffectStatus
	Release  Release
	Editable bool
	// ByTwo: the team wants two people to approve it.
	ByTwo bool
}

// Release is when an output goes out once it is approved.
type Release struct {
	Undo    time.Duration // before that, it can be taken back
	Spacing time.Duration // of the account's posts, 0 when it posts nothing
	// NotBefore is when its account may post again, nil: at once.
	NotBefore *time.Time
	Ahead     int // approved publications of the account that go out first
}

// Refusal is a decision that was not taken: why, and what was entered. Wrote is
// shown as it is, since there is no field for it any more.
type Refusal struct {
	Problem       string
	Reason, Wrote string
	Receipts      []app.Receipt
	OnPurpose     bool
}

// receipt is what was entered for a venue's form.
func (r Refusal) receipt(venue string) app.Receipt {
	for _, each := range r.Receipts {
		if each.Venue == venue {
			return each
		}
	}
	return app.Receipt{}
}

// forms are those of a dossier.
func (o Output) forms() []app.DossierVenue {
	var p app.DossierPayload
	if json.Unmarshal(o.Payload, &p) != nil {
		return nil
	}
	return p.Forms()
}

func (q Queue) currentID() string {
	if q.Current == nil {
		return ""
	}
	return q.Current.ID
}

// older and newer show the rest of the list around its first or last row,
// beside the output that is shown now.
func (q Queue) older() string { return q.around(q.Items.Items[0].ID) }
func (q Queue) newer() string { return q.around(q.Items.Items[len(q.Items.Items)-1].ID) }

func (q Queue) around(id string) string {
	return paths.QueueAt(q.currentID(), paths.Queue{Around: id})
}

// next marks the row that comes after an output which is not in the list any
// more.
func (q Queue) next(v app.QueueItem) templ.Attributes {
	if q.Current == nil || q.Current.State == app.ValidationPending || v.ID != q.nextID() {
		return nil
	}
	return templ.Attributes{"data-next": true}
}

func (q Queue) nextID() string {
	for _, v := range q.Items.Items {
		if v.Behind(q.Current.Validation) {
			return v.ID
		}
	}
	return ""
}

// nextPage is where to go on from a decided output.
func (q Queue) nextPage() string {
	if id := q.nextID(); id != "" {
		return paths.Validation(id)
	}
	return paths.Validations()
}

// mine tells whether the reader took the decision.
func (q Queue) mine(v app.Validation) bool { return v.DecidedBy == q.User.Name }

func (q Queue) canUndo(v app.Validation) bool {
	return q.CanDecide() && q.mine(v) || q.CanOperate()
}

// firstOfMine is the decision that the key takes back.
func (q Queue) firstOfMine() string {
	for _, v := range q.Undo {
		if q.mine(v) && q.CanDecide() {
			return v.ID
		}
	}
	return ""
}

// drafts is how many there are of the output's step.
func (o Output) drafts() int {
	if o.Newer == "" {
		return o.DraftNo
	}
	return o.DraftNo + 1
}

// mustWait tells whether somebody else has to approve.
func (o Output) mustWait(user app.User) bool {
	return o.ByTwo && o.FirstApprovedBy == user.Name
}

// sends tells whether approving it calls an outside service of that kind.
func (o Output) sends(services ...string) bool {
	for _, c := range o.Frozen.Calls {
		for _, s := range services {
			if strings.HasPrefix(c.Kind, s+".") {
				return true
			}
		}
	}
	return false
}

// parts is how much of the output is out.
func (o Output) parts() app.Parts {
	p := effects.PartsOf(o.Frozen)
	for _, e := range o.Effects {
		if e.State == app.EffectDone {
			p.Out++
		}
	}
	return p
}

// partsWhy says whether the rest follows.
func (o Output) partsWhy() string {
	for _, e := range o.Effects {
		switch e.State {
		case app.EffectFailed, app.EffectVoid:
			return "The rest does not follow by itself."
		case app.EffectUnknown:
			return "The rest follows when it is known what became of the next."
		}
	}
	return "The rest is on its way."
}

func text(v app.Validation) string {
	joined := ""
	for _, line := range ui.Lines(v.Kind, v.Payload) {
		joined += line + "\n"
	}
	return joined
}

// readable tells whether a comparison is words rather than JSON.
func (o Output) readable() bool {
	switch o.Kind {
	case app.KindPost, app.KindThread, app.KindPoll, app.KindProfile, app.KindTelegram, app.KindDossier:
		return true
	}
	return false
}
