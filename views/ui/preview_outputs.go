package ui

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vivra/app"
)

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

// Report is what code found out about a build: a site's check or a utility's tests.
type Report struct {
	Passed    int    `json:"passed"`
	Failed    int    `json:"failed"`
	Log       string `json:"log"`
	Links     int    `json:"links"`
	Addresses int    `json:"addresses"`
	Weight    int64  `json:"weight"`
	Problems  []struct {
		Rule   string `json:"rule"`
		Detail string `json:"detail"`
		Path   string `json:"path"`
	} `json:"problems"`
}

// ReportOf reads a build's report, nil when it has none.
func ReportOf(raw json.RawMessage) *Report {
	report, ok := decode[*Report](raw)
	if !ok {
		return nil
	}
	return report
}

// tile is one asset of a grid.
type tile struct{ label, sha256 string }

// tiles finds every asset in an output, whatever its shape: a string of 64 hex
// digits, labelled by the key it stands under.
func tiles(output json.RawMessage) []tile {
	loose, _ := decode[any](output)
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

// caption names a tile, with its true size where that is known.
func (p Preview) caption(t tile) string {
	if size, known := p.Sizes[t.sha256]; known {
		return fmt.Sprintf("%s, %d × %d", t.label, size[0], size[1])
	}
	return t.label
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
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// isColour tells whether s is #rrggbb: the only shape that enters an attribute.
func isColour(s string) bool {
	digits, ok := strings.CutPrefix(strings.ToLower(s), "#")
	return ok && len(digits) == 6 && strings.Trim(digits, "0123456789abcdef") == ""
}

func hasVideo(m app.Media) bool { return strings.HasPrefix(m.MIME, "video/") }

func channelName(channel string) string {
	switch channel {
	case "x":
		return "X"
	case "telegram":
		return "Telegram"
	}
	return channel
}
