// Package toolstest holds what tests of tools stand on: a door over fakes.
//
//	fakes.go  policy, audit, person, launcher and tool, and the door that joins them
//
// It serves tests alone and is never linked into the program.
package toolstest
