// Package preflight holds X's rules for posts, applied before a draft reaches
// a person: length, links, names, cashtags, addresses, polls, threads, words
// that no post may hold, price.
package preflight

import (
	"vivra/app"
	"vivra/app/xtext"
)

// MaxLength is what a post may count.
const MaxLength = app.MaxPost

// Length counts text as X does.
func Length(text string) int { return xtext.Length(text) }
