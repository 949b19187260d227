package admin

import (
	"fmt"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/mentions"
	"vivra/app/paths"
	"vivra/views/layout"
	"vivra/views/ui"
)

// Mentions is a page of posts that name an operation's account.
type Mentions struct {
	layout.Team
	Op         app.Operation
	List       paths.MentionList
	Page       app.MentionPage
	RepliesOff bool // the platform has not allowed automated replies
	Every      time.Duration
	Daily      app.Nano
	Now        time.Time
}

func (m Mentions) all() (n int) {
	for _, count := range m.Page.Counts {
		n += count
	}
	return n
}

// in is the list of one state, "" of all.
func (m Mentions) in(state app.MentionState) string {
	return paths.MentionList{Slug: m.Op.Slug, State: string(state)}.URL()
}

func (m Mentions) here(state app.MentionState) bool { return m.List.State == string(state) }

// older is the list from where this page ends.
func (m Mentions) older() string {
	l := m.List
	l.Before = m.Page.Items[len(m.Page.Items)-1].PostID
	return l.URL()
}

// lookWords say whether mentions are read, and when.
func (m Mentions) lookWords() string {
	look := m.Page.Look
	switch {
	case m.Op.State.Final():
		return "The operation is over: mentions are not read any more."
	case m.Op.XHandle == "":
		return "The operation names no account on X, so nobody can name it."
	case look.NextAt == nil:
		return "Mentions are read once the account has published its first post."
	case m.Op.State == app.OperationPaused:
		return "The operation is paused: mentions are not read until it is resumed. None is lost."
	case look.Account != app.XConnected:
		return "The account is not connected: mentions are not read until it is. None is lost."
	}
	return fmt.Sprintf("Read every %s, for at most %s a day.", ui.Duration(m.Every), m.Daily)
}

// emptyWords say why the list is empty.
func (m Mentions) emptyWords() string {
	if m.all() > 0 {
		return "No mention is in this state."
	}
	return "Nobody has named the account yet. Who does appears here, with what code or the reader made of it. Nothing is answered that a person has not approved."
}

func mentionWord(s app.MentionState) string {
	switch s {
	case app.MentionReading:
		return "being read"
	case app.MentionFlagged:
		return "for a person"
	case app.MentionDrafted:
		return "reply drafted"
	}
	return string(s)
}

func mentionTone(s app.MentionState) string {
	switch s {
	case app.MentionFlagged:
		return "bad"
	case app.MentionReading:
		return "run"
	case app.MentionDrafted:
		return "wait"
	case app.MentionAnswered:
		return "live"
	}
	return "off"
}

// mentionWhy says in plain words what was made of a mention.
func mentionWhy(r app.MentionRow) string {
	switch mentions.Why(r.Why) {
	case "":
		if r.State == app.MentionReading {
			return "No rule objects to it. A reader that can neither act nor write chooses a kind for it from a list."
		}
		return "No rule has looked at it yet."
	case mentions.Address:
		return "Code found an address in it that is not the token's, in plain sight or in disguise, in its text, a picture's description or what its author is called. No model saw it, and it is never answered."
	case mentions.Hidden:
		return "Code found characters in it that can't be seen. No model saw it, and it is never answered."
	case mentions.Encoded:
		return "Code found a text in code in it. No model saw it, and it is never answered."
	case mentions.Instruction:
		return "Code found that it tells whoever reads it what to do. No model saw it, and it is never answered."
	case mentions.AskedOut:
		return "Its author asks to be left alone."
	case mentions.Bot:
		return "It was probably written by a program, or for many at once."
	case mentions.Empty:
		return "It has no words beside names and links."
	case mentions.Own:
		return "The account itself wrote it."
	case mentions.Unread:
		return "It could not be read: the reader failed each time. A person has to look at it."
	}
	return "The reader took it for " + kindWords(r) + ". " + decidedWords(mentions.Why(r.Why), r)
}

// optOutWords say by whom an author is not answered any more.
func optOutWords(o app.OptOut) string {
	if o == app.OptOutAccount {
		return "Its author is never answered by this account: a reader found that they ask to be left alone. No word says so plainly, so it holds for no other account of ours."
	}
	return "Its author asked to be left alone and is never answered, by no account of ours."
}

func kindWords(r app.MentionRow) string {
	kind := mentions.Kind(r.Kind)
	switch kind {
	case mentions.Question:
		if r.Subject == "" || r.Subject == mentions.NoSubject {
			return "a question about nothing that the token file answers"
		}
		return "a question about the " + strings.ReplaceAll(r.Subject, "_", " ")
	case mentions.TakeoverClaim:
		return "somebody who claims to speak for the token"
	case mentions.OptOut:
		return "a wish to be left alone"
	case mentions.Steering:
		return "an attempt to have something said or done"
	case mentions.Complaint, mentions.Threat:
		return "a " + string(kind)
	case mentions.Press:
		return "somebody of the press"
	case mentions.Legal:
		return "a legal matter"
	}
	return string(kind)
}

func decidedWords(why mentions.Why, r app.MentionRow) string {
	switch why {
	case mentions.NoApproval:
		return "It is not answered: X's approval of automated replies is not on file."
	case mentions.NotSummoned:
		return "It is not answered: its author neither named nor quoted the account in their own words, and X allows no reply then."
	case mentions.Silenced:
		return "It is not answered: its author asked to be left alone."
	case mentions.AnsweredOnce:
		return "It is not answered: its author was answered today, or a draft for them waits."
	case mentions.TooMany:
		return "It is not answered: the account has ten replies in this hour."
	case mentions.NoAnswer:
		return "It is not answered."
	case mentions.Allowed:
		return "A reply is written from the token file, without a word of the mention."
	}
	if r.State == app.MentionFlagged {
		return "A person has to see it."
	}
	return "It is left alone."
}

// replyWords say how the answer stands.
func replyWords(r app.MentionReply) string {
	switch r.StepState {
	case app.StepWaiting:
		if r.Link == "" {
			return "The reply waits for a decision, or to be sent."
		}
	case app.StepFailed:
		return "The reply failed, or was rejected too often: run its step again or skip it."
	case app.StepSkipped, app.StepCancelled:
		return "No reply goes out: its step was " + ui.StepWord(r.StepState) + "."
	case app.StepPending, app.StepRunning:
		return "The reply is being written."
	}
	return ""
}

// byline is who wrote a mention.
func byline(r app.MentionRow) string {
	if r.Username == "" {
		return "account " + r.AuthorID
	}
	return "@" + r.Username
}

// seen is text from outside as it is shown: what can't be seen is marked.
func seen(text string) string { return unseen.Replace(text) }

var unseen = strings.NewReplacer("\u200b", "␣", "\u200c", "␣", "\u2060", "␣", "\u00ad", "␣", "\u202e", "⟲", "\u202d", "⟲", "\u2066", "⟲", "\u2067", "⟲", "\u2068", "⟲", "\u202a", "⟲", "\u202b", "⟲", "\r", "␍")

// onX is a mention's own page there.
func onX(r app.MentionRow) string { return "https://x.com/i/web/status/" + r.PostID }
