// Package migrations embeds the SQL migrations so that the binary carries them.
package migrations

import "embed"

// FS holds one goose migration per file.
//
//go:embed *.sql
var FS embed.FS
