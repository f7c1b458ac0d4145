// Package docs is the manual, embedded so that the agent can read it offline and
// answer questions about itself from it. It owns nothing but the pages beside it.
// develop.md is for who builds the program and stays out of it.
package docs

import "embed"

// Pages holds every page of the manual.
//
//go:embed background.md commands.md config.md departures.md dependencies.md
//go:embed performance.md policy.md prompt.md
var Pages embed.FS
