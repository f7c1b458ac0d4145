// Package arch holds the house's rules as tests: who may import whom, and why
// not; one package comment each; files and functions that stay readable; every
// dependency with its reason; small types, packages and fronts. It reads source
// files, and asks go list for the compiled packages that they import.
//
// A rule carries the reason that its failure prints, so that whoever breaks it
// learns what it protects.
package arch
