// Package argv knows the words of a command: what is known of each, and whether they
// fit the form that a rule gives. It judges nothing: where a path leads, and whether a
// program may run at all, is decided by package policy.
//
//	word.go      a word, of which a script may tell only a part
//	pattern.go   the form of a command: its program and what may follow
//	slot.go      typed places of a form; access.go what is done with a path in one
//	flags.go     the flags that a form allows
//	forms.go     numbers, names, paths and variables by their looks
//	code.go      program texts of awk, sed and jq that reach nothing
//	glob.go      patterns of paths
//
// Invariants: a word of which not everything is known fits an allowing form only where
// anything is harmless, and a denying one wherever it could fit. A flag that a form does
// not name is refused.
package argv
