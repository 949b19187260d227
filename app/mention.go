package app

import "time"

// The continuous tasks about mentions. Looking for them is booked on the first.
const (
	MentionsTask = "cm.mentions"
	ReplyTask    = "cm.mention_reply"
)

// MentionState is where a mention stands.
type MentionState string

// The states of a mention.
const (
	MentionNew      MentionState = "new"
	MentionReading  MentionState = "reading" // by a model
	MentionIgnored  MentionState = "ignored"
	MentionFlagged  MentionState = "flagged" // for a person
	MentionDrafted  MentionState = "drafted" // a reply is being written, or waits
	MentionAnswered MentionState = "answered"
)

// MentionStates lists the states in their order.
func MentionStates() []MentionState {
	return []MentionState{MentionNew, MentionReading, MentionIgnored, MentionFlagged, MentionDrafted, MentionAnswered}
}

// MentionRow is a mention as the team sees it. Text, Alts and the author's words
// are text from outside.
type MentionRow struct {
	PostID, AuthorID          string
	Username, AuthorName, Bio string // empty: not looked up
	Text                      string
	Alts                      []string // what its pictures are said to show
	Cleared                   bool     // its words are no longer kept
	WrittenAt, FoundAt        time.Time
	State                     MentionState
	Kind, Subject             string // what code or the reader made of it, empty: nothing yet
	Why                       string // the rule that decided
	OptOut                    OptOut // by whom its author is never answered
	Reply                     *MentionReply
}

// OptOut says which of our accounts leave an author alone who asked for it.
type OptOut string

// Who does.
const (
	OptOutNone    OptOut = ""
	OptOutAccount OptOut = "account" // that of the mention: only a reader saw the wish
	OptOutAll     OptOut = "all"
)

// MentionReply is how the answer to a mention stands.
type MentionReply struct {
	StepKey      string
	StepState    StepState
	ValidationID string // of the newest draft, empty: none yet
	Link         string // to the reply on X, empty: it is not out
}

// MentionFilter says which mentions of an operation to read.
type MentionFilter struct {
	State  MentionState // empty: in any
	Before string       // only those older than this post
	Limit  int
}

// MentionPage is a part of an operation's mentions, the newest first.
type MentionPage struct {
	Items  []MentionRow
	More   bool // there are older ones
	Counts map[MentionState]int
	Look   MentionLook
}

// MentionLook is when an operation's mentions were read, and will be.
type MentionLook struct {
	LookedAt, NextAt *time.Time // nil: not yet
	Account          XAccountState
}
