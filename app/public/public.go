// Package public is what anybody may know of a takeover. Pages, streams and
// answers that need no account are made of these types, which have no place for
// what is not public: drafts, what agents were told or wrote, outside messages,
// the reasons of failures, who did what.
package public

import (
	"encoding/json"
	"time"

	"vivra/app"
	"vivra/app/scoring"
)

// Token is what a takeover is about. Name and Symbol are outside text.
type Token struct {
	Ref    app.TokenRef
	Name   string
	Symbol string
}

// Operation is one takeover.
type Operation struct {
	Slug     string
	Token    Token
	J0       time.Time
	State    app.OperationState
	Cap      app.Nano
	Spent    app.Nano
	Reserved app.Nano
	XHandle  string // without @, empty until one is named
	SiteHost string
	// Seq and HeadHash are the last row of the log.
	Seq      int64
	HeadHash string
	// StopReason was written by the team to be read by everybody.
	StopReason string
	// Verdict is the code's word, revived or dead_again, and empty until it fell.
	Verdict string
}

// Summary is one takeover in a list.
type Summary struct {
	Operation
	LastSummary string     // of the last row of the log, empty when none
	LastAt      *time.Time // of the last row of the log
	Waiting     int        // outputs that wait for a person
}

// Step is one row of the calendar. What it made is public as a Publication, once
// it is out.
type Step struct {
	Key        string
	Task       string // the key without its number
	Agent      string
	DueAt      time.Time
	Recurring  bool
	State      app.StepState
	StartedAt  *time.Time
	FinishedAt *time.Time
	Cost       app.Nano
}

// BesideStep is a step beside the calendar. Whom it answers is nobody's business
// before the answer is approved.
type BesideStep struct {
	Step
	Mentions int // that it reads
}

// Beside are the newest steps beside the calendar.
type Beside struct {
	Steps []BesideStep
	Count int      // of all
	Cost  app.Nano // of all
}

// Publication is one output as it went out, with its receipt.
type Publication struct {
	StepKey     string
	Kind        app.ValidationKind
	Payload     json.RawMessage // what is out, byte for byte
	DraftNo     int
	ProposedAt  time.Time
	ApprovedAt  time.Time
	Approvers   int
	PublishedAt time.Time
	Links       []string
	SHA256      string
	Price       app.Nano
	Parts       app.Parts
	Submitted   []Submission // instead of a payload: forms that a person sent by hand
}

// Submission is where a form was sent. What it says, and who sent it, is not told.
type Submission struct {
	Name string
	Link string
}

// OperationOf is what is public of op, whose steps these are.
func OperationOf(op app.Operation, steps []app.Step) Operation {
	o := operation(op)
	for _, s := range steps {
		if s.Task == "scanner.verdict" && s.State == app.StepDone {
			var out struct{ Verdict string }
			_ = json.Unmarshal(s.Output, &out) // an output without a verdict has none to show
			o.Verdict = verdict(out.Verdict)
		}
	}
	return o
}

func operation(op app.Operation) Operation {
	return Operation{
		Slug: op.Slug, Token: Token{op.Token.Ref, op.Token.Name, op.Token.Symbol}, J0: op.J0, State: op.State,
		Cap: op.Cap, Spent: op.Spent, Reserved: op.Reserved, XHandle: op.XHandle, SiteHost: op.SiteHost,
		Seq: op.Seq, HeadHash: op.HeadHash, StopReason: op.StopReason,
	}
}

// verdict lets nothing through but the two words there are: the output that holds
// it was written by a run.
func verdict(word string) string {
	if word == scoring.Revived || word == scoring.DeadAgain {
		return word
	}
	return ""
}

// SummariesOf is what is public of a list.
func SummariesOf(all []app.OperationSummary) []Summary {
	found := make([]Summary, 0, len(all))
	for _, o := range all {
		s := Summary{operation(o.Operation), o.LastSummary, o.LastAt, o.Waiting}
		s.Verdict = verdict(o.Verdict)
		found = append(found, s)
	}
	return found
}

// StepOf is what is public of one step.
func StepOf(s app.Step) Step {
	return Step{s.Key, s.Task, s.Agent, s.DueAt, s.Recurring, s.State, s.StartedAt, s.FinishedAt, s.Cost}
}

// StepsOf is what is public of steps, in their order.
func StepsOf(steps []app.Step) []Step {
	found := make([]Step, 0, len(steps))
	for _, s := range steps {
		found = append(found, StepOf(s))
	}
	return found
}

// BesideOf is what is public of the steps beside a calendar.
func BesideOf(b app.StepsBeside) Beside {
	found := Beside{Count: b.Count, Cost: b.Cost}
	for _, s := range b.Steps {
		found.Steps = append(found.Steps, BesideStep{StepOf(s.Step), s.Mentions})
	}
	return found
}

// PublicationsOf is what is public of outputs that are out.
func PublicationsOf(all []app.Publication) []Publication {
	found := make([]Publication, 0, len(all))
	for _, p := range all {
		o := Publication{
			StepKey: p.StepKey, Kind: p.Kind, DraftNo: p.DraftNo, ProposedAt: p.ProposedAt, ApprovedAt: p.ApprovedAt, Approvers: p.Approvers,
			PublishedAt: p.PublishedAt, Links: p.Links, SHA256: p.SHA256, Price: p.Price, Parts: p.Parts,
		}
		for _, r := range p.Receipts {
			o.Submitted = append(o.Submitted, Submission{r.Name, r.Link})
		}
		if len(p.Receipts) == 0 {
			o.Payload = p.Payload
		}
		found = append(found, o)
	}
	return found
}

// Day is the calendar day of the takeover at now: 0 on J0's day (UTC).
func (o Operation) Day(now time.Time) int { return app.Operation{J0: o.J0}.Day(now) }
