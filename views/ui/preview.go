package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vivra/app"
)

// Preview is one output as the world will see it, or saw it.
type Preview struct {
	Kind    app.ValidationKind
	Payload json.RawMessage
	// Media returns the address of a file's bytes, by its content's SHA-256.
	Media func(sha256 string) string
	// Weigh counts a text as X does; nil, as on public pages, leaves out the
	// counts and what only helps to decide.
	Weigh func(text string) int
	// Prices are what each call to the outside costs, in order; nil leaves them out.
	Prices []app.Nano
	// Out are the addresses of the calls that are out already, in order: only what
	// comes after them is decided.
	Out []string
	// Of is how many posts the whole thread has, when the payload holds a part of
	// it; 0: it holds all.
	Of int
	// Sizes are the width and the height of pictures in pixels, by their content's
	// SHA-256: their place is kept while they load.
	Sizes map[string][2]int
	// Build returns the address of a page of a built site; nil shows no frame.
	Build func(id, path string) string
	// Report is what the tests or the check said of the build, nil when unknown.
	Report *Report
	// Checks are the report's, beside a go or no-go.
	Checks []Check
}

// Check is one check of the report as code computed it.
type Check struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Status string `json:"status"` // pass, warn, fail, unknown
	Value  string `json:"value"`
	Source string `json:"source"`
}

// tone is the class and the mark of the check's status.
func (c Check) tone() (class, mark string) {
	switch c.Status {
	case "pass":
		return "up", "✓"
	case "warn":
		return "warn", "!"
	case "fail":
		return "down", "✕"
	}
	return "dim", "?"
}

// Show draws the output. A payload that does not fit its kind is shown as it
// is: a person must see it.
func (p Preview) Show() templ.Component {
	switch p.Kind {
	case app.KindPost:
		return shown(p.Payload, func(v app.PostPayload) templ.Component { return p.post(v, 0, "") })
	case app.KindThread:
		return shown(p.Payload, p.thread)
	case app.KindPoll:
		return shown(p.Payload, p.poll)
	case app.KindProfile:
		return shown(p.Payload, p.profile)
	case app.KindTelegram:
		return shown(p.Payload, telegram)
	case app.KindSite:
		return shown(p.Payload, p.site)
	case app.KindUtility:
		return shown(p.Payload, p.utility)
	case app.KindDossier:
		return shown(p.Payload, dossier)
	case app.KindHandover:
		return shown(p.Payload, handover)
	}
	return p.accepted()
}

// accepted draws an output that is taken as it is: nothing is sent.
func (p Preview) accepted() templ.Component {
	switch payload, _ := decode[app.OutputPayload](p.Payload); {
	case len(payload.Output) == 0:
		return raw(p.Payload)
	case p.Kind == app.KindGoNoGo:
		return shown(payload.Output, p.decision)
	case p.Kind == app.KindVerdict:
		return shown(payload.Output, showVerdict)
	case p.Kind == app.KindDirection:
		return shown(payload.Output, p.directions)
	case p.Kind == app.KindKit:
		return p.grid(tiles(payload.Output))
	case p.Kind == app.KindMods:
		return shown(payload.Output, showMods)
	}
	return raw(p.Payload)
}

func shown[T any](payload json.RawMessage, draw func(T) templ.Component) templ.Component {
	if v, ok := decode[T](payload); ok {
		return draw(v)
	}
	return raw(payload)
}

func decode[T any](raw json.RawMessage) (value T, ok bool) {
	return value, json.Unmarshal(raw, &value) == nil
}

// Pretty indents JSON for reading.
func Pretty(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// facts are what a post takes and costs: its place in a thread, how much of
// its length is used, the platform's price. call is its place among the calls.
func (p Preview) facts(text, place string, call int) (facts []string) {
	if place != "" {
		facts = append(facts, place)
	}
	if p.Weigh != nil && text != "" {
		facts = append(facts, fmt.Sprintf("%d / 280", p.Weigh(text)))
	}
	if call < len(p.Out) {
		return append(facts, "out already")
	}
	if call < len(p.Prices) && p.Prices[call] > 0 {
		facts = append(facts, p.Prices[call].String())
	}
	return facts
}

// place is how much room a picture takes at its true size.
func (p Preview) place(sha256 string) templ.Attributes {
	size, known := p.Sizes[sha256]
	if !known {
		return nil
	}
	return templ.Attributes{"width": strconv.Itoa(size[0]), "height": strconv.Itoa(size[1])}
}

// altLabel is what the words for one of a post's pictures are called, as in the
// form that edits them when there are several.
func altLabel(files []app.Media, i int) string {
	if len(files) == 1 {
		return "Alt text"
	}
	return app.AltLabel("", i)
}

// returns are written so that a reader of HTML keeps them: what is shown is
// what is sent, to the last character.
var returns = strings.NewReplacer("\r", "&#13;")

// exact is text as it stands.
func exact(text string) templ.Component { return templ.Raw(returns.Replace(templ.EscapeString(text))) }

// named is a post of the account that its thread is on.
func named(p app.PostPayload, account string) app.PostPayload {
	p.Account = account
	return p
}

// postOnX is where a post is seen whose author nobody need know.
func postOnX(id string) string { return "https://x.com/i/status/" + id }

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

func kilobytes(n int64) string { return Integer((n+999)/1000) + " kB" }
