package admin

import (
	"fmt"
	"math"
	"strings"

	"vivra/app"
	"vivra/views/ui"
)

func (o Output) approveWord() string {
	switch {
	case o.ByTwo && o.FirstApprovedBy == "":
		return "Approve as the first"
	case o.ByTwo:
		return "Approve as the second"
	case o.Kind == app.KindProfile:
		return "I applied it on X"
	case o.Kind == app.KindDossier:
		return "Record the receipts"
	case o.Kind == app.KindHandover:
		return "Sign off"
	}
	return "Approve"
}

func rejectHint(k app.ValidationKind) string {
	switch k {
	case app.KindGoNoGo:
		return "Rejecting it stops the operation for good: no buyback, the envelope is kept."
	case app.KindDossier:
		return "It is assembled anew from what is known then. After three rejections the step waits for a person."
	}
	return "The agent tries again and reads this reason. After three rejections the step waits for a person."
}

// word says what became of an output.
func word(v app.Validation) string {
	switch v.State {
	case app.ValidationApproved:
		return "Approved"
	case app.ValidationRejected:
		return "Rejected"
	case app.ValidationVoid:
		return "Withdrawn"
	}
	return "Waits"
}

func tone(s app.ValidationState) string {
	switch s {
	case app.ValidationApproved:
		return "live"
	case app.ValidationRejected:
		return "bad"
	case app.ValidationVoid:
		return "off"
	}
	return "wait"
}

// said is a decision in the words of who looks at it.
func (q Queue) said(v app.Validation) string {
	if q.mine(v) {
		return word(v)
	}
	return v.DecidedBy + " " + strings.ToLower(word(v))
}

// follows says what happens when a decision is not taken back.
func follows(v app.Validation) string {
	switch {
	case v.State == app.ValidationRejected && v.Kind == app.KindGoNoGo:
		return "stops the operation in"
	case v.State == app.ValidationRejected:
		return "goes back to the agent in"
	case v.Kind == app.KindProfile:
		return "is read back in"
	case sendsNothing(v.Kind):
		return "takes effect in"
	}
	return "goes out in"
}

func sendsNothing(k app.ValidationKind) bool {
	switch k {
	case app.KindPost, app.KindThread, app.KindPoll, app.KindTelegram, app.KindSite, app.KindUtility, app.KindProfile:
		return false
	}
	return true
}

// came says what became of a decision that can't be taken back any more.
func (q Queue) came(v app.Validation) string {
	switch {
	case v.State == app.ValidationPending && v.FirstApprovedBy == q.User.Name:
		return "Approved by you as the first; it waits for a second person:"
	case v.State == app.ValidationPending:
		return "Taken back, it waits again:"
	case v.State == app.ValidationVoid:
		return "Replaced or withdrawn:"
	}
	return q.said(v) + ":"
}

// seconds is how long the reader can still take a decision back, by their own
// clock. static/admin.js counts on from it.
func (q Queue) seconds(v app.Validation) string {
	if v.AppliesAt == nil {
		return "0 s"
	}
	left := max(0, math.Ceil(v.AppliesAt.Sub(q.Now).Seconds()/q.Pace))
	if left > 120 {
		return fmt.Sprintf("%.0f min", math.Ceil(left/60))
	}
	return fmt.Sprintf("%.0f s", left)
}

// goesOut says when, in a word beside the buttons.
func (o Output) goesOut() string {
	verb := "goes out"
	switch {
	case o.ByTwo && o.FirstApprovedBy == "":
		return "two people approve it"
	case o.Kind == app.KindProfile:
		verb = "is read back"
	case sendsNothing(o.Kind):
		verb = "takes effect"
	}
	if o.Release.Undo == 0 {
		return verb + " at once"
	}
	return ui.Duration(o.Release.Undo) + " to undo, then it " + verb
}

// title is what the output is called.
func (o Output) title() string {
	if o.Mention == nil {
		return ui.StepTitle(o.StepKey)
	}
	return ui.ReplyTitle(o.StepKey, o.Mention.Username)
}

// sourceName is where a run has read what others wrote, in words.
func sourceName(source string) string {
	switch source {
	case "token_file":
		return "the token file, which may quote others"
	case "token":
		return "the token's name and symbol"
	case "chain":
		return "names on the chain"
	case "market":
		return "market data"
	case "x":
		return "posts and profiles on X"
	case "telegram":
		return "names and messages on Telegram"
	}
	return source
}
