// Package specs embeds what is declared rather than programmed: the calendar,
// the agents, and the pinned hashes of their prompts.
package specs

import "embed"

// FS holds calendar.yaml, one file per agent, and prompts.lock.
//
//go:embed *.yaml prompts.lock
var FS embed.FS
