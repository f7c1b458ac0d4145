// Package docs is the manual, embedded so that the agent can read it offline and
// answer questions about itself from it. It owns nothing but the pages beside it.
package docs

import "embed"

// Pages holds every page of the manual.
//
//go:embed *.md
var Pages embed.FS
