// Package source reads the TOML of a policy file into a tree that knows where everything
// stands, and collects what is wrong with it: each fault with its line and a caret under
// the place. What the keys mean is package policy's.
//
//	document.go   a file as a whole
//	source.go     TOML with places
//	fields.go     typed values of keys
//	problem.go    what is wrong, and where
package source
