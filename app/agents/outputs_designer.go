package agents

import (
	"cmp"
	"strings"

	"vivra/app/agent"
)

func compare(a, b string) int { return cmp.Compare(a, b) }

// Direction is one way the token could look.
type Direction struct {
	Name       string   `json:"name" jsonschema:"2 to 25 characters: it becomes an option of the poll"`
	Concept    string   `json:"concept" jsonschema:"the idea in at most 300 characters"`
	Palette    []string `json:"palette" jsonschema:"4 colours as #rrggbb in lower case: ground, main, second, light"`
	LogoAsset  string   `json:"logo_asset" jsonschema:"sha256 of the logo from image_generate"`
	BoardAsset string   `json:"board_asset" jsonschema:"sha256 of the board from brand_render"`
}

// Directions is the output of designer.directions.
type Directions struct {
	Directions []Direction `json:"directions" jsonschema:"exactly 3 directions that differ in idea and in palette"`
}

func directionsOutput() agent.Output {
	return agent.NewOutput("directions", limits{
		"directions":               list(3, 3),
		"directions[].name":        text(2, 25),
		"directions[].concept":     text(20, 300),
		"directions[].palette":     list(4, 4),
		"directions[].palette[]":   pattern(hexColour),
		"directions[].logo_asset":  pattern(sha256Hex),
		"directions[].board_asset": pattern(sha256Hex),
	}.tighten, func(d Directions) []string {
		var f faults
		var names, palettes, boards []string
		for _, direction := range d.Directions {
			f.distinct("the palette of "+direction.Name, direction.Palette)
			names = append(names, strings.ToLower(direction.Name))
			palettes = append(palettes, strings.Join(direction.Palette, " "))
			boards = append(boards, direction.BoardAsset)
		}
		f.distinct("the names of the directions", names)
		f.distinct("the palettes of the directions", palettes)
		f.distinct("the boards of the directions", boards)
		return f
	})
}

// Poll is the output of designer.poll: what was proposed. It opens when a
// person approves it.
type Poll struct {
	PollID   string   `json:"poll_id" jsonschema:"the validation_id that poll_create returned"`
	Question string   `json:"question" jsonschema:"as it was proposed, at most 280 characters"`
	Options  []string `json:"options" jsonschema:"the 3 options, in the order of the directions, at most 25 characters each"`
	ClosesAt *string  `json:"closes_at" jsonschema:"null: the poll runs 24 hours from its approval, which is still to come"`
	Channels []string `json:"channels" jsonschema:"x and, when the operation has a group, telegram"`
}

func pollOutput() agent.Output {
	return agent.NewOutput("poll", limits{
		"poll_id":    text(1, 80),
		"question":   text(5, 280),
		"options":    list(3, 3),
		"options[]":  text(1, 25),
		"closes_at":  pattern(instant),
		"channels":   list(1, 2),
		"channels[]": oneOf("x", "telegram"),
	}.tighten, func(p Poll) []string {
		var f faults
		f.distinct("options", p.Options)
		f.distinct("channels", p.Channels)
		return f
	})
}

// Tallies are the votes of both channels, in the order of the options.
type Tallies struct {
	X        []int `json:"x" jsonschema:"votes on X, empty when the channel has no poll"`
	Telegram []int `json:"telegram" jsonschema:"votes on Telegram, empty when the channel has no poll"`
}

// PollResults is the output of designer.poll_results.
type PollResults struct {
	PollID    string  `json:"poll_id" jsonschema:"copied from poll_results"`
	Tallies   Tallies `json:"tallies" jsonschema:"copied from poll_results"`
	Winner    *int    `json:"winner" jsonschema:"0, 1 or 2, copied from poll_results; null when the team has to decide"`
	DecidedBy string  `json:"decided_by" jsonschema:"votes, x_votes or team, copied from poll_results"`
}

func pollResultsOutput() agent.Output {
	return agent.NewOutput("poll_results", limits{
		"poll_id":            text(1, 80),
		"tallies.x":          list(0, 3),
		"tallies.x[]":        atLeast(0),
		"tallies.telegram":   list(0, 3),
		"tallies.telegram[]": atLeast(0),
		"winner":             number(0, 2),
		"decided_by":         oneOf("votes", "x_votes", "team"),
	}.tighten, func(r PollResults) []string {
		var f faults
		f.when(r.Winner == nil && r.DecidedBy != "team", "winner is null although decided_by is %s", r.DecidedBy)
		x, telegram := len(r.Tallies.X), len(r.Tallies.Telegram)
		f.when(x != 0 && x != 3 || telegram != 0 && telegram != 3, "a channel has 3 tallies, one for each option, or none")
		f.when(x == 0 && telegram == 0, "tallies are missing for both channels")
		return f
	})
}

// LogoSet is the logo in the sizes that platforms ask for, by its edge in pixels.
type LogoSet struct {
	S64   string `json:"64" jsonschema:"sha256 of the logo of 64 pixels"`
	S128  string `json:"128" jsonschema:"sha256 of the logo of 128 pixels"`
	S256  string `json:"256" jsonschema:"sha256 of the logo of 256 pixels"`
	S512  string `json:"512" jsonschema:"sha256 of the logo of 512 pixels"`
	S1024 string `json:"1024" jsonschema:"sha256 of the logo of 1024 pixels"`
}

// Kit is the output of designer.kit.
type Kit struct {
	Direction int      `json:"direction" jsonschema:"the winning direction: 0, 1 or 2"`
	Logo      LogoSet  `json:"logo" jsonschema:"the logo in five sizes"`
	Pfp       string   `json:"pfp_400" jsonschema:"sha256 of the profile picture"`
	XBanner   string   `json:"x_banner_1500x500" jsonschema:"sha256 of the banner for X"`
	TGBanner  string   `json:"tg_banner_1280x640" jsonschema:"sha256 of the banner for Telegram"`
	OG        string   `json:"og_1200x630" jsonschema:"sha256 of the card that links to the site show"`
	Memes     []string `json:"memes" jsonschema:"sha256 of at least 20 memes, each its own picture"`
}

func kitOutput() agent.Output {
	return agent.NewOutput("kit", limits{
		"direction":          number(0, 2),
		"logo.64":            pattern(sha256Hex),
		"logo.128":           pattern(sha256Hex),
		"logo.256":           pattern(sha256Hex),
		"logo.512":           pattern(sha256Hex),
		"logo.1024":          pattern(sha256Hex),
		"pfp_400":            pattern(sha256Hex),
		"x_banner_1500x500":  pattern(sha256Hex),
		"tg_banner_1280x640": pattern(sha256Hex),
		"og_1200x630":        pattern(sha256Hex),
		"memes":              list(20, 60),
		"memes[]":            pattern(sha256Hex),
	}.tighten, func(k Kit) []string {
		var f faults
		f.distinct("memes", k.Memes)
		f.distinct("logo", []string{k.Logo.S64, k.Logo.S128, k.Logo.S256, k.Logo.S512, k.Logo.S1024})
		return f
	})
}
