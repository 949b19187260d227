package mentions

import (
	"encoding/json"
	"fmt"
	"slices"

	"vivra/app"
)

// MostAtOnce is how many mentions one reader is given.
const MostAtOnce = 20

// Asked is what a reader is given: the texts are from outside.
type Asked struct {
	Mentions []AskedPost `json:"mentions"`
	Subjects []string    `json:"subjects"`
}

// AskedPost is one mention that a reader is given.
type AskedPost struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Reading is what a reader may say of one mention: words from two lists.
type Reading struct {
	ID      string `json:"id"`
	Kind    Kind   `json:"kind"`
	Subject string `json:"subject"`
}

// Answer is what the writer of a reply is given: nothing of the mention itself.
type Answer struct {
	Kind    Kind   `json:"kind"`
	Subject string `json:"subject"`
}

// Readings returns what a reader said of each mention that it was asked of, and
// an error unless that is every one of them, once, and nothing else.
func Readings(output json.RawMessage, asked []string) ([]Reading, error) {
	var said struct {
		Mentions []Reading `json:"mentions"`
	}
	if err := json.Unmarshal(output, &said); err != nil {
		return nil, fmt.Errorf("read what was said of the mentions: %w", err)
	}
	left := map[string]bool{}
	for _, id := range asked {
		left[id] = true
	}
	for _, r := range said.Mentions {
		switch {
		case !left[r.ID]:
			return nil, app.Errorf(app.Invalid, "The output names a mention that was not asked for, or one twice.")
		case !slices.Contains(Kinds(), r.Kind) || !slices.Contains(Subjects(), r.Subject):
			return nil, app.Errorf(app.Invalid, "The output says of mention %s what no list holds.", r.ID)
		}
		delete(left, r.ID)
	}
	if len(left) > 0 {
		return nil, app.Errorf(app.Invalid, "The output leaves out %d of %s.", len(left), app.Count(len(asked), "mention", "mentions"))
	}
	return said.Mentions, nil
}

// Limits is what an answer to one author depends on.
type Limits struct {
	Approval string // of the platform, for automated replies; empty: none
	Summons  bool   // the author named or quoted the account in their own words
	OptedOut bool
	Open     bool // the author was answered today, or a draft for them waits
	ThisHour int  // replies of the account, drafts among them
}

// MostAnHour is how many replies an account makes in an hour: no more are
// drafted, and no more go out.
const MostAnHour = 10

// Decide is what follows from what a reader said.
func Decide(r Reading, l Limits) Verdict {
	v := Verdict{State: app.MentionIgnored, Kind: r.Kind, Why: Reader, OptOut: r.Kind == OptOut}
	if r.Kind.Flagged() {
		v.State = app.MentionFlagged
	}
	if r.Kind != Question {
		return v
	}
	switch {
	case r.Subject == NoSubject:
		v.Why = NoAnswer
	case l.Approval == "":
		v.Why = NoApproval
	case l.OptedOut:
		v.Why = Silenced
	case !l.Summons:
		v.Why = NotSummoned
	case l.Open:
		v.Why = AnsweredOnce
	case l.ThisHour >= MostAnHour:
		v.Why = TooMany
	default:
		v.State, v.Why = app.MentionDrafted, Allowed
	}
	return v
}
