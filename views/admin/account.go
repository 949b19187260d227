package admin

import (
	"strings"

	"vivra/app"
	"vivra/views/layout"
)

// Account is the page of the reader's own password, passkeys and sessions.
type Account struct {
	layout.Team
	Passkeys    []Passkey
	PasskeysOff string        // why there are none here, empty: there are
	Sessions    []app.Session // the one used last first
	Notice      string        // what was done just now
	Problem     string
}

// Passkey is one with what is wrong with it.
type Passkey struct {
	app.Passkey
	Suspect bool // there may be a copy of it
}

// browserOf names a browser by what it calls itself; outside text stays that
// when it is none of the usual ones.
func browserOf(agent string) string {
	name, system := firstOf(agent, browsers), firstOf(agent, systems)
	switch {
	case agent == "":
		return "A program without a name"
	case name == "":
		return agent
	case system == "":
		return name
	}
	return name + " on " + system
}

// A word of the agent's and what it means; a browser also calls itself what
// those below it are called.
var (
	browsers = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS", "Firefox"},
		{"CriOS", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}}
	systems = [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

func firstOf(agent string, words [][2]string) string {
	for _, w := range words {
		if strings.Contains(agent, w[0]) {
			return w[1]
		}
	}
	return ""
}
