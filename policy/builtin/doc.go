// Package builtin holds what no policy file can change, as tables and questions about
// them: the built-in rules, secret paths, the agent's own folders, programs that carry
// or run others, and what to do instead of what is refused. It decides nothing: package
// policy asks it.
//
//	rules.go     the rules, and the one that speaks of a program
//	place.go     paths: harmless devices, secrets, the agent's own roots
//	program.go   programs: where they lie, shells, interpreters, systemctl, sleep
//	attribute.go  what the rules have to know of single programs
//	instead.go   what a refusal says to do instead
package builtin
