// Package effects says which calls to the outside an approval allows: a pure
// function from the approved payload to the exact requests, in order.
package effects

import (
	"encoding/json"
	"fmt"
	"strings"

	"vivra/app"
	"vivra/app/preflight"
)

// The kinds of effects and the types of their requests.
const (
	XPost      = "x.post"         // Post
	XProfile   = "x.profile"      // app.ProfilePayload, read back after a person applied it
	TGTitle    = "tg.title"       // Title
	TGDescribe = "tg.description" // Description
	TGMessage  = "tg.message"     // Message
	TGPin      = "tg.pin"         // Pin
	TGPoll     = "tg.poll"        // Poll
	SiteDeploy = "site.deploy"    // app.SitePayload
	UtilDeploy = "utility.deploy" // app.UtilityPayload
	noPosition = -1
	// elsewhere stands for the post that Answers names.
	elsewhere = -2
)

// Kinds returns every kind of effect.
func Kinds() []string {
	return []string{XPost, XProfile, TGTitle, TGDescribe, TGMessage, TGPin, TGPoll, SiteDeploy, UtilDeploy}
}

// Post is one post on X. ReplyTo is the position of the effect whose post it
// answers, -1 for none, -2 for a post of another account: Answers is its number.
type Post struct {
	Account     string      `json:"account"`
	Text        string      `json:"text"`
	Media       []app.Media `json:"media"`
	ReplyTo     int         `json:"reply_to_position"`
	PollOptions []string    `json:"poll_options"`
	PollMinutes int         `json:"poll_minutes"`
	Answers     string      `json:"answers,omitempty"`
}

// Title names a group.
type Title struct {
	Chat  int64  `json:"chat"`
	Title string `json:"title"`
}

// Description describes a group.
type Description struct {
	Chat        int64  `json:"chat"`
	Description string `json:"description"`
}

// Message is sent to a group.
type Message struct {
	Chat int64  `json:"chat"`
	Text string `json:"text"`
}

// Pin pins the message of the effect at Position.
type Pin struct {
	Chat     int64 `json:"chat"`
	Position int   `json:"message_position"`
}

// Poll is a native poll in a group.
type Poll struct {
	Chat     int64    `json:"chat"`
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Minutes  int      `json:"minutes"`
}

// Plan returns the effects of an approved validation in order, without those
// that it says are out already. Most kinds that are only accepted, such as a
// go/no-go, have none.
func Plan(v app.Validation) ([]app.Effect, error) {
	calls, err := plan(v.Kind, v.Payload)
	if err != nil {
		return nil, fmt.Errorf("plan effects of %s: %w", v.Kind, err)
	}
	all, err := numbered(v, calls)
	if err != nil || len(v.Frozen) == 0 {
		return all, err
	}
	var f app.Frozen
	if err := json.Unmarshal(v.Frozen, &f); err != nil {
		return nil, fmt.Errorf("read what the approval of %s binds to: %w", v.Kind, err)
	}
	return rest(all, f.Out)
}

func numbered(v app.Validation, calls []call) ([]app.Effect, error) {
	out := make([]app.Effect, len(calls))
	for i, c := range calls {
		request, err := app.CanonicalJSON(c.request)
		if err != nil {
			return nil, err
		}
		out[i] = app.Effect{Key: fmt.Sprintf("%s/%d", v.ID, i), ValidationID: v.ID, OperationID: v.OperationID, StepID: v.StepID,
			Position: i, Kind: c.kind, Request: request, RequestSHA256: app.SHA256Hex(request), Price: c.price}
	}
	return out, nil
}

// Account returns the X account that an effect posts on, empty for any other
// kind. first tells whether it begins a publication: only that one waits for
// the account's spacing, since within a thread there is no gap. A reply to
// another account takes no turn among the posts, and has none. Names on X do not
// tell upper case from lower.
func Account(e app.Effect) (account string, first bool) {
	p, ok := postOf(e)
	if !ok || p.Answers != "" {
		return "", false
	}
	return strings.ToLower(p.Account), p.ReplyTo == noPosition
}

// Replies tells whether an effect is a reply to a post of another account.
func Replies(e app.Effect) bool {
	p, ok := postOf(e)
	return ok && p.Answers != ""
}

func postOf(e app.Effect) (p Post, ok bool) {
	ok = e.Kind == XPost && json.Unmarshal(e.Request, &p) == nil
	return p, ok
}

type call struct {
	kind    string
	request any
	price   app.Nano
}

func plan(kind app.ValidationKind, payload json.RawMessage) ([]call, error) {
	switch kind {
	case app.KindPost:
		return planWith(payload, func(p app.PostPayload) []call { return []call{post(p, noPosition)} })
	case app.KindThread:
		return planWith(payload, thread)
	case app.KindPoll:
		return planWith(payload, poll)
	case app.KindProfile:
		return planWith(payload, func(p app.ProfilePayload) []call { return []call{{kind: XProfile, request: p}} })
	case app.KindTelegram:
		return planWith(payload, telegram)
	case app.KindSite:
		return planWith(payload, func(p app.SitePayload) []call { return []call{{kind: SiteDeploy, request: p}} })
	case app.KindUtility:
		return planWith(payload, func(p app.UtilityPayload) []call { return []call{{kind: UtilDeploy, request: p}} })
	default:
		return nil, nil
	}
}

func planWith[T any](payload json.RawMessage, fn func(T) []call) ([]call, error) {
	var p T
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, err
	}
	return fn(p), nil
}

func post(p app.PostPayload, replyTo int) call {
	r := Post{Account: p.Account, Text: p.Text, Media: p.Media, ReplyTo: replyTo}
	if p.Answers != nil {
		r.ReplyTo, r.Answers = elsewhere, p.Answers.PostID
	}
	return call{XPost, r, preflight.PostPrice(p.Text, p.Answers != nil) + described(p.Media)}
}

func thread(p app.ThreadPayload) []call {
	calls := make([]call, len(p.Posts))
	for i, each := range p.Posts {
		each.Account, each.Answers = p.Account, nil // a thread answers itself
		calls[i] = post(each, i-1)
	}
	return calls
}

// poll puts the boards in a post and the poll alone in its reply, since a poll
// on X carries no media.
func poll(p app.PollPayload) []call {
	var calls []call
	for _, channel := range p.Channels {
		switch channel {
		case "x":
			p.Intro.Account, p.Intro.Answers = p.Account, nil
			intro := len(calls)
			calls = append(calls, post(p.Intro, noPosition), call{XPost,
				Post{Account: p.Account, Text: p.Question, ReplyTo: intro, PollOptions: p.Options, PollMinutes: p.DurationMinutes},
				preflight.PostPrice(p.Question, false)})
		case "telegram":
			calls = append(calls, call{kind: TGPoll, request: Poll{p.TelegramChat, p.Question, p.Options, p.DurationMinutes}})
		}
	}
	return calls
}

func telegram(p app.TelegramSetupPayload) []call {
	calls := []call{
		{kind: TGTitle, request: Title{p.Chat, p.Title}},
		{kind: TGDescribe, request: Description{p.Chat, p.Description}},
	}
	if p.Rules != "" {
		calls = append(calls, call{kind: TGMessage, request: Message{p.Chat, p.Rules}})
	}
	calls = append(calls, call{kind: TGMessage, request: Message{p.Chat, p.Pinned}})
	return append(calls, call{kind: TGPin, request: Pin{p.Chat, len(calls) - 1}})
}
