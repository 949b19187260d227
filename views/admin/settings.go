package admin

import (
	"strings"
	"time"

	"github.com/a-h/templ"

	"vivra/app/paths"
	"vivra/views/layout"
)

// Settings is the page of everything that can be set without a deploy.
type Settings struct {
	layout.Team
	Groups []SettingGroup
	Models []string // those with a price, to choose from
}

// SettingGroup is a heading and the settings below it.
type SettingGroup struct {
	ID, Title, Intro string
	Settings         []Setting
}

// Setting is one value with its default, its form and its history.
type Setting struct {
	Key, Title, Help string
	// Input is the control: number, text, lines, choice or model; Hint says what
	// fits in it.
	Input, Hint    string
	Value, Default string
	// Means says what follows from Value, empty when it speaks for itself.
	Means string
	// Entered is what the form holds, Problem what is wrong with it.
	Entered, Problem string
	// Seen is the newest change that the page knows.
	Seen    int64
	History []SettingChange // newest first
}

// SettingChange is one entry of a setting's history.
type SettingChange struct {
	Value string
	Reset bool
	By    string
	At    time.Time
}

func (s Setting) id() string { return paths.SettingID(s.Key) }

// describedBy are the texts that a screen reader adds to the field.
func (s Setting) describedBy() string {
	ids := s.id() + "-now"
	if s.Hint != "" {
		ids += " " + s.id() + "-hint"
	}
	if s.Problem != "" {
		ids += " " + s.id() + "-problem"
	}
	return ids
}

func (s Setting) changed() bool { return len(s.History) > 0 && !s.History[0].Reset }

// oneLine shows a value within a sentence.
func oneLine(value string) string {
	if value == "" {
		return "none"
	}
	return strings.ReplaceAll(value, "\n", ", ")
}

// labels tie the field to its title, and put the cursor in one to be corrected.
func (s Setting) labels() templ.Attributes {
	all := templ.Attributes{"aria-labelledby": s.id() + "-title", "aria-describedby": s.describedBy()}
	if s.Problem != "" {
		all["aria-invalid"], all["autofocus"] = "true", true
	}
	return all
}
