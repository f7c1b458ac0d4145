// Package text shapes text that comes from outside before anybody reads it.
//
//	clean.go    no terminal sequence survives, and no character that a reader can't see
//	cut.go      no more than the limits, with what was left out; lines, ends, heads
//	capture.go  from a command's raw bytes to the text that a model gets
//	window.go   lines of a file of any size
//	span.go     a stretch of time as people write it
//
// It owns the limits of output and the words that tell of a cut. It refuses to know
// where text comes from: commands, files and programs' names are shaped alike. What is
// secret is package secret's word; it is taken out before anything is cut, so that no
// part of a value is left.
//
// Invariants:
//   - A cut is always told, with the limit's name and value.
//   - Memory is bounded by the limits, not by the text.
//   - The same text gives the same result, in whatever pieces it arrives.
package text
