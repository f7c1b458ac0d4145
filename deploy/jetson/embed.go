// Package jetson holds what a fresh install starts from: the lab policy, the
// sample config and the files of a new workspace, byte for byte as they lie in
// this folder. It owns nothing that runs; units, rules and the install script
// beside it are for people.
package jetson

import "embed"

// Files are policy.toml, config.toml and the folder workspace.
//
//go:embed *.toml workspace
var Files embed.FS
