// Package hooks asks the programs of the operator that add to a prompt.
//
// It owns what such a program is told and what it may answer: one JSON object each
// way, strictly read. A hook of Bootstrap may replace or add workspace files before
// they enter a prompt, one of Turn may add to what is sent with a message. It
// refuses everything else: a key that it does not know, a second object, a file that
// is no workspace file, text that is no text. Nothing of a bad answer is used and
// nothing is skipped; the error says how to do without the hook.
//
// It starts no program: whoever wires it takes each run through the one door of
// package tools.
//
//	hook.go       a hook, how it is run, and what its failure says
//	reply.go      reading an answer strictly
//	bootstrap.go  workspace files
//	turn.go       the turn context
package hooks
