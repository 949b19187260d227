package app

import (
	"fmt"
	"strings"
)

// The most that one text of an output holds, in characters; a post's are
// counted as X counts them.
const (
	MaxPost             = 280
	MaxAlt              = 1000 // what stands for a picture
	MaxPollOption       = 25
	MaxProfileName      = 50
	MaxProfileBio       = 160
	MaxProfileURL       = 200
	MaxGroupTitle       = 128
	MaxGroupDescription = 255
	MaxGroupText        = 2000 // the rules, and the pinned message
)

// Lines are the checklist of p with the exact values.
func (p ProfilePayload) Lines() []string {
	return []string{
		"Sign in to X as @" + p.Account + " and open Edit profile.",
		"Name: " + p.Name,
		"Bio: " + p.Bio,
		"Website: " + p.URL,
		upload("Picture", p.Picture, "400x400"),
		upload("Banner", p.Banner, "1500x500"),
		`Settings, Your account, Automation: the "automated" label is on and names the managing account.`,
		"Save, then say here that it is applied.",
	}
}

func upload(what string, m Media, size string) string {
	if m.SHA256 == "" {
		return what + ": keep the one there is."
	}
	return fmt.Sprintf("%s: upload the file %s (%s).", what, m.SHA256, size)
}

// AltLabel is what people call the words that stand for the i-th picture of a
// post; the only post of an output has no name.
func AltLabel(post string, i int) string {
	label := fmt.Sprintf("Alt text %d", i+1)
	if post == "" {
		return label
	}
	return post + ", " + strings.ToLower(label)
}

// Boards tells whether the pictures before p are one for each option.
func (p PollPayload) Boards() bool {
	return len(p.Intro.Media) > 0 && len(p.Intro.Media) == len(p.Options)
}

// NameBoards lets each board say which option it is for.
func (p PollPayload) NameBoards() {
	if !p.Boards() {
		return
	}
	for i, option := range p.Options {
		p.Intro.Media[i].Alt = "Board of the direction " + option
	}
}
