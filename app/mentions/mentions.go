// Package mentions holds the rules for posts that name our account: what is
// flagged or left alone before any model is asked, what a reader may say of the
// rest, and whom we may answer. All of it is pure.
package mentions

import (
	"slices"
	"time"

	"vivra/app"
)

// Kind is what a mention is.
type Kind string

// The kinds of mentions.
const (
	Question      Kind = "question"
	Praise        Kind = "praise"
	Complaint     Kind = "complaint"
	Press         Kind = "press"
	Legal         Kind = "legal"
	Threat        Kind = "threat"
	TakeoverClaim Kind = "takeover_claim" // somebody says that they speak for the token
	Steering      Kind = "steering"       // it wants something said or done
	OptOut        Kind = "opt_out"
	Spam          Kind = "spam"
	Other         Kind = "other"
)

// Kinds lists every kind.
func Kinds() []Kind {
	return []Kind{Question, Praise, Complaint, Press, Legal, Threat, TakeoverClaim, Steering, OptOut, Spam, Other}
}

// Words is the kind as people say it.
func (k Kind) Words() string {
	switch k {
	case TakeoverClaim:
		return "claims to speak for the token"
	case Threat:
		return "threats"
	case OptOut:
		return "asked to be left alone"
	case "":
		return "not classified"
	}
	return string(k)
}

// Flagged tells whether a person has to see a mention of the kind.
func (k Kind) Flagged() bool {
	return slices.Contains([]Kind{Press, Legal, Threat, TakeoverClaim, Steering}, k)
}

// NoSubject is what a mention is about that no answer of ours fits.
const NoSubject = "none"

// Subjects lists what a question can be about: each has an answer in the token
// file, but for none.
func Subjects() []string {
	return []string{"address", "site", "supply", "burned", "vote", "cost", "people", "calendar", "utility", "verdict", "group", NoSubject}
}

// Why names the rule that decided on a mention.
type Why string

// The rules before any model is asked.
const (
	Address     Why = "address"     // another one than the token's
	Hidden      Why = "hidden"      // characters that can't be seen
	Encoded     Why = "encoded"     // a text in code
	Instruction Why = "instruction" // somebody is told what to do
	AskedOut    Why = "opt_out"
	Bot         Why = "bot"
	Empty       Why = "empty"
	Own         Why = "own" // a post of the account itself
)

// The rules for what a reader said, and what keeps it from being asked.
const (
	Reader       Why = "reader"   // its kind decides
	Unread       Why = "unread"   // no reader came to an output
	NoApproval   Why = "approval" // the platform has not allowed automated replies
	NotSummoned  Why = "not_summoned"
	Silenced     Why = "silenced" // the author asked to be left alone before
	AnsweredOnce Why = "answered" // today, or a draft waits
	TooMany      Why = "too_many" // replies this hour
	NoAnswer     Why = "no_answer"
	Allowed      Why = "allowed" // a reply is drafted
)

// Author is who wrote a mention, as far as X was asked.
type Author struct {
	Username, Name, Bio string
	Followers           int
	JoinedAt            *time.Time
}

// Post is a mention with what its rules must know beside it.
type Post struct {
	ID, AuthorID string
	Text         string
	Alts         []string
	Named        int // accounts, ours among them
	Author       *Author
	Own          bool
	Copies       int // other authors who wrote the same within a day, two for any more
	Today        int // mentions by this author within a day
	WrittenAt    time.Time
}

// Verdict is what the rules make of a mention: State is reading for one that a
// model is to be asked of.
type Verdict struct {
	State  app.MentionState
	Kind   Kind
	Why    Why
	OptOut bool // its author asked to be left alone
}

// Judge decides on a mention as far as code can. official is the token's address.
func Judge(p Post, official string) Verdict {
	if p.Own {
		return Verdict{State: app.MentionIgnored, Why: Own}
	}
	v := Verdict{State: app.MentionReading, OptOut: OptsOut(p.Text)}
	why, steered := steers(p, official)
	switch {
	case steered:
		v.State, v.Kind, v.Why = app.MentionFlagged, Steering, why
	case v.OptOut:
		v.State, v.Kind, v.Why = app.MentionIgnored, OptOut, AskedOut
	case likelyBot(p):
		v.State, v.Kind, v.Why = app.MentionIgnored, Spam, Bot
	case len(p.Alts) == 0 && words(p.Text) == "":
		v.State, v.Kind, v.Why = app.MentionIgnored, Other, Empty
	}
	return v
}
