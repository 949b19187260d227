package tools

import (
	"regexp"
	"slices"
	"strings"

	"vivra/app/agent"
	"vivra/app/preflight"
	"vivra/app/untrusted"
)

// commands looks for what a bot would take for an order.
func (g Guard) commands(found *violations, text string) {
	lines := preflight.Commands(text)
	for _, command := range lines {
		if g.Telegram || strings.Contains(command, "@") || len(lines) > 1 || order.MatchString(command) {
			g.command(found, command)
		}
	}
	if !g.Telegram {
		return
	}
	// Telegram makes a command tappable wherever it stands.
	seen := untrusted.Fold(text)
	for _, at := range tappable.FindAllStringSubmatchIndex(seen, -1) {
		if !path.MatchString(seen[at[3]:]) {
			g.command(found, seen[at[2]:at[3]])
		}
	}
}

func (g Guard) command(found *violations, command string) {
	if !slices.Contains(ownCommands, strings.ToLower(command)) {
		found.add(agent.RuleCommand, "%s is a command to a bot.", command)
	}
}

var (
	tappable = regexp.MustCompile(`(?:^|[^\p{L}\p{N}_/.:%<-])(/[A-Za-z][A-Za-z0-9_]{0,31})`)
	path     = regexp.MustCompile(`^(?:[/-]|[.][A-Za-z])`)
	// order is a command that bots on X act upon; /gm and !important are none.
	order = regexp.MustCompile(`^(?i)[/!](?:start|stop|swap|send|claim|buy|sell|tip|transfer|withdraw|deposit|bridge|deploy|launch|approve|connect|airdrop|mint|stake|unstake|pay|migrate|verify|trade|snipe|ban|kick|mute|filter|promote)`)
)

// ownCommands are those of the utilities that a group may get.
var ownCommands = []string{"/quiz", "/table", "/alert", "/alerts", "/quiet"}
