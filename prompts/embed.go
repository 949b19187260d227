// Package prompts embeds the prompts of the agents, one Markdown file each.
package prompts

import "embed"

// FS holds _preamble.md and one file per agent.
//
//go:embed _preamble.md *.md
var FS embed.FS
