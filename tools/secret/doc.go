// Package secret takes secret values out of text.
//
//	redactor.go  which values, in which written forms; a text that arrives in pieces
//
// It owns what counts as an occurrence: a value as it is, as JSON and Go quote it, and
// a longer line of a value of several lines. It refuses to know where values come from
// and what the text is for: whoever lets text out over a border redacts it there, once.
//
// Invariants:
//   - A nil Redactor changes nothing.
//   - A Stream never gives a part of a value: what may become one is held back until the
//     text goes on or ends.
package secret
