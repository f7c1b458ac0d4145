// Package config turns the agent's settings into one checked value: defaults in
// code, then config.toml, then the environment, then flags, then the checks.
//
// It owns the names, types, ranges and explanations of all settings; the JSON
// Schema, the reference page and "agent config show" are made from the same
// struct tags. It refuses to touch the world: Load reads through the functions
// that it is given, creates nothing, logs nothing and keeps nothing. Nobody reads
// settings after the start; packages are handed the values that they need.
//
//	config.go   all settings, with names, ranges and explanations as tags
//	agent.go    an agent of several: what its entry may say and what it replaces
//	hook.go     a program of the operator, the same
//	load.go     from the sources to a config; paths.go where files lie
//	parse.go    the file with its lines; bind.go tables to fields; set.go values
//	check.go    what fits together; fault.go what does not
//	units.go    spans of time and sizes
//	field.go    one setting as schema.go and show.go list it
//	retired.go  keys of earlier versions
//	edit.go     one key of a file changed, everything else as it is
//
// Invariants: a key that nobody knows is a refusal, never a shrug; every problem
// of a file is told at once, each with its line; a file of zero bytes is a write
// that was cut short, not a config of defaults.
package config
