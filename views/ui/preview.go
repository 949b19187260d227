package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vivra/app"
)

// Preview is one output as the world will see it, or saw it.
type Preview struct {
	Kind    app.ValidationKind
	Payload json.RawMessage
	// Media returns the address of a file's bytes, by its content's SHA-256.
	Media func(sha256 string) string
	// Weigh counts a text as X does; nil leaves the count out.
	Weigh func(text string) int
	// Build returns the address of a page of a built site; nil shows no frame.
	Build func(id, path string) string
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

func decode[T any](raw json.RawMessage) (value T, ok bool) {
	return value, json.Unmarshal(raw, &value) == nil
}

// output decodes what an OutputPayload carries.
func output[T any](raw json.RawMessage) (value T, ok bool) {
	payload, ok := decode[app.OutputPayload](raw)
	if !ok {
		return value, false
	}
	return decode[T](payload.Output)
}

type goNoGo struct {
	Decision string   `json:"decision"`
	Reasons  []string `json:"reasons"`
	Blocking []string `json:"blocking"`
}

type verdict struct {
	Verdict  string `json:"verdict"`
	Criteria []struct {
		ID        string `json:"id"`
		Baseline  string `json:"baseline"`
		Value     string `json:"value"`
		Threshold string `json:"threshold"`
		Met       bool   `json:"met"`
	} `json:"criteria"`
	Summary string `json:"summary"`
}

type directions struct {
	Directions []direction `json:"directions"`
}

type direction struct {
	Name    string   `json:"name"`
	Concept string   `json:"concept"`
	Palette []string `json:"palette"`
	Logo    string   `json:"logo_asset"`
	Board   string   `json:"board_asset"`
}

type mods struct {
	Candidates []struct {
		Member string `json:"member"`
		Reason string `json:"reason"`
	} `json:"candidates"`
}

// tile is one asset of a grid.
type tile struct{ label, sha256 string }

// tiles finds every asset in an output, whatever its shape: a string of 64 hex
// digits, labelled by the key it stands under.
func tiles(raw json.RawMessage) []tile {
	payload, _ := decode[app.OutputPayload](raw)
	loose, _ := decode[any](payload.Output)
	var found []tile
	var walk func(label string, v any)
	walk = func(label string, v any) {
		switch v := v.(type) {
		case string:
			if isSHA256(v) {
				found = append(found, tile{strings.TrimSpace(label), v})
			}
		case []any:
			for i, item := range v {
				walk(label+" "+strconv.Itoa(i+1), item)
			}
		case map[string]any:
			for _, key := range slices.SortedFunc(maps.Keys(v), byNumber) {
				walk(label+" "+strings.ReplaceAll(key, "_", " "), v[key])
			}
		}
	}
	walk("", loose)
	return found
}

// byNumber sorts 64 before 128 and words as words.
func byNumber(a, b string) int {
	m, errA := strconv.Atoi(a)
	n, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return m - n
	}
	return strings.Compare(a, b)
}

func isSHA256(s string) bool {
	if len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// Pretty indents JSON for reading.
func Pretty(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// weight shows how much of a post's length is used.
func (p Preview) weight(text string) string {
	if p.Weigh == nil {
		return ""
	}
	return fmt.Sprintf("%d / 280", p.Weigh(text))
}

func hasVideo(m app.Media) bool { return strings.HasPrefix(m.MIME, "video/") }

// Lines is the text of an output, a line per part, to compare two drafts.
func Lines(kind app.ValidationKind, raw json.RawMessage) []string {
	switch kind {
	case app.KindPost:
		p, _ := decode[app.PostPayload](raw)
		return post(p)
	case app.KindThread:
		var lines []string
		t, _ := decode[app.ThreadPayload](raw)
		for _, p := range t.Posts {
			lines = append(lines, post(p)...)
		}
		return lines
	case app.KindPoll:
		p, _ := decode[app.PollPayload](raw)
		return append(append(post(p.Intro), p.Question), p.Options...)
	case app.KindProfile:
		p, _ := decode[app.ProfilePayload](raw)
		return append([]string{p.Name, p.Bio, p.URL}, p.Checklist...)
	case app.KindTelegram:
		p, _ := decode[app.TelegramSetupPayload](raw)
		return []string{p.Title, p.Description, p.Rules, p.Pinned}
	}
	return strings.Split(Pretty(raw), "\n")
}

func post(p app.PostPayload) []string {
	lines := []string{p.Text}
	for _, m := range p.Media {
		lines = append(lines, "media: "+m.Alt)
	}
	return lines
}

func channelName(channel string) string {
	switch channel {
	case "x":
		return "X"
	case "telegram":
		return "Telegram"
	}
	return channel
}

// isColour tells whether s is #rrggbb: the only shape that enters an attribute.
func isColour(s string) bool {
	digits, ok := strings.CutPrefix(strings.ToLower(s), "#")
	return ok && len(digits) == 6 && strings.Trim(digits, "0123456789abcdef") == ""
}
