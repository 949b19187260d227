// Package templates embeds what the agents fill in: brand images, sites and utilities.
package templates

import "embed"

// FS holds brand, sites and utilities.
//
//go:embed brand sites utilities
var FS embed.FS
