// Package config turns the agent's settings into one checked value: defaults in
// code, then config.toml, then the environment, then flags, then the checks.
//
// It owns the names, types, ranges and explanations of all settings; the JSON
// Schema, the reference page and "agent config show" are made from the same
// struct tags. It refuses to touch the world: Load reads through the functions
// that it is given, creates nothing, logs nothing and keeps nothing. Nobody reads
// settings after the start; packages are handed the values that they need.
//
// A file may hold several agents and hooks: agent.go and hook.go own what such an
// entry may say and which setting it replaces.
//
// Invariants: a key that nobody knows is a refusal, never a shrug; every problem
// of a file is told at once, each with its line; a file of zero bytes is a write
// that was cut short, not a config of defaults.
package config
